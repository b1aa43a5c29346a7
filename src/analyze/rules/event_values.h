/*
 * Values of events in the counters of a series set: formulas over their sums, rates, and means of metrics. All
 * files of counters that have the events of a formula are combined, so that runs of the same workload add up and
 * events of different runs are not divided by each other. Events are found by name with any PMU, modifier and
 * place: "cpu_core/cycles/u", "cycles:D CPU3".
 */
#ifndef PIPA_ANALYZE_RULES_EVENT_VALUES_H
#define PIPA_ANALYZE_RULES_EVENT_VALUES_H

#include "analyze/series/series_summary.h"

struct pipa_event_values {
	const struct pipa_series_set *set; /* NULL: no counters */
	const struct pipa_time_window *window;
	int status; /* 0 or -ENOMEM; kept, to be checked once at the end */
};

/*
 * Evaluate a formula of analyze/count/expr.h over the sums of events: "[instructions] / [cycles]". NaN if no
 * file has all of its events.
 */
double pipa_event_formula(struct pipa_event_values *values, const char *formula);

/* Return the rate of an event per second, NaN if it was not counted in intervals of known length. */
double pipa_event_rate(struct pipa_event_values *values, const char *event);

/*
 * Return a share of pipeline slots in percent by its name ("frontend_bound"): from top-down events, else the mean
 * of the metric that perf or pipa computed. NaN if there is neither.
 */
double pipa_event_slots(struct pipa_event_values *values, const char *name);

#endif
