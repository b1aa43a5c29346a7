#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "plot/plot_pdf.h"
#include "plot/plot_png.h"
#include "plot/plot_svg.h"

void pipa_plot_done(struct pipa_plot *plot)
{
	size_t i, k;

	for (i = 0; i < plot->panels.n; i++) {
		struct pipa_plot_panel *panel = &plot->panels.items[i];

		for (k = 0; k < panel->series.n; k++) {
			free(panel->series.items[k].name);
			free(panel->series.items[k].points);
		}
		for (k = 0; k < panel->labels.n; k++)
			free(panel->labels.items[k]);
		free(panel->series.items);
		free(panel->labels.items);
		free(panel->cells);
		free(panel->x.label);
		free(panel->y.label);
		free(panel->color.label);
	}
	free(plot->panels.items);
	free(plot->title);
	*plot = (struct pipa_plot){ 0 };
}

struct pipa_plot_panel *pipa_plot_add_panel(struct pipa_plot *plot, enum pipa_panel_kind kind)
{
	struct pipa_plot_panel *panel = PIPA_VEC_ADD(&plot->panels);

	if (!panel)
		return NULL;
	panel->kind = kind;
	panel->x.min = panel->x.max = NAN;
	panel->y.min = panel->y.max = NAN;
	panel->color.min = panel->color.max = NAN;
	return panel;
}

struct pipa_plot_series *pipa_plot_add_series(struct pipa_plot_panel *panel, const char *name)
{
	struct pipa_plot_series *series = PIPA_VEC_ADD(&panel->series);

	if (!series)
		return NULL;
	series->color = panel->series.n - 1;
	series->name = strdup(name);
	return series->name ? series : NULL;
}

int pipa_plot_add_point(struct pipa_plot_series *series, double x, double y)
{
	struct {
		struct pipa_xy *items;
		size_t n, cap;
	} points = { series->points, series->n, series->cap };
	struct pipa_xy *point = PIPA_VEC_ADD(&points);

	if (!point)
		return -ENOMEM;
	*point = (struct pipa_xy){ x, y };
	series->points = points.items;
	series->n = points.n;
	series->cap = points.cap;
	return 0;
}

int pipa_plot_add_label(struct pipa_plot_panel *panel, const char *label)
{
	char **slot = PIPA_VEC_ADD(&panel->labels);

	if (!slot)
		return -ENOMEM;
	*slot = strdup(label);
	return *slot ? 0 : -ENOMEM;
}

int pipa_plot_set_text(char **field, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

int pipa_plot_write(struct pipa_plot *plot, enum pipa_plot_format format, struct pipa_buf *out,
		    size_t *ret_lacking)
{
	switch (format) {
	case PIPA_PLOT_SVG: return pipa_plot_write_svg(plot, out, ret_lacking);
	case PIPA_PLOT_PDF: return pipa_plot_write_pdf(plot, out, ret_lacking);
	case PIPA_PLOT_PNG: return pipa_plot_write_png(plot, out, ret_lacking);
	}
	return -EINVAL;
}
