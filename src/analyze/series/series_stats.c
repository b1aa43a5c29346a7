#include "analyze/series/series_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/auto.h"
#include "model/table.h"

size_t pipa_series_count(const struct pipa_table *t, size_t column)
{
	size_t i, n = 0;

	for (i = 0; i < t->n_ticks; i++)
		n += !isnan(pipa_table_number(t, column, i));
	return n;
}

double pipa_series_mean(const struct pipa_table *t, size_t column)
{
	double sum = 0, weight = 0;
	size_t i;

	for (i = 0; i < t->n_ticks; i++) {
		double value = pipa_table_number(t, column, i);
		double seconds = t->interval_s[i] > 0 ? t->interval_s[i] : 1;

		if (isnan(value))
			continue;
		sum += value * seconds;
		weight += seconds;
	}
	return weight > 0 ? sum / weight : NAN;
}

/* fmin() and fmax() return the other value if one is NaN */
double pipa_series_min(const struct pipa_table *t, size_t column)
{
	double least = NAN;
	size_t i;

	for (i = 0; i < t->n_ticks; i++)
		least = fmin(least, pipa_table_number(t, column, i));
	return least;
}

double pipa_series_max(const struct pipa_table *t, size_t column)
{
	double most = NAN;
	size_t i;

	for (i = 0; i < t->n_ticks; i++)
		most = fmax(most, pipa_table_number(t, column, i));
	return most;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int pipa_series_percentile(const struct pipa_table *t, size_t column, double percent, double *ret)
{
	size_t n = pipa_series_count(t, column), i, k = 0, below;
	PIPA_AUTO(free) double *sorted = NULL;
	double place;

	*ret = NAN;
	if (!n || isnan(percent))
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < t->n_ticks && k < n; i++) {
		double value = pipa_table_number(t, column, i);

		if (!isnan(value))
			sorted[k++] = value;
	}
	qsort(sorted, k, sizeof(*sorted), compare);
	percent = percent < 0 ? 0 : percent > 100 ? 100 : percent;
	place = (double)(n - 1) * percent / 100;
	below = (size_t)place;
	*ret = sorted[below];
	if (below + 1 < n)
		*ret += (sorted[below + 1] - sorted[below]) * (place - (double)below);
	return 0;
}
