/* Panel of a scatter plot: a point per interval of two metrics. */
#include "job/query/plot_build_own.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/series/align.h"
#include "base/auto.h"
#include "base/error.h"

/* Return the series of x that belongs to one of y: of its input, and of its instance if x has several. */
static const struct pipa_metric_series *find_partner(const struct pipa_plot_build *b,
						     const struct pipa_metric_list *x,
						     const struct pipa_metric_series *y)
{
	const struct pipa_metric_series *only = NULL;
	size_t i, n = 0;

	for (i = 0; i < x->n; i++) {
		if (pipa_plot_input_of_series(b, &x->items[i]) != pipa_plot_input_of_series(b, y))
			continue;
		if (strcmp(x->items[i].instance, y->instance) == 0)
			return &x->items[i];
		only = &x->items[i];
		n++;
	}
	return n == 1 ? only : NULL;
}

static int add_pairs(const struct pipa_plot_build *b, const struct pipa_metric_series *x,
		     const struct pipa_metric_series *y, struct pipa_plot_series *points)
{
	enum { MAX_POINTS = 5000 };
	struct pipa_time_grid grid = pipa_plot_make_grid(b, y, MAX_POINTS);
	PIPA_AUTO(free) double *xs = malloc((grid.n + 1) * sizeof(*xs));
	PIPA_AUTO(free) double *ys = malloc((grid.n + 1) * sizeof(*ys));
	size_t i;
	int rc = xs && ys ? pipa_metric_align(&b->dataset->series, x, &grid, xs) : -ENOMEM;

	if (!rc)
		rc = pipa_metric_align(&b->dataset->series, y, &grid, ys);
	for (i = 0; !rc && i < grid.n; i++)
		if (isfinite(xs[i]) && isfinite(ys[i]))
			rc = pipa_plot_add_point(points, xs[i], ys[i]);
	return rc;
}

int pipa_plot_build_scatter(const struct pipa_plot_build *b, const struct pipa_metric_list *x,
			    const struct pipa_metric_list *y, struct pipa_error *err)
{
	PIPA_AUTO(free)
	struct pipa_metric_series **items = malloc((y->n + 1) *
						   sizeof(struct pipa_metric_series *));
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_POINTS);
	struct pipa_plot_naming naming;
	size_t i, n = 0, pairs = 0;
	ptrdiff_t kept;
	char text[300];
	int rc;

	if (!items || !panel)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	for (i = 0; i < y->n; i++)
		if (find_partner(b, x, &y->items[i]))
			items[n++] = &y->items[i];
	if (!n) {
		pipa_refuse(err, -ENODATA, "no instance has both %s and %s", x->items[0].metric,
			    y->items[0].metric);
		return pipa_hint(err, "choose one instance of %s by --instances",
				 x->items[0].metric);
	}
	kept = pipa_plot_keep_largest(b, items, n, PIPA_PLOT_SERIES_MAX);
	if (kept < 0)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	naming = pipa_plot_find_naming(b, items, (size_t)kept);
	rc = pipa_plot_label_axis(&panel->x, &x->items[0], true,
				  pipa_plot_unit_text(x->items[0].unit));
	if (!rc)
		rc = pipa_plot_label_axis(&panel->y, &y->items[0], !naming.metric,
					  pipa_plot_unit_text(y->items[0].unit));
	for (i = 0; !rc && i < (size_t)kept; i++) {
		struct pipa_plot_series *points = pipa_plot_add_series(
			panel, pipa_plot_name_series(b, items[i], naming, text, sizeof(text)));

		rc = points ? add_pairs(b, find_partner(b, x, items[i]), items[i], points) :
			      -ENOMEM;
		pairs += points ? points->n : 0;
	}
	if (rc < 0)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	if (b->options->is_log && b->options->kind == PIPA_PLOT_SCATTER)
		panel->x.scale = panel->y.scale = PIPA_PLOT_LOG;
	return pairs ? 0 :
		       pipa_refuse(err, -ENODATA, "%s and %s have no values at the same time",
				   x->items[0].metric, y->items[0].metric);
}
