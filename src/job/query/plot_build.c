#include "job/query/plot_build.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "job/query/plot_build_own.h"

typedef int (*panel_builder)(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			     size_t n);

/* Are the series measured on one axis: of the same unit, or of the same metric if they have none? */
static bool same_quantity(const struct pipa_metric_series *a, const struct pipa_metric_series *b)
{
	if (a->unit != b->unit)
		return false;
	return a->unit != PIPA_UNIT_NONE || strcmp(a->metric, b->metric) == 0;
}

/* Give all panels, which have one time axis, the same range. */
static void share_time_range(struct pipa_plot *plot, bool from_zero)
{
	double min = NAN, max = NAN;
	size_t i, k, p;

	for (p = 0; p < plot->panels.n; p++) {
		const struct pipa_plot_panel *panel = &plot->panels.items[p];

		for (i = 0; i < panel->series.n; i++)
			for (k = 0; k < panel->series.items[i].n; k++) {
				double x = panel->series.items[i].points[k].x;

				min = isnan(min) ? x : fmin(min, x);
				max = isnan(max) ? x : fmax(max, x);
			}
	}
	if (from_zero && min > 0)
		min = 0;
	for (p = 0; p < plot->panels.n && max > min; p++) {
		plot->panels.items[p].x.min = min;
		plot->panels.items[p].x.max = max;
	}
}

static bool starts_at_zero(const struct pipa_plot_build *b)
{
	return b->is_elapsed && !(b->options->from && *b->options->from);
}

/* Build a panel per unit. */
static int build_by_unit(const struct pipa_plot_build *b, const struct pipa_metric_list *list,
			 panel_builder add_panel, struct pipa_error *err)
{
	PIPA_AUTO(free)
	struct pipa_metric_series **items = malloc((list->n + 1) *
						   sizeof(struct pipa_metric_series *));
	PIPA_AUTO(free) bool *used = calloc(list->n + 1, sizeof(*used));
	size_t i, k, panels = 0;

	if (!items || !used)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	for (i = 0; i < list->n; i++) {
		ptrdiff_t kept;
		size_t n = 0;

		if (used[i])
			continue;
		for (k = i; k < list->n; k++)
			if (!used[k] && same_quantity(&list->items[i], &list->items[k])) {
				items[n++] = &list->items[k];
				used[k] = true;
			}
		kept = pipa_plot_keep_largest(b, items, n, PIPA_PLOT_SERIES_MAX);
		if (kept == 0)
			continue;
		if (panels++ == PIPA_PLOT_PANELS_MAX) {
			pipa_refuse(err, -EINVAL, "cannot draw metrics of more than %d units",
				    PIPA_PLOT_PANELS_MAX);
			return pipa_hint(err, "choose fewer metrics");
		}
		if (kept < 0 || add_panel(b, items, (size_t)kept) < 0)
			return pipa_fail(err, -ENOMEM, "draw the chart");
	}
	return 0;
}

static int build_cpi(const struct pipa_plot_build *b, const struct pipa_metric_list *list,
		     struct pipa_error *err)
{
	int rc = build_by_unit(b, list, pipa_plot_add_lines, err);

	if (rc < 0)
		return rc;
	share_time_range(b->plot, starts_at_zero(b));
	return pipa_plot_add_cpi_bars(b, list) < 0 ? pipa_fail(err, -ENOMEM, "draw the chart") : 0;
}

int pipa_plot_build_panels(struct pipa_plot_build *b, const struct pipa_metric_list *list,
			   const struct pipa_metric_list *x, const struct pipa_metric_list *y,
			   struct pipa_error *err)
{
	int rc = -EINVAL;

	switch (b->options->kind) {
	case PIPA_PLOT_LINES:
		rc = build_by_unit(b, list, pipa_plot_add_lines, err);
		share_time_range(b->plot, starts_at_zero(b));
		break;
	case PIPA_PLOT_STACKED:
		rc = build_by_unit(b, list, pipa_plot_add_stacked, err);
		share_time_range(b->plot, starts_at_zero(b));
		break;
	case PIPA_PLOT_HISTOGRAM: rc = build_by_unit(b, list, pipa_plot_add_histogram, err); break;
	case PIPA_PLOT_SCATTER: rc = pipa_plot_build_scatter(b, x, y, err); break;
	case PIPA_PLOT_HEATMAP: rc = pipa_plot_build_heatmap(b, list, err); break;
	case PIPA_PLOT_ROOFLINE: rc = pipa_plot_build_roofline(b, err); break;
	case PIPA_PLOT_CPI:
		rc = x->n ? pipa_plot_build_scatter(b, x, y, err) : build_cpi(b, list, err);
		break;
	case PIPA_PLOT_KIND_NR: break;
	}
	if (!rc && !b->plot->panels.n)
		return pipa_refuse(err, -ENODATA, "no values to draw in the time range");
	return rc;
}
