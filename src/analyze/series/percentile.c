#include "analyze/series/percentile.h"

#include <math.h>

size_t pipa_drop_missing(double *values, size_t n)
{
	size_t i, kept;

	for (i = 0; i < n && !isnan(values[i]); i++) /* mostly none is missing */
		;
	for (kept = i; i < n; i++)
		if (!isnan(values[i]))
			values[kept++] = values[i];
	return kept;
}

static void swap_values(double *a, double *b)
{
	double other = *a;

	*a = *b;
	*b = other;
}

/* Return the median of three values. */
static double median_of(double a, double b, double c)
{
	if (a > b)
		swap_values(&a, &b);
	return c < a ? a : c > b ? b : c;
}

static void select_value(double *values, size_t n, size_t k);

/*
 * Choose a value to divide n values by, so that the k-th smallest one is on the smaller side. Of many values it is
 * one of a sample, near the k-th: most comparisons with it have the same result, and few values remain. Another value
 * is as large or larger: otherwise select_value() would not end.
 */
static double choose_pivot(const double *values, size_t n, size_t k)
{
	enum { SAMPLE = 256, MIN_SAMPLED = 4 * SAMPLE };
	double sample[SAMPLE], share, place, margin;
	size_t i;

	if (n < MIN_SAMPLED)
		return median_of(values[0], values[(n - 1) / 2], values[n - 1]);
	for (i = 0; i < SAMPLE; i++)
		sample[i] = values[i * (n / SAMPLE)];
	share = (double)k / (double)n;
	margin = 2 * sqrt(SAMPLE * share * (1 - share)) + 1; /* twice the standard deviation */
	place = SAMPLE * share + (share > 0.5 ? -margin : margin);
	i = place < 0 ? 0 : place < SAMPLE - 2 ? (size_t)place : SAMPLE - 2;
	select_value(sample, SAMPLE, i);
	return sample[i];
}

/*
 * Reorder so that values[k] is the k-th smallest, no larger one is before it and no smaller one after
 * it (Hoare's quickselect). Equal values are split evenly.
 */
static void select_value(double *values, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = choose_pivot(values + low, high - low + 1, k - low);
		size_t i = low, j = high;

		for (;;) {
			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap_values(&values[i++], &values[j--]);
		}
		if (i == j && values[i] <= pivot)
			i++;
		if (k < i)
			high = i - 1;
		else
			low = i;
	}
}

double pipa_percentile(double *values, size_t n, double percent)
{
	double place, next;
	size_t below, i;

	if (!n || isnan(percent))
		return NAN;
	percent = percent < 0 ? 0 : percent > 100 ? 100 : percent;
	place = (double)(n - 1) * percent / 100;
	below = (size_t)place;
	select_value(values, n, below);
	if (below + 1 >= n || place <= (double)below)
		return values[below];
	next = values[below + 1]; /* the smallest of those after it */
	for (i = below + 2; i < n; i++)
		next = values[i] < next ? values[i] : next;
	return values[below] + (next - values[below]) * (place - (double)below);
}
