/*
 * What to count and on whom, worked out from the options before anything starts: the events of
 * names, metrics and defaults; the threads, CPUs and cgroups of the target.
 */
#ifndef PIPA_JOB_STAT_PLAN_H
#define PIPA_JOB_STAT_PLAN_H

#include "analyze/metrics.h"
#include "collect/resolve.h"
#include "job/target.h"
#include "model/event.h"
#include "model/stat.h"

struct pipa_error;
struct pipa_stat_options;

struct pipa_stat_plan {
	struct pipa_machine machine;
	struct pipa_events events;
	struct pipa_metric_uses metrics;
	struct pipa_whom whom;
};

int pipa_stat_plan_make(const struct pipa_stat_options *options, struct pipa_root *root,
			struct pipa_stat_plan *plan, struct pipa_error *err);
void pipa_stat_plan_done(struct pipa_stat_plan *plan);

#endif
