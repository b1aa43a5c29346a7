/* Panels of lines and of stacked areas over time. */
#include "job/query/plot_build_own.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/series/align.h"
#include "analyze/series/downsample.h"
#include "base/auto.h"

/* Add the points of a series, reduced by M4; a gap of more than two and a half intervals interrupts. */
static int add_line_points(const struct pipa_plot_build *b, const struct pipa_metric_series *series,
			   struct pipa_plot_series *line)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from), i, points;
	double gap = 2.5 * pipa_plot_usual_interval(axis, from, n) * PIPA_PLOT_SECOND;
	size_t most = b->buckets * PIPA_DOWNSAMPLE_PER_BUCKET;
	PIPA_AUTO(free) double *values = malloc((n ? n : 1) * sizeof(*values));
	PIPA_AUTO(free)
	struct pipa_point *reduced = malloc(((n > most ? most : n) + 1) * sizeof(*reduced));
	int rc = values && reduced ?
			 pipa_metric_read(&b->dataset->series, series, from, n, values) :
			 -ENOMEM;

	if (rc < 0)
		return rc;
	points = pipa_downsample(axis->wall_ns + from, values, n, b->buckets, reduced);
	/* reduced points are further apart than intervals */
	gap = points < n ? fmax(gap, 2.5 * (double)(b->window.until_ns - b->window.from_ns) /
					     (double)b->buckets) :
			   gap;
	for (i = 0; !rc && i < points; i++) {
		double x = pipa_plot_time_x(b, series, reduced[i].wall_ns);

		if (i && (double)(reduced[i].wall_ns - reduced[i - 1].wall_ns) > gap)
			rc = pipa_plot_add_point(line, x, NAN);
		if (!rc)
			rc = pipa_plot_add_point(line, x, reduced[i].value);
	}
	return rc;
}

/*
 * Divide large sizes in kB, which sysstat counts as 1024 bytes, so that labels are short. Returns the
 * unit after it.
 */
static const char *scale_sizes(struct pipa_plot_panel *panel, enum pipa_unit unit)
{
	static const char *const units[2][3] = { { "kB", "MiB", "GiB" },
						 { "kB/s", "MiB/s", "GiB/s" } };
	double largest = 0;
	size_t i, k, step = 0;

	if (unit != PIPA_UNIT_KB && unit != PIPA_UNIT_KB_PER_SECOND)
		return pipa_plot_unit_text(unit);
	for (i = 0; i < panel->series.n; i++)
		for (k = 0; k < panel->series.items[i].n; k++)
			if (panel->series.items[i].points[k].y > largest)
				largest = panel->series.items[i].points[k].y;
	while (step < 2 && largest >= 4096) {
		largest /= 1024;
		step++;
	}
	for (i = 0; step && i < panel->series.n; i++)
		for (k = 0; k < panel->series.items[i].n; k++)
			panel->series.items[i].points[k].y /= step == 1 ? 1024.0 : 1048576.0;
	return units[unit == PIPA_UNIT_KB_PER_SECOND][step];
}

/* Percentages start at 0 and end at 100 if they are more than half of it. */
static void set_percent_range(struct pipa_plot_panel *panel)
{
	double largest = 0;
	size_t i, k;

	for (i = 0; i < panel->series.n; i++)
		for (k = 0; k < panel->series.items[i].n; k++)
			if (panel->series.items[i].points[k].y > largest)
				largest = panel->series.items[i].points[k].y;
	if (panel->y.scale == PIPA_PLOT_LOG)
		return;
	panel->y.min = 0;
	if (largest > 50 && largest <= 101)
		panel->y.max = 100;
}

int pipa_plot_add_lines(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			size_t n)
{
	struct pipa_plot_naming naming = pipa_plot_find_naming(b, items, n);
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_LINES);
	char text[300];
	size_t i;
	int rc = panel ? pipa_plot_set_time_axis(b, &panel->x) : -ENOMEM;

	for (i = 0; !rc && i < n; i++) {
		struct pipa_plot_series *line = pipa_plot_add_series(
			panel, pipa_plot_name_series(b, items[i], naming, text, sizeof(text)));

		rc = line ? add_line_points(b, items[i], line) : -ENOMEM;
	}
	if (rc < 0)
		return rc;
	panel->y.scale = b->options->is_log ? PIPA_PLOT_LOG : PIPA_PLOT_LINEAR;
	if (items[0]->unit == PIPA_UNIT_PERCENT)
		set_percent_range(panel);
	return pipa_plot_label_axis(&panel->y, items[0], !naming.metric,
				    scale_sizes(panel, items[0]->unit));
}

int pipa_plot_add_stacked(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			  size_t n)
{
	struct pipa_plot_naming naming = pipa_plot_find_naming(b, items, n);
	struct pipa_time_grid grid = pipa_plot_make_grid(b, items[0], b->buckets);
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_STACKED);
	PIPA_AUTO(free) double *values = malloc((grid.n ? grid.n : 1) * sizeof(*values));
	double largest = 0;
	char text[300];
	size_t i, k;
	int rc = panel && values ? pipa_plot_set_time_axis(b, &panel->x) : -ENOMEM;

	for (i = 0; !rc && i < n; i++) {
		struct pipa_plot_series *area = pipa_plot_add_series(
			panel, pipa_plot_name_series(b, items[i], naming, text, sizeof(text)));

		rc = area ? pipa_metric_align(&b->dataset->series, items[i], &grid, values) :
			    -ENOMEM;
		for (k = 0; !rc && k < grid.n; k++)
			rc = pipa_plot_add_point(
				area,
				pipa_plot_time_x(b, items[0],
						 grid.from_ns + grid.interval_ns * (k + 1)),
				values[k]);
	}
	if (rc < 0)
		return rc;
	for (k = 0; k < grid.n; k++) {
		double sum = 0;

		for (i = 0; i < n; i++)
			sum += fmax(panel->series.items[i].points[k].y, 0);
		largest = fmax(largest, sum);
	}
	panel->y.min = 0;
	if (items[0]->unit == PIPA_UNIT_PERCENT && largest > 50 && largest <= 101)
		panel->y.max = 100;
	return pipa_plot_label_axis(&panel->y, items[0], !naming.metric,
				    scale_sizes(panel, items[0]->unit));
}
