/*
 * Plan a count from options: events of names, metrics and defaults; threads, CPUs and cgroups of
 * the target.
 */
#ifndef PIPA_MEASURE_COUNT_COUNT_PLAN_H
#define PIPA_MEASURE_COUNT_COUNT_PLAN_H

#include "analyze/count/metrics.h"
#include "collect/count/resolve.h"
#include "measure/target.h"
#include "model/event.h"
#include "model/stat.h"

struct pipa_error;

/* Select what is counted, on which target, when it is read and how counts are summed. */
struct pipa_count_options {
	struct pipa_target_spec target; /* command NULL: count until stopped */
	bool no_inherit, no_merge;
	bool user_only, kernel_only; /* of events without a modifier */

	const struct pipa_event_arg *events;
	size_t n_events;
	const char *metrics; /* comma-separated, or NULL */
	bool topdown;
	unsigned int detail; /* number of -d options */
	bool null_run;	     /* measure time only, no events */

	enum pipa_aggr by;
	unsigned int repeat;  /* 0 and 1: run once */
	uint64_t interval_ns; /* 0: read once, at the end */
	uint64_t intervals;   /* stop reporting after this many, 0: never */
	uint64_t timeout_ns;  /* stop after, 0: never */
	uint64_t delay_ns;    /* start counting after */
};

struct pipa_count_plan {
	struct pipa_machine machine;
	struct pipa_events events;
	struct pipa_metric_uses metrics;
	struct pipa_target_list targets;
};

int pipa_count_plan_make(const struct pipa_count_options *options, struct pipa_root *root,
			 struct pipa_count_plan *plan, struct pipa_error *err);
void pipa_count_plan_done(struct pipa_count_plan *plan);

#endif
