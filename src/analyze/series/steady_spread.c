#include "analyze/series/steady_spread.h"

#include <math.h>

static double mean_of(const double *values, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

/* Return the sum of products of deviations from the mean, `lag` values apart. */
static double product_sum(const double *values, size_t n, double mean, size_t lag)
{
	double sum = 0;
	size_t i;

	for (i = 0; i + lag < n; i++)
		sum += (values[i] - mean) * (values[i + lag] - mean);
	return sum;
}

double pipa_correlation_time(const double *values, size_t n)
{
	double mean = n ? mean_of(values, n) : 0, all = product_sum(values, n, mean, 0);
	double time = -1, last = INFINITY;
	size_t lag;

	if (!(all > 0))
		return 1;
	for (lag = 0; lag + 1 < n; lag += 2) {
		double even = lag ? product_sum(values, n, mean, lag) / all + 1 / (double)n : 1;
		double odd = product_sum(values, n, mean, lag + 1) / all + 1 / (double)n;
		double pair = fmin(even + odd, last);

		if (!(pair > 0))
			break;
		time += 2 * pair;
		last = pair;
	}
	return fmin(fmax(time, 1), (double)n);
}

/* Replace the values by means of blocks of equal length; values that fill no block are dropped. */
static size_t reduce_to_blocks(double *values, size_t n)
{
	size_t length = (n + PIPA_STEADY_BLOCKS - 1) / PIPA_STEADY_BLOCKS, i;

	if (length < 2)
		return n;
	for (i = 0; (i + 1) * length <= n; i++)
		values[i] = mean_of(values + i * length, length);
	return i;
}

void pipa_steady_spread(double *values, size_t n, struct pipa_spread *ret)
{
	double time, all;

	*ret = (struct pipa_spread){ .mean = NAN,
				     .sd = NAN,
				     .min = NAN,
				     .max = NAN,
				     .median = NAN,
				     .low = NAN,
				     .high = NAN };
	if (!n)
		return;
	ret->mean = mean_of(values, n);
	n = reduce_to_blocks(values, n);
	time = pipa_correlation_time(values, n);
	ret->n = (size_t)((double)n / time);
	if (!((double)n > time))
		return;
	all = product_sum(values, n, mean_of(values, n), 0);
	ret->sd = sqrt(all / ((double)n - time)); /* n - 1 if the values are independent */
}
