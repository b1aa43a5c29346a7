/*
 * Signals: the values of a quantity in the intervals of a time window, from a column of series, from the
 * time of CPUs or from counters.
 */
#ifndef PIPA_ANALYZE_REPORT_SIGNAL_H
#define PIPA_ANALYZE_REPORT_SIGNAL_H

#include <stddef.h>

#include "analyze/series/cpu_load.h"
#include "analyze/series/series_summary.h"

struct pipa_signal {
	double *values; /* in the order of time, without missing ones; owned */
	size_t n;
	double mean; /* weighted by the lengths of intervals; of a ratio that of the sums. NaN without values */
	double sum; /* of the counts that the signal was computed from; else NaN */
};

/*
 * A quantity of counters: counts of an event over those of another one in the same interval. Events have at
 * most two spellings, which are tried in order; an `under` of NULL divides by seconds.
 */
struct pipa_event_ratio {
	const char *over[2], *under[2];
	double scale;
};

/*
 * Read a signal; one without data has no values. Deltas of counters become rates per second. The caller
 * frees it. 0 or -ENOMEM.
 */
int pipa_signal_column(const struct pipa_series_set *set, struct pipa_series_ref ref,
		       const struct pipa_time_window *window, struct pipa_signal *ret);
int pipa_signal_cpu_time(const struct pipa_series_set *set, const char *cpu,
			 enum pipa_cpu_time time, const struct pipa_time_window *window,
			 struct pipa_signal *ret);
int pipa_signal_events(const struct pipa_series_set *set, const struct pipa_event_ratio *ratio,
		       const struct pipa_time_window *window, struct pipa_signal *ret);

void pipa_signal_done(struct pipa_signal *signal);

#endif
