/*
 * Summaries of a series in a time range: mean, extremes and percentiles of a column of a series
 * set, without its impossible values.
 */
#ifndef PIPA_ANALYZE_SERIES_SERIES_SUMMARY_H
#define PIPA_ANALYZE_SERIES_SERIES_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/series_set.h"

/* Intervals that end in (from_ns, until_ns]; until_ns 0: no end. */
struct pipa_time_window {
	uint64_t from_ns, until_ns;
};

struct pipa_series_summary {
	size_t n;   /* number of values */
	size_t bad; /* impossible values that were left out */
	double mean, min, max,
		sd; /* NaN without values; sd is that of a sample, NaN for one value */
	double p95;
	double sum; /* of the values, not weighted; 0 without values */
};

/* Why a value cannot be true. */
enum pipa_impossible {
	PIPA_POSSIBLE,
	PIPA_IMPOSSIBLE_NEGATIVE,
	PIPA_IMPOSSIBLE_OVER_100,
	PIPA_IMPOSSIBLE_HUGE, /* beyond any machine: a counter was reset or wrapped */
};

/* Check a value of a column. Rounding may make 100.01 of 100: up to 101 is possible. */
enum pipa_impossible pipa_series_check(const struct pipa_column *column, double value);

/*
 * Replace impossible values by NaN and reduce percentages just above 100 to 100, which are the safe
 * repairs. Returns the number of impossible values.
 */
size_t pipa_series_repair(const struct pipa_column *column, double *values, size_t n);

/* Find the intervals of an axis that are in the window: [*ret_from, *ret_from + return value). */
size_t pipa_series_range(const struct pipa_series_axis *axis, const struct pipa_time_window *window,
			 size_t *ret_from);

/*
 * Find the intervals of a group that are in the window, as pipa_series_range() does. A group that the window cannot
 * divide is used whole: a total, which has one interval, and a group without a known start if other sources are on
 * the wall clock.
 */
size_t pipa_series_group_range(const struct pipa_series_set *set,
			       const struct pipa_series_group *group,
			       const struct pipa_time_window *window, size_t *ret_from);

/* Is any source on the wall clock? Then the window is, too. */
bool pipa_series_has_wall_clock(const struct pipa_series_set *set);

/*
 * Find the group of a section that metrics are computed from: of several sources the one with most intervals, of
 * equal ones the first. Returns its index or -ENOENT.
 */
ptrdiff_t pipa_series_main_group(const struct pipa_series_set *set, const char *section);

/* Compute only the mean of a column in the window, weighted by the lengths of intervals; NaN without values. 0 or -ENOMEM. */
int pipa_series_weighted_mean(const struct pipa_series_set *set, struct pipa_series_ref ref,
			      const struct pipa_time_window *window, double *ret);

/* Summarize a column in the window. The mean is weighted by the lengths of intervals. 0 or -ENOMEM. */
int pipa_series_summarize(const struct pipa_series_set *set, struct pipa_series_ref ref,
			  const struct pipa_time_window *window, struct pipa_series_summary *ret);

/* Summarize plain values, which are reordered; NaN values are left out. */
void pipa_summarize(double *values, size_t n, struct pipa_series_summary *ret);

#endif
