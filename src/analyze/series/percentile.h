/* Percentiles of plain arrays. */
#ifndef PIPA_ANALYZE_SERIES_PERCENTILE_H
#define PIPA_ANALYZE_SERIES_PERCENTILE_H

#include <stddef.h>

/*
 * Return the exact percentile of n values: of the sorted values the one at (n - 1) x percent / 100,
 * counted from zero, linearly interpolated (numpy's and PIPA's "linear"). The values are reordered;
 * none may be NaN. percent is clamped to 0 and 100. NaN if n is 0. Takes linear time on average.
 */
double pipa_percentile(double *values, size_t n, double percent);

/* Move the values that are not NaN to the front, in their order. Returns their number. */
size_t pipa_drop_missing(double *values, size_t n);

#endif
