#include "analyze/series/series_summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/series/percentile.h"
#include "base/auto.h"

/* Percentages of processes and cgroups count CPUs and exceed 100. */
static bool is_bounded(const struct pipa_column *column)
{
	static const char *const unbounded[] = { "processes.",	"threads.", "cgroups.",
						 "process-io.", "limits.",  "mem.commit",
						 "paging." };
	size_t i;

	if (column->unit != PIPA_UNIT_PERCENT)
		return false;
	for (i = 0; i < PIPA_COUNT(unbounded); i++)
		if (strncmp(column->id, unbounded[i], strlen(unbounded[i])) == 0)
			return false;
	return true;
}

enum pipa_impossible pipa_series_check(const struct pipa_column *column, double value)
{
	if (isnan(value) || column->kind == PIPA_METRIC_ATTRIBUTE)
		return PIPA_POSSIBLE;
	if (value < 0 && column->unit != PIPA_UNIT_CELSIUS)
		return PIPA_IMPOSSIBLE_NEGATIVE;
	if (value > 101 && is_bounded(column))
		return PIPA_IMPOSSIBLE_OVER_100;
	return fabs(value) > 1e18 ? PIPA_IMPOSSIBLE_HUGE : PIPA_POSSIBLE;
}

enum { LANES = 8 };

/*
 * Are LANES values from 0 to a limit, of which these are the bits? False for minus zero and NaN too.
 * Integers are compared, because doubles of at least 0 are in the order of their bits.
 */
static inline bool are_within(const double *values, uint64_t limit)
{
	uint64_t bits, wrong = 0;
	size_t i;

	for (i = 0; i < LANES; i++) {
		memcpy(&bits, &values[i], sizeof(bits));
		wrong |= (limit - bits) | bits;
	}
	return !(wrong >> 63);
}

size_t pipa_series_repair(const struct pipa_column *column, double *values, size_t n)
{
	bool bounded = is_bounded(column), is_attribute = column->kind == PIPA_METRIC_ATTRIBUTE;
	double low = column->unit == PIPA_UNIT_CELSIUS ? -1e18 : 0, high = bounded ? 101 : 1e18;
	const double most = bounded ? 100 : high; /* is not changed */
	size_t i, end, bad = 0;
	uint64_t limit;

	memcpy(&limit, &most, sizeof(limit));
	/* the limits of pipa_series_check(), without a call per value */
	for (i = 0; i < n && !is_attribute; i = end) {
		end = i + LANES < n ? i + LANES : n;
		if (end == i + LANES && are_within(values + i, limit))
			continue;
		for (; i < end; i++) {
			double value = values[i];

			if (value < low || value > high) {
				values[i] = NAN;
				bad++;
			} else if (bounded && value > 100) {
				values[i] = 100;
			}
		}
	}
	return bad;
}

/* Return the index of the first interval that ends after a time. */
static size_t first_after(const struct pipa_series_axis *axis, uint64_t wall_ns)
{
	size_t low = 0, high = axis->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (axis->wall_ns[middle] <= wall_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t pipa_series_range(const struct pipa_series_axis *axis, const struct pipa_time_window *window,
			 size_t *ret_from)
{
	size_t until = axis->n;

	*ret_from = 0;
	if (!window)
		return axis->n;
	*ret_from = window->from_ns ? first_after(axis, window->from_ns) : 0;
	if (window->until_ns)
		until = first_after(axis, window->until_ns);
	return until > *ret_from ? until - *ret_from : 0;
}

bool pipa_series_has_wall_clock(const struct pipa_series_set *set)
{
	size_t i;

	for (i = 0; i < set->sources.n; i++)
		if (set->sources.items[i].clock != PIPA_CLOCK_ELAPSED)
			return true;
	return false;
}

size_t pipa_series_group_range(const struct pipa_series_set *set,
			       const struct pipa_series_group *group,
			       const struct pipa_time_window *window, size_t *ret_from)
{
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, group);
	bool is_elapsed = set->sources.items[group->source].clock == PIPA_CLOCK_ELAPSED;

	if (axis->n == 1 || (is_elapsed && pipa_series_has_wall_clock(set)))
		window = NULL;
	return pipa_series_range(axis, window, ret_from);
}

ptrdiff_t pipa_series_main_group(const struct pipa_series_set *set, const char *section)
{
	ptrdiff_t best = -ENOENT;
	size_t i;

	for (i = 0; i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];

		if (group->n && strcmp(group->section->name, section) == 0 &&
		    (best < 0 || group->n_ticks > set->groups.items[best].n_ticks))
			best = (ptrdiff_t)i;
	}
	return best;
}

void pipa_summarize(double *values, size_t n, struct pipa_series_summary *ret)
{
	double sum = 0, squares = 0, min = INFINITY, max = -INFINITY, mean;
	size_t i;

	*ret = (struct pipa_series_summary){
		.mean = NAN, .min = NAN, .max = NAN, .sd = NAN, .p95 = NAN
	};
	n = pipa_drop_missing(values, n);
	for (i = 0; i < n; i++) {
		double value = values[i];

		sum += value;
		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	ret->n = n;
	if (!n)
		return;
	ret->min = min;
	ret->max = max;
	ret->sum = sum;
	ret->mean = mean = sum / (double)n;
	for (i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	if (n > 1)
		ret->sd = sqrt(squares / (double)(n - 1));
	ret->p95 = pipa_percentile(values, n, 95);
}

/* Read and repair the values of a range, and compute their mean weighted by the lengths of intervals. */
static double read_weighted(const struct pipa_series_set *set, struct pipa_series_ref ref,
			    size_t from, size_t n, double *values, size_t *ret_bad)
{
	const struct pipa_series_group *group = &set->groups.items[ref.group];
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, group);
	double sum = 0, weight = 0;
	size_t i;

	pipa_series_read(set, ref, from, n, values);
	*ret_bad = pipa_series_repair(&group->section->columns[ref.column], values, n);
	for (i = 0; i < n; i++) {
		double seconds = axis->interval_s[from + i] > 0 ?
					 (double)axis->interval_s[from + i] :
					 1;

		if (isnan(values[i]))
			continue;
		sum += values[i] * seconds;
		weight += seconds;
	}
	return weight > 0 ? sum / weight : NAN;
}

int pipa_series_weighted_mean(const struct pipa_series_set *set, struct pipa_series_ref ref,
			      const struct pipa_time_window *window, double *ret)
{
	size_t from, bad,
		n = pipa_series_group_range(set, &set->groups.items[ref.group], window, &from);
	PIPA_AUTO(free) double *values = malloc((n ? n : 1) * sizeof(*values));

	if (!values)
		return -ENOMEM;
	*ret = read_weighted(set, ref, from, n, values, &bad);
	return 0;
}

int pipa_series_summarize(const struct pipa_series_set *set, struct pipa_series_ref ref,
			  const struct pipa_time_window *window, struct pipa_series_summary *ret)
{
	size_t from, bad,
		n = pipa_series_group_range(set, &set->groups.items[ref.group], window, &from);
	PIPA_AUTO(free) double *values = malloc((n ? n : 1) * sizeof(*values));
	double mean;

	if (!values)
		return -ENOMEM;
	mean = read_weighted(set, ref, from, n, values, &bad);
	pipa_summarize(values, n, ret);
	ret->bad = bad;
	if (!isnan(mean))
		ret->mean = mean;
	return 0;
}
