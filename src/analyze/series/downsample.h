/*
 * Reduce a series to the points that a chart of a given width can show, without losing a peak: per
 * bucket of equal time the first, the smallest, the largest and the last value (M4; Jugel et al.,
 * VLDB 2014). A line through these points covers the same pixels as one through all values.
 */
#ifndef PIPA_ANALYZE_SERIES_DOWNSAMPLE_H
#define PIPA_ANALYZE_SERIES_DOWNSAMPLE_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_DOWNSAMPLE_PER_BUCKET = 5 };

struct pipa_point {
	uint64_t wall_ns;
	double value; /* NaN: the line is interrupted here */
};

/*
 * Reduce n values at ascending times to at most PIPA_DOWNSAMPLE_PER_BUCKET points per bucket,
 * written to ret[] in ascending order. Missing values of a bucket become one interruption. Returns
 * the number of points. A series of no more values than points is copied.
 */
size_t pipa_downsample(const uint64_t *wall_ns, const double *values, size_t n, size_t buckets,
		       struct pipa_point *ret);

/* Smallest, mean and largest value of an interval; NaN if all are missing. */
struct pipa_extent {
	double min, mean, max;
};

/* Reduce n values to the extents of runs of `per` values; the last may be shorter. */
size_t pipa_reduce(const double *values, size_t n, size_t per, struct pipa_extent *ret);

#endif
