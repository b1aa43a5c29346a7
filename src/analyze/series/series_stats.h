/* Reduce a column of a table to one number. Missing values are ignored; NaN if all are missing. */
#ifndef PIPA_ANALYZE_SERIES_SERIES_STATS_H
#define PIPA_ANALYZE_SERIES_SERIES_STATS_H

#include <stddef.h>

struct pipa_table;

size_t pipa_series_count(const struct pipa_table *table,
			 size_t column); /* of the values that are present */

/*
 * Return the mean, weighted by the length of intervals; one of unknown length counts as a second.
 */
double pipa_series_mean(const struct pipa_table *table, size_t column);

double pipa_series_min(const struct pipa_table *table, size_t column);
double pipa_series_max(const struct pipa_table *table, size_t column);

/*
 * Exact percentile: of n sorted values the one at (n - 1) x percent / 100, counted from zero,
 * linearly interpolated (numpy's and PIPA's "linear"). Intervals have equal weight. percent is
 * clamped to 0 and 100. 0 or -ENOMEM.
 */
int pipa_series_percentile(const struct pipa_table *table, size_t column, double percent,
			   double *ret);

#endif
