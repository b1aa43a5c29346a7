#include "analyze/series/series_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/series/percentile.h"
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

int pipa_series_percentile(const struct pipa_table *t, size_t column, double percent, double *ret)
{
	PIPA_AUTO(free) double *values = malloc((t->n_ticks ? t->n_ticks : 1) * sizeof(*values));
	size_t i;

	if (!values)
		return -ENOMEM;
	for (i = 0; i < t->n_ticks; i++)
		values[i] = pipa_table_number(t, column, i);
	*ret = pipa_percentile(values, pipa_drop_missing(values, t->n_ticks), percent);
	return 0;
}
