#include "analyze/series/downsample.h"

#include <math.h>
#include <stdbool.h>

/* Append point i unless it is the last one that was appended. */
static void append_point(const uint64_t *wall_ns, const double *values, size_t i,
			 struct pipa_point *ret, size_t *n)
{
	if (*n && ret[*n - 1].wall_ns == wall_ns[i])
		return;
	ret[(*n)++] = (struct pipa_point){ wall_ns[i], values[i] };
}

/* Append the points of a bucket [from, until) in ascending order. */
static void append_bucket(const uint64_t *wall_ns, const double *values, size_t from, size_t until,
			  struct pipa_point *ret, size_t *n)
{
	size_t picked[PIPA_DOWNSAMPLE_PER_BUCKET], count = 0, i, k;
	size_t min = until, max = until, first = until, last = until, missing = until;

	for (i = from; i < until; i++) {
		if (isnan(values[i])) {
			missing = missing == until ? i : missing;
			continue;
		}
		first = first == until ? i : first;
		last = i;
		min = min == until || values[i] < values[min] ? i : min;
		max = max == until || values[i] > values[max] ? i : max;
	}
	if (missing < until)
		picked[count++] = missing;
	if (first < until) {
		picked[count++] = first;
		picked[count++] = min;
		picked[count++] = max;
		picked[count++] = last;
	}
	for (i = 1; i < count; i++) { /* at most five: insertion sort */
		size_t moved = picked[i];

		for (k = i; k && picked[k - 1] > moved; k--)
			picked[k] = picked[k - 1];
		picked[k] = moved;
	}
	for (i = 0; i < count; i++)
		append_point(wall_ns, values, picked[i], ret, n);
}

size_t pipa_downsample(const uint64_t *wall_ns, const double *values, size_t n, size_t buckets,
		       struct pipa_point *ret)
{
	size_t i = 0, from, points = 0, bucket;
	uint64_t span;

	if (!n || !buckets)
		return 0;
	if (n <= buckets) {
		for (i = 0; i < n; i++)
			append_point(wall_ns, values, i, ret, &points);
		return points;
	}
	span = wall_ns[n - 1] - wall_ns[0];
	for (bucket = 0; bucket < buckets && i < n; bucket++) {
		/* in two parts: span x bucket may exceed 64 bits */
		uint64_t end = wall_ns[0] + span / buckets * (bucket + 1) +
			       span % buckets * (bucket + 1) / buckets;

		from = i;
		while (i < n && (wall_ns[i] < end || bucket + 1 == buckets))
			i++;
		append_bucket(wall_ns, values, from, i, ret, &points);
	}
	return points;
}

size_t pipa_reduce(const double *values, size_t n, size_t per, struct pipa_extent *ret)
{
	size_t i, k, runs = 0;

	for (i = 0; per && i < n; i += per) {
		struct pipa_extent extent = { NAN, NAN, NAN };
		double sum = 0;
		size_t present = 0;

		for (k = i; k < n && k < i + per; k++) {
			if (isnan(values[k]))
				continue;
			extent.min = fmin(extent.min, values[k]);
			extent.max = fmax(extent.max, values[k]);
			sum += values[k];
			present++;
		}
		if (present)
			extent.mean = sum / (double)present;
		ret[runs++] = extent;
	}
	return runs;
}
