#include "analyze/series/align.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/series/series_summary.h"
#include "base/auto.h"
#include "base/cpus.h"

struct pipa_time_grid pipa_time_grid_make(uint64_t from_ns, uint64_t until_ns, uint64_t interval_ns,
					  size_t max)
{
	struct pipa_time_grid grid = { .from_ns = from_ns,
				       .interval_ns = interval_ns ? interval_ns : 1 };
	uint64_t span = until_ns > from_ns ? until_ns - from_ns : 0, least;

	max = max ? max : 1;
	least = span / max + (span % max != 0);
	if (grid.interval_ns < least) /* a multiple: intervals of the series are not divided */
		grid.interval_ns *= least / grid.interval_ns + (least % grid.interval_ns != 0);
	grid.n = (size_t)(span / grid.interval_ns + (span % grid.interval_ns != 0));
	return grid;
}

/* Return the start of interval i of an axis; one of unknown length starts at the end before it. */
static uint64_t start_of(const struct pipa_series_axis *axis, size_t i)
{
	double length_ns = (double)axis->interval_s[i] * 1e9;
	uint64_t end = axis->wall_ns[i], before = i ? axis->wall_ns[i - 1] : 0;

	if (length_ns <= 0)
		return i ? before : end - (end ? 1 : 0);
	if (length_ns >= (double)end)
		return before;
	end -= (uint64_t)length_ns;
	return end > before ? end : before; /* intervals do not overlap */
}

int pipa_series_align(const struct pipa_series_set *set, struct pipa_series_ref ref,
		      const struct pipa_time_grid *grid, double *ret)
{
	const struct pipa_series_group *group = &set->groups.items[ref.group];
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, group);
	PIPA_AUTO(free) double *values = malloc((axis->n ? axis->n : 1) * sizeof(*values));
	PIPA_AUTO(free) double *weights = calloc(grid->n ? grid->n : 1, sizeof(*weights));
	uint64_t grid_end = grid->from_ns + grid->interval_ns * grid->n;
	size_t i, k;

	if (!values || !weights)
		return -ENOMEM;
	pipa_series_read(set, ref, 0, axis->n, values);
	pipa_series_repair(&group->section->columns[ref.column], values, axis->n);
	for (k = 0; k < grid->n; k++)
		ret[k] = 0;
	for (i = 0; i < axis->n; i++) {
		uint64_t from = start_of(axis, i), until = axis->wall_ns[i];

		if (isnan(values[i]) || until <= grid->from_ns || from >= grid_end)
			continue;
		from = from > grid->from_ns ? from : grid->from_ns;
		until = until < grid_end ? until : grid_end;
		for (k = (size_t)((from - grid->from_ns) / grid->interval_ns); from < until; k++) {
			uint64_t end = grid->from_ns + (k + 1) * grid->interval_ns;
			double overlap = (double)((end < until ? end : until) - from);

			ret[k] += values[i] * overlap;
			weights[k] += overlap;
			from = end;
		}
	}
	for (k = 0; k < grid->n; k++)
		ret[k] = weights[k] > 0 ? ret[k] / weights[k] : NAN;
	return 0;
}

int pipa_series_cpu_mean(const struct pipa_series_set *set, struct pipa_series_ref ref,
			 const struct pipa_cpus *cpus, size_t from, size_t n, double *ret)
{
	const struct pipa_series_group *group = &set->groups.items[ref.group];
	PIPA_AUTO(free) double *values = malloc((n ? n : 1) * sizeof(*values));
	PIPA_AUTO(free) double *counts = calloc(n ? n : 1, sizeof(*counts));
	size_t i, k;

	if (!values || !counts)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		ret[i] = 0;
	for (k = 0; k < cpus->n; k++) {
		char name[16];
		ptrdiff_t row;

		snprintf(name, sizeof(name), "%d", cpus->items[k]);
		row = pipa_series_find_row(group, name);
		if (row < 0)
			continue;
		ref.row = (size_t)row;
		pipa_series_read(set, ref, from, n, values);
		pipa_series_repair(&group->section->columns[ref.column], values, n);
		for (i = 0; i < n; i++)
			if (!isnan(values[i])) {
				ret[i] += values[i];
				counts[i]++;
			}
	}
	for (i = 0; i < n; i++)
		ret[i] = counts[i] > 0 ? ret[i] / counts[i] : NAN;
	return 0;
}
