/* Which rows of the statistics the user asked for: a sink in front of another. */
#ifndef PIPA_JOB_MONITOR_FILTER_H
#define PIPA_JOB_MONITOR_FILTER_H

#include "base/cpus.h"
#include "model/series.h"

struct pipa_error;
struct pipa_monitor_options;

struct pipa_monitor_filter {
	struct pipa_series_sink sink;
	struct pipa_series_sink *next;
	const struct pipa_monitor_options *options;
	struct pipa_cpus cpus;
	int64_t day; /* if one is asked for */
};

int pipa_monitor_filter_init(struct pipa_monitor_filter *filter,
			     const struct pipa_monitor_options *options, struct pipa_error *err);
void pipa_monitor_filter_done(struct pipa_monitor_filter *filter);

#endif
