/* Panel of a roofline: operations per second over operations per byte. */
#include "job/query/plot_build_own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/series/roofline.h"
#include "base/auto.h"
#include "base/error.h"
#include "model/counter_section.h"

/* Add the points of a group of counters: its intervals, and their sum as a larger one. */
static int add_roofline_points(const struct pipa_plot_build *b, size_t group,
			       struct pipa_plot_panel *panel,
			       struct pipa_roofline_events *ret_events)
{
	const struct pipa_series_set *set = &b->dataset->series;
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, &set->groups.items[group]);
	size_t from, n = pipa_series_range(axis, &b->window, &from), i, color = panel->series.n / 2;
	PIPA_AUTO(free) double *flops = malloc((n ? n : 1) * sizeof(*flops));
	PIPA_AUTO(free) double *bytes = malloc((n ? n : 1) * sizeof(*bytes));
	const char *path =
		b->dataset->inputs
			.items[pipa_plot_input_of(b->dataset, set->groups.items[group].source)]
			.path;
	const char *base = strrchr(path, '/') && strrchr(path, '/')[1] ? strrchr(path, '/') + 1 :
									 path;
	double sum_flops = 0, sum_bytes = 0, seconds = 0;
	struct pipa_plot_series *points;
	char text[300];
	int rc = flops && bytes ?
			 pipa_roofline_read(set, group, from, n, flops, bytes, ret_events) :
			 -ENOMEM;

	if (rc < 0 || !ret_events->flops || !ret_events->bytes)
		return rc;
	snprintf(text, sizeof(text), "%s, per interval", base);
	points = pipa_plot_add_series(panel, text);
	if (!points)
		return -ENOMEM;
	points->color = color;
	points->is_faint = true;
	for (i = 0; !rc && i < n; i++) {
		double length = (double)axis->interval_s[from + i];

		if (!(flops[i] > 0) || !(bytes[i] > 0) || !(length > 0))
			continue;
		sum_flops += flops[i];
		sum_bytes += bytes[i];
		seconds += length;
		if (n > 1)
			rc = pipa_plot_add_point(points, flops[i] / bytes[i],
						 flops[i] / length / 1e9);
	}
	if (rc < 0 || !(seconds > 0))
		return rc;
	snprintf(text, sizeof(text), "%s, whole time", base);
	points = pipa_plot_add_series(panel, text);
	if (!points)
		return -ENOMEM;
	points->color = color;
	points->is_marked = true;
	return pipa_plot_add_point(points, sum_flops / sum_bytes, sum_flops / seconds / 1e9);
}

static int refuse_roofline(bool any_counters, const struct pipa_roofline_events *seen,
			   const char *path, struct pipa_error *err)
{
	if (!any_counters) {
		pipa_refuse(err, -ENODATA, "cannot draw a roofline: %s has no counters", path);
		return pipa_hint(err,
				 "record them with pipa stat -I 1000 --json -o FILE -e EVENTS");
	}
	if (!seen->flops) {
		pipa_refuse(err, -ENODATA,
			    "cannot draw a roofline: no event of floating-point operations in %s",
			    path);
		return pipa_hint(err, "count one of %s", pipa_roofline_flop_events());
	}
	if (!seen->bytes) {
		pipa_refuse(err, -ENODATA,
			    "cannot draw a roofline: no event of memory traffic in %s", path);
		return pipa_hint(err, "count one of %s", pipa_roofline_byte_events());
	}
	pipa_refuse(err, -ENODATA, "cannot draw a roofline: no interval of known length in %s",
		    path);
	return pipa_hint(err, "count in intervals: pipa stat -I 1000");
}

int pipa_plot_build_roofline(const struct pipa_plot_build *b, struct pipa_error *err)
{
	const struct pipa_series_set *set = &b->dataset->series;
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_ROOFLINE);
	struct pipa_roofline_events seen = { 0 };
	bool any_counters = false;
	size_t g, i, n = 0;
	int rc = panel ? 0 : -ENOMEM;

	for (g = 0; !rc && g < set->groups.n; g++) {
		struct pipa_roofline_events events = { 0 };

		if (set->groups.items[g].section != &pipa_counter_section)
			continue;
		any_counters = true;
		rc = add_roofline_points(b, g, panel, &events);
		seen.flops += events.flops;
		seen.bytes += events.bytes;
	}
	if (rc < 0)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	for (i = 0; i < panel->series.n; i++)
		n += panel->series.items[i].n;
	if (!n)
		return refuse_roofline(any_counters, &seen, b->options->paths[0], err);
	panel->peak_y = b->options->peak_flops / 1e9;
	panel->peak_slope = b->options->peak_bandwidth / 1e9;
	panel->x.scale = panel->y.scale = PIPA_PLOT_LOG;
	rc = pipa_plot_set_text(&panel->x.label, "arithmetic intensity (operations per byte)");
	if (!rc)
		rc = pipa_plot_set_text(&panel->y.label, "performance (Gop/s)");
	return rc < 0 ? pipa_fail(err, -ENOMEM, "draw the chart") : 0;
}
