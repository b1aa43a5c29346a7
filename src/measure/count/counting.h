/*
 * Count events on a target: opened for each run, read at every interval and at the end. Several sets of
 * counters may be instruments of one session.
 */
#ifndef PIPA_MEASURE_COUNT_COUNTING_H
#define PIPA_MEASURE_COUNT_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/count/aggregate.h"
#include "base/error.h"
#include "collect/count/counters.h"
#include "measure/count/count_plan.h"

struct pipa_follow;
struct pipa_host;
struct pipa_instrument_ops;
struct pipa_stat;

struct pipa_counting {
	/* set by the caller first */
	const struct pipa_count_options *o;
	const struct pipa_host *host;
	struct pipa_follow *follow;
	/*
	 * called for each interval; a negative errno ends the reports, and without a command the
	 * session. May be NULL
	 */
	int (*report)(void *ctx, struct pipa_stat *stat, struct pipa_error *err);
	void *ctx;

	/* of one run */
	struct pipa_target target;
	struct pipa_counters *counters;
	uint64_t start_ns, tick_ns;
	uint64_t ticks, late;
	bool active, done_reporting;
	bool threads_missed; /* threads were created faster than they could be listed */
	int report_failure;  /* of an interval while the command was running, returned by finish */
	struct pipa_error report_error;

	/* of all runs */
	struct pipa_count_plan plan;
	struct pipa_event_counts *banks;
	struct pipa_aggr_table *table;
	struct pipa_stat_place *cpu_places, *task_places;
};

/*
 * Counting as an instrument; the context is the struct pipa_counting. Opening it for another run
 * closes the counters of the previous run. Closing a tracepoint takes about 40 ms: report before
 * the session is closed.
 */
extern const struct pipa_instrument_ops pipa_counting_instrument;

/* Report no more intervals; the totals are still read at the end. May be called by report(). */
void pipa_counting_stop_reporting(struct pipa_counting *counting);

/* Return the counts; NULL before the counters are opened. */
struct pipa_stat *pipa_counting_stat(const struct pipa_counting *counting);

#endif
