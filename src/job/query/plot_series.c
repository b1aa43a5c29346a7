/* Series of a chart: their names, and which of many are drawn. */
#include "job/query/plot_build_own.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "model/counter_section.h"

size_t pipa_plot_input_of(const struct pipa_dataset *dataset, size_t source)
{
	const char *name = dataset->series.sources.items[source].name;
	size_t i, best = 0, longest = 0;

	for (i = 0; i < dataset->inputs.n; i++) {
		size_t len = strlen(dataset->inputs.items[i].path);

		if (len >= longest && strncmp(name, dataset->inputs.items[i].path, len) == 0) {
			best = i;
			longest = len;
		}
	}
	return best;
}

size_t pipa_plot_input_of_series(const struct pipa_plot_build *b,
				 const struct pipa_metric_series *series)
{
	const struct pipa_series_set *set = &b->dataset->series;

	return pipa_plot_input_of(b->dataset, set->groups.items[series->a.group].source);
}

struct pipa_plot_naming pipa_plot_find_naming(const struct pipa_plot_build *b,
					      struct pipa_metric_series **items, size_t n)
{
	struct pipa_plot_naming naming = { 0 };
	size_t i;

	for (i = 1; i < n; i++) {
		naming.metric |= strcmp(items[i]->metric, items[0]->metric) != 0;
		naming.instance |= strcmp(items[i]->instance, items[0]->instance) != 0;
		naming.input |= pipa_plot_input_of_series(b, items[i]) !=
				pipa_plot_input_of_series(b, items[0]);
	}
	return naming;
}

const char *pipa_plot_name_series(const struct pipa_plot_build *b,
				  const struct pipa_metric_series *series,
				  struct pipa_plot_naming naming, char *text, size_t size)
{
	const struct pipa_section *section =
		b->dataset->series.groups.items[series->a.group].section;
	const char *label = section->label && section != &pipa_counter_section ? section->label :
										 "CPU";
	bool number = series->instance[0] >= '0' && series->instance[0] <= '9';
	const char *path = b->dataset->inputs.items[pipa_plot_input_of_series(b, series)].path;
	const char *base = strrchr(path, '/') && strrchr(path, '/')[1] ? strrchr(path, '/') + 1 :
									 path;
	int len = 0;

	naming.metric |= !naming.instance && !naming.input;
	text[0] = '\0';
	if (naming.metric)
		len = snprintf(text, size, "%s", series->metric);
	if (naming.instance && len >= 0 && (size_t)len < size)
		len += snprintf(text + len, size - (size_t)len, "%s%s%s%s", len ? " " : "",
				number ? label : "", number ? " " : "",
				*series->instance ? series->instance : "total");
	if (naming.input && len >= 0 && (size_t)len < size)
		snprintf(text + len, size - (size_t)len, len ? " (%s)" : "%s", base);
	return text;
}

/* Return the mean of a series in the window, NaN without values. */
static int mean_of(const struct pipa_plot_build *b, const struct pipa_metric_series *series,
		   double *ret)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from), i, known = 0;
	PIPA_AUTO(free) double *values = malloc((n ? n : 1) * sizeof(*values));
	int rc = values ? pipa_metric_read(&b->dataset->series, series, from, n, values) : -ENOMEM;
	double sum = 0;

	for (i = 0; !rc && i < n; i++)
		if (isfinite(values[i])) {
			sum += values[i];
			known++;
		}
	*ret = known ? sum / (double)known : NAN;
	return rc;
}

struct ranked {
	struct pipa_metric_series *series;
	size_t index;
	double mean;
};

static int by_mean(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->mean < y->mean ? 1 : x->mean > y->mean ? -1 : 0;
}

static int by_index(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

ptrdiff_t pipa_plot_keep_largest(const struct pipa_plot_build *b, struct pipa_metric_series **items,
				 size_t n, size_t max)
{
	PIPA_AUTO(free) struct ranked *ranked = malloc((n ? n : 1) * sizeof(*ranked));
	size_t i, kept = 0;

	if (!ranked)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		struct ranked *r = &ranked[kept];

		*r = (struct ranked){ items[i], i, NAN };
		if (mean_of(b, items[i], &r->mean) < 0)
			return -ENOMEM;
		kept += !isnan(r->mean);
	}
	if (kept > max) {
		qsort(ranked, kept, sizeof(*ranked), by_mean);
		pipa_log_put(
			&b->options->log, PIPA_LOG_WARN,
			"%s: the %zu largest of %zu series are drawn; choose others by --instances",
			ranked[0].series->metric, max, kept);
		kept = max;
		qsort(ranked, kept, sizeof(*ranked), by_index);
	}
	for (i = 0; i < kept; i++)
		items[i] = ranked[i].series;
	return (ptrdiff_t)kept;
}
