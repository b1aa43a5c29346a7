/*
 * Count events on a target: opened for each run, read at every interval and at the end. The caller
 * owns the loop; several sets of counters may share it.
 */
#ifndef PIPA_MEASURE_COUNT_COUNTING_H
#define PIPA_MEASURE_COUNT_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/count/aggregate.h"
#include "collect/count/counters.h"
#include "measure/count/count_plan.h"

struct pipa_error;
struct pipa_follow;
struct pipa_instrument_ops;
struct pipa_stat;

struct pipa_counting {
	/* the caller's, set before anything else */
	const struct pipa_count_options *o;
	const struct pipa_perf *perf;
	struct pipa_root *root;
	struct pipa_follow *follow;
	struct pipa_error *err;
	/* an interval was read; 0 or why no more are wanted. NULL: not wanted */
	int (*report)(void *ctx, struct pipa_stat *stat);
	void *ctx;

	/* one run */
	struct pipa_target target;
	struct pipa_counters *counters;
	uint64_t start_ns, tick_ns;
	uint64_t ticks, late;
	bool active, done_reporting;
	bool threads_missed; /* they were made faster than they could be listed */
	int report_failure;  /* of an interval, while the command goes on */

	/* all runs */
	struct pipa_count_plan plan;
	struct pipa_event_counts *banks;
	struct pipa_aggr_table *table;
	struct pipa_stat_place *cpu_places, *task_places;
};

/* What is counted and where, before the first run. */
int pipa_counting_plan(struct pipa_counting *counting);

/* Open the counters for a run whose target is there; those of the run before are closed. */
int pipa_counting_open(struct pipa_counting *counting);

/* Count from now on, or from the command's exec on, or after the delay. */
int pipa_counting_begin(struct pipa_counting *counting);

/* The run is over: the last interval and the whole. */
int pipa_counting_finish(struct pipa_counting *counting);

/* Apart from the rest, as closing a tracepoint takes some 40 ms: a report need not wait for it. */
void pipa_counting_close(struct pipa_counting *counting);
void pipa_counting_done(struct pipa_counting *counting);

/* Report no more intervals; the totals are still read at the end. May be called by report(). */
void pipa_counting_stop_reporting(struct pipa_counting *counting);

/* Counting as an instrument; the context is the struct pipa_counting. */
extern const struct pipa_instrument_ops pipa_counting_instrument;

/* What was counted; NULL before the counters were opened. */
struct pipa_stat *pipa_counting_stat(const struct pipa_counting *counting);

#endif
