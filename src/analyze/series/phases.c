#include "analyze/series/phases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/series/percentile.h"
#include "base/auto.h"

enum { MEDIAN_OF = 5 };

static const char *const reasons[][PIPA_LANGUAGE_NR] = {
	[PIPA_PHASES_FOUND] = { "CPU use at the start or the end differs from its level: metrics are "
				"of the steady phase",
				"开始或结束时的 CPU 使用率偏离其水平：指标取自稳定阶段" },
	[PIPA_PHASES_ALL_STEADY] = { "CPU use stays at one level: metrics are of the whole time",
				     "CPU 使用率保持在同一水平：指标取自全部时间" },
	[PIPA_PHASES_TOO_SHORT] = { "too few intervals for phases: metrics are of the whole time",
				    "间隔太少，无法划分阶段：指标取自全部时间" },
	[PIPA_PHASES_NO_LEVEL] = { "CPU use has no steady level: metrics are of the whole time",
				   "CPU 使用率没有稳定的水平：指标取自全部时间" },
	[PIPA_PHASES_NO_SIGNAL] = { "no CPU statistics to find phases in: metrics are of the whole "
				    "time",
				    "没有可用于划分阶段的 CPU 统计：指标取自全部时间" },
};

const char *pipa_phases_text_in(enum pipa_phases_reason reason, enum pipa_language language)
{
	return reasons[reason][language];
}

const char *pipa_phases_text(enum pipa_phases_reason reason)
{
	return pipa_phases_text_in(reason, PIPA_LANGUAGE_EN);
}

const char *pipa_phases_key(enum pipa_phases_reason reason)
{
	switch (reason) {
	case PIPA_PHASES_FOUND: return "found";
	case PIPA_PHASES_ALL_STEADY: return "all_steady";
	case PIPA_PHASES_TOO_SHORT: return "too_short";
	case PIPA_PHASES_NO_LEVEL: return "no_level";
	case PIPA_PHASES_NO_SIGNAL: break;
	}
	return "no_signal";
}

/* Return the median of the values around index i; NaN if all are missing. */
static double moving_median(const double *values, size_t n, size_t i)
{
	double near[MEDIAN_OF];
	size_t from = i < MEDIAN_OF / 2 ? 0 : i - MEDIAN_OF / 2, count = 0;

	for (; from < n && from <= i + MEDIAN_OF / 2; from++)
		near[count++] = values[from];
	return pipa_percentile(near, pipa_drop_missing(near, count), 50);
}

/* Compute level and tolerance of the values; scratch has room for n. */
static void find_level(const double *values, size_t n, double *scratch, struct pipa_phases *ret)
{
	size_t count, i;
	double range, deviation;

	memcpy(scratch, values, n * sizeof(*values));
	count = pipa_drop_missing(scratch, n);
	range = pipa_percentile(scratch, count, 95) - pipa_percentile(scratch, count, 5);
	memcpy(scratch, values + n / 4, (n / 2) * sizeof(*values));
	count = pipa_drop_missing(scratch, n / 2);
	for (i = 0; i + 1 < count; i++)
		scratch[i] = fabs(scratch[i + 1] - scratch[i]);
	deviation = 1.4826 / sqrt(2) * pipa_percentile(scratch, count ? count - 1 : 0, 50);
	memcpy(scratch, values + n / 4, (n / 2) * sizeof(*values));
	ret->level = pipa_percentile(scratch, pipa_drop_missing(scratch, n / 2), 50);
	ret->tolerance = fmax(fmax(3 * deviation, range / 10), 2);
}

int pipa_phases_divide(const double *values, size_t n, size_t *ret_first, size_t *ret_last,
		       struct pipa_phases *ret)
{
	PIPA_AUTO(free) double *scratch = malloc((n ? n : 1) * sizeof(*scratch));
	size_t i, first = n, last = 0, inside = 0, present = 0;

	if (!scratch)
		return -ENOMEM;
	*ret_first = 0;
	*ret_last = n ? n - 1 : 0;
	ret->level = ret->tolerance = NAN;
	ret->reason = PIPA_PHASES_TOO_SHORT;
	if (n < PIPA_PHASES_MIN)
		return 0;
	find_level(values, n, scratch, ret);
	for (i = 0; i < n; i++) {
		double value = moving_median(values, n, i);

		present += !isnan(value);
		if (isnan(value) || !(fabs(value - ret->level) <= ret->tolerance))
			continue;
		first = first == n ? i : first;
		last = i;
		inside++;
	}
	ret->reason = PIPA_PHASES_NO_LEVEL;
	if (2 * inside < present || !inside || 2 * (last - first + 1) < n)
		return 0;
	ret->reason = first || last + 1 < n ? PIPA_PHASES_FOUND : PIPA_PHASES_ALL_STEADY;
	*ret_first = first;
	*ret_last = last;
	return 0;
}

/* Return the start of the first interval; one of unknown length is as long as the next. */
static uint64_t start_of_axis(const struct pipa_series_axis *axis)
{
	uint64_t length_ns = (uint64_t)((double)axis->interval_s[0] * 1e9);

	if (!length_ns && axis->n > 1)
		length_ns = axis->wall_ns[1] - axis->wall_ns[0];
	return length_ns < axis->wall_ns[0] ? axis->wall_ns[0] - length_ns : 0;
}

/* Set the time of the whole measurement: from the first to the last interval. */
static void set_bounds(const struct pipa_series_set *set, struct pipa_phases *ret)
{
	bool wall = pipa_series_has_wall_clock(set);
	size_t i;

	for (i = 0; i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];
		const struct pipa_series_axis *axis = pipa_series_axis_of(set, group);

		if (!axis->n ||
		    (wall && set->sources.items[group->source].clock == PIPA_CLOCK_ELAPSED))
			continue;
		if (!ret->end_ns || start_of_axis(axis) < ret->begin_ns)
			ret->begin_ns = start_of_axis(axis);
		if (axis->wall_ns[axis->n - 1] > ret->end_ns)
			ret->end_ns = axis->wall_ns[axis->n - 1];
	}
	ret->steady = (struct pipa_time_window){ ret->begin_ns, ret->end_ns };
}

int pipa_phases_find(const struct pipa_series_set *set, struct pipa_phases *ret)
{
	PIPA_AUTO(free) double *busy = NULL;
	const struct pipa_series_axis *axis;
	struct pipa_series_ref ref;
	size_t i, first, last;
	int rc;

	*ret = (struct pipa_phases){ .reason = PIPA_PHASES_NO_SIGNAL,
				     .level = NAN,
				     .tolerance = NAN };
	set_bounds(set, ret);
	if (pipa_series_find(set, "cpu.idle", "all", &ref) < 0)
		return 0;
	axis = pipa_series_axis_of(set, &set->groups.items[ref.group]);
	busy = malloc((axis->n ? axis->n : 1) * sizeof(*busy));
	if (!busy)
		return -ENOMEM;
	pipa_series_read(set, ref, 0, axis->n, busy);
	for (i = 0; i < axis->n; i++)
		busy[i] = busy[i] >= 0 && busy[i] <= 101 ? 100 - busy[i] : NAN;
	rc = pipa_phases_divide(busy, axis->n, &first, &last, ret);
	if (rc < 0 || ret->reason != PIPA_PHASES_FOUND)
		return rc;
	ret->steady.from_ns = first ? axis->wall_ns[first - 1] : ret->begin_ns;
	ret->steady.until_ns = last + 1 < axis->n ? axis->wall_ns[last] : ret->end_ns;
	return 0;
}
