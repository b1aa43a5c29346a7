/* Panel of the cycles per instruction of each CPU. */
#include "job/query/plot_build_own.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/auto.h"

/* Return the CPI of the whole window: the sum of cycles by the sum of instructions. */
static int total_ratio(const struct pipa_plot_build *b, const struct pipa_metric_series *series,
		       double *ret)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from), i;
	PIPA_AUTO(free) double *a = malloc((n ? n : 1) * sizeof(*a));
	PIPA_AUTO(free) double *c = malloc((n ? n : 1) * sizeof(*c));
	double above = 0, below = 0;

	if (!a || !c)
		return -ENOMEM;
	pipa_series_read(&b->dataset->series, series->a, from, n, a);
	pipa_series_read(&b->dataset->series, series->b, from, n, c);
	for (i = 0; i < n; i++)
		if (isfinite(a[i]) && isfinite(c[i])) {
			above += a[i];
			below += c[i];
		}
	*ret = below > 0 ? above / below : NAN;
	return 0;
}

int pipa_plot_add_cpi_bars(const struct pipa_plot_build *b, const struct pipa_metric_list *list)
{
	struct pipa_plot_panel *panel;
	struct pipa_plot_series *bars;
	size_t i, cpus = 0;
	int rc;

	for (i = 0; i < list->n; i++)
		cpus += list->items[i].instance[0] != '\0' &&
			pipa_plot_input_of_series(b, &list->items[i]) ==
				pipa_plot_input_of_series(b, &list->items[0]);
	if (cpus < 2)
		return 0;
	panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_BARS);
	bars = panel ? pipa_plot_add_series(panel, "cpi") : NULL;
	rc = bars ? pipa_plot_set_text(&panel->x.label, "CPU") : -ENOMEM;
	if (!rc)
		rc = pipa_plot_set_text(&panel->y.label, "cpi");
	for (i = 0; !rc && i < list->n; i++) {
		double value;

		if (!list->items[i].instance[0] ||
		    pipa_plot_input_of_series(b, &list->items[i]) !=
			    pipa_plot_input_of_series(b, &list->items[0]))
			continue;
		rc = total_ratio(b, &list->items[i], &value);
		if (!rc)
			rc = pipa_plot_add_point(bars, (double)panel->labels.n, value);
		if (!rc)
			rc = pipa_plot_add_label(panel, list->items[i].instance);
	}
	return rc;
}
