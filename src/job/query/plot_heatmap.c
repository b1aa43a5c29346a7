/* Panel of a heat map: a row per instance, a column per interval. */
#include "job/query/plot_build_own.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/series/align.h"
#include "base/error.h"
#include "model/counter_section.h"

/*
 * Return the grid of the cells, within the intervals of the series: other series of the input may start or end a
 * fraction of an interval earlier or later, which would add a column.
 */
static struct pipa_time_grid make_cell_grid(const struct pipa_plot_build *b,
					    const struct pipa_metric_series *series)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from);
	struct pipa_plot_build own = *b;
	uint64_t length;

	if (n) {
		length = (uint64_t)llround(fmax((double)axis->interval_s[from], 0) *
					   PIPA_PLOT_SECOND);
		if (axis->wall_ns[from] - b->window.from_ns > length)
			own.window.from_ns = axis->wall_ns[from] - length;
		own.window.until_ns = axis->wall_ns[from + n - 1];
	}
	return pipa_plot_make_grid(&own, series, b->buckets / 2 + 1);
}

static int build_cells(const struct pipa_plot_build *b, const struct pipa_metric_list *list)
{
	struct pipa_time_grid grid = make_cell_grid(b, &list->items[0]);
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_CELLS);
	const struct pipa_section *section =
		b->dataset->series.groups.items[list->items[0].a.group].section;
	const char *label = section == &pipa_counter_section ? "CPU" : section->label;
	size_t i;
	int rc = panel ? pipa_plot_set_time_axis(b, &panel->x) : -ENOMEM;

	if (!rc)
		panel->cells = malloc((list->n * grid.n + 1) * sizeof(*panel->cells));
	if (!rc && !panel->cells)
		rc = -ENOMEM;
	for (i = 0; !rc && i < list->n; i++) {
		rc = pipa_plot_add_label(panel, list->items[i].instance);
		if (!rc)
			rc = pipa_metric_align(&b->dataset->series, &list->items[i], &grid,
					       panel->cells + i * grid.n);
	}
	if (rc < 0)
		return rc;
	panel->columns = grid.n;
	panel->x.min = pipa_plot_time_x(b, &list->items[0], grid.from_ns);
	panel->x.max = pipa_plot_time_x(b, &list->items[0],
					grid.from_ns + grid.interval_ns * grid.n);
	if (list->items[0].unit == PIPA_UNIT_PERCENT) {
		panel->color.min = 0;
		panel->color.max = 100;
	}
	panel->color.scale = b->options->is_log ? PIPA_PLOT_LOG : PIPA_PLOT_LINEAR;
	rc = pipa_plot_label_axis(&panel->color, &list->items[0], true,
				  pipa_plot_unit_text(list->items[0].unit));
	return rc ? rc : pipa_plot_set_text(&panel->y.label, label ? label : "");
}

int pipa_plot_build_heatmap(const struct pipa_plot_build *b, const struct pipa_metric_list *list,
			    struct pipa_error *err)
{
	struct pipa_metric_list first = { .items = list->items };
	size_t i;

	for (i = 0; i < list->n && list->items[i].a.group == list->items[0].a.group &&
		    strcmp(list->items[i].metric, list->items[0].metric) == 0;
	     i++)
		first.n++;
	if (first.n < list->n)
		pipa_log_put(&b->options->log, PIPA_LOG_WARN,
			     "a heat map has one metric of one input: only %s of %s is drawn",
			     list->items[0].metric,
			     b->dataset->inputs.items[pipa_plot_input_of_series(b, &list->items[0])]
				     .path);
	return build_cells(b, &first) < 0 ? pipa_fail(err, -ENOMEM, "draw the chart") : 0;
}
