#include "analyze/report/signal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/series/percentile.h"
#include "base/auto.h"
#include "model/counter_section.h"

/* The intervals of a group that are in the window. */
struct intervals {
	const struct pipa_series_axis *axis;
	size_t group, from, n;
};

static struct intervals intervals_of(const struct pipa_series_set *set, size_t group,
				     const struct pipa_time_window *window)
{
	struct intervals in = { .axis = pipa_series_axis_of(set, &set->groups.items[group]),
				.group = group };

	in.n = pipa_series_group_range(set, &set->groups.items[group], window, &in.from);
	return in;
}

/* Return the length of an interval, 1 s if it is unknown. */
static double seconds_of(const struct intervals *in, size_t i)
{
	double seconds = (double)in->axis->interval_s[in->from + i];

	return seconds > 0 ? seconds : 1;
}

/* Compute the weighted mean of the values, then drop missing ones. */
static void finish_signal(struct pipa_signal *signal, const struct intervals *in)
{
	double sum = 0, weight = 0;
	size_t i;

	for (i = 0; i < signal->n; i++) {
		if (isnan(signal->values[i]))
			continue;
		sum += signal->values[i] * seconds_of(in, i);
		weight += seconds_of(in, i);
	}
	signal->mean = weight > 0 ? sum / weight : NAN;
	signal->n = pipa_drop_missing(signal->values, signal->n);
}

int pipa_signal_column(const struct pipa_series_set *set, struct pipa_series_ref ref,
		       const struct pipa_time_window *window, struct pipa_signal *ret)
{
	const struct intervals in = intervals_of(set, ref.group, window);
	const struct pipa_column *column =
		&set->groups.items[ref.group].section->columns[ref.column];
	size_t i;

	*ret = (struct pipa_signal){ .n = in.n, .mean = NAN, .sum = NAN };
	ret->values = malloc((in.n + 1) * sizeof(*ret->values));
	if (!ret->values)
		return -ENOMEM;
	pipa_series_read(set, ref, in.from, in.n, ret->values);
	pipa_series_repair(column, ret->values, in.n);
	for (i = 0; column->kind == PIPA_METRIC_DELTA && i < in.n; i++)
		ret->values[i] /= seconds_of(&in, i);
	finish_signal(ret, &in);
	return 0;
}

int pipa_signal_cpu_time(const struct pipa_series_set *set, const char *cpu,
			 enum pipa_cpu_time time, const struct pipa_time_window *window,
			 struct pipa_signal *ret)
{
	double sum = 0;
	ptrdiff_t n;
	size_t i;

	*ret = (struct pipa_signal){ .mean = NAN, .sum = NAN };
	n = pipa_cpu_time_read(set, cpu, time, window, &ret->values);
	if (n < 0)
		return (int)n;
	ret->n = ret->values ? pipa_drop_missing(ret->values, (size_t)n) : 0;
	for (i = 0; i < ret->n; i++)
		sum += ret->values[i];
	ret->mean = ret->n ? sum / (double)ret->n : NAN;
	return 0;
}

/* ---- counters ------------------------------------------------------------------------------------ */

/* Add the counts of an event on all CPUs to sums[], which are NaN before. Returns whether it was counted. */
static bool add_event(const struct pipa_series_set *set, const struct intervals *in,
		      const char *event, double *sums, double *part)
{
	const struct pipa_series_group *group = &set->groups.items[in->group];
	const struct pipa_column *column = &group->section->columns[PIPA_COL_COUNTER_VALUE];
	bool counted = false;
	size_t row, i;

	for (i = 0; i < in->n; i++)
		sums[i] = NAN;
	for (row = 0; event && row < group->n; row++) {
		if (!pipa_counter_is_of(group->items[row].instance, event))
			continue;
		pipa_series_read(set,
				 (struct pipa_series_ref){ in->group, row, PIPA_COL_COUNTER_VALUE },
				 in->from, in->n, part);
		pipa_series_repair(column, part, in->n);
		for (i = 0; i < in->n; i++)
			if (!isnan(part[i])) {
				sums[i] = (isnan(sums[i]) ? 0 : sums[i]) + part[i];
				counted = true;
			}
	}
	return counted;
}

int pipa_signal_events(const struct pipa_series_set *set, const struct pipa_event_ratio *ratio,
		       const struct pipa_time_window *window, struct pipa_signal *ret)
{
	ptrdiff_t group = pipa_series_main_group(set, pipa_counter_section.name);
	PIPA_AUTO(free) double *under = NULL;
	PIPA_AUTO(free) double *part = NULL;
	double over_sum = 0, under_sum = 0;
	struct intervals in;
	bool counted = false;
	size_t i, spelling;

	*ret = (struct pipa_signal){ .mean = NAN, .sum = NAN };
	if (group < 0)
		return 0;
	in = intervals_of(set, (size_t)group, window);
	ret->values = malloc((in.n + 1) * sizeof(*ret->values));
	under = malloc((in.n + 1) * sizeof(*under));
	part = malloc((in.n + 1) * sizeof(*part));
	if (!ret->values || !under || !part)
		return -ENOMEM;
	for (spelling = 0; !counted && spelling < PIPA_COUNT(ratio->over); spelling++)
		counted = add_event(set, &in, ratio->over[spelling], ret->values, part) &&
			  (!ratio->under[0] ||
			   add_event(set, &in, ratio->under[spelling], under, part));
	if (!counted)
		return 0;
	for (i = 0; i < in.n; i++) {
		double by = ratio->under[0] ? under[i] : seconds_of(&in, i);

		if (isnan(ret->values[i]) || !(by > 0)) {
			ret->values[i] = NAN;
			continue;
		}
		over_sum += ret->values[i];
		under_sum += by;
		ret->values[i] = ratio->scale * ret->values[i] / by;
	}
	ret->n = pipa_drop_missing(ret->values, in.n);
	ret->sum = over_sum;
	ret->mean = under_sum > 0 ? ratio->scale * over_sum / under_sum : NAN;
	return 0;
}

void pipa_signal_done(struct pipa_signal *signal)
{
	free(signal->values);
	*signal = (struct pipa_signal){ 0 };
}
