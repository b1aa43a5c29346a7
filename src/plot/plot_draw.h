/* Draw the data of a panel into its box. */
#ifndef PIPA_PLOT_PLOT_DRAW_H
#define PIPA_PLOT_PLOT_DRAW_H

#include "plot/plot.h"

/* Complete the ranges of the axes by the data. */
void pipa_plot_fit_panel(struct pipa_plot_panel *panel);

/* Draw the data; em is the font size. 0 or -ENOMEM. */
int pipa_plot_draw_data(const struct pipa_plot_panel *panel, const struct pipa_rect *box, double em,
			struct pipa_drawing *drawing);

/* Return the line of a series. */
struct pipa_stroke pipa_plot_series_stroke(const struct pipa_plot_series *series, double em);

/* Draw the marker of a point: disc, square, triangle or diamond by the number of the series. */
void pipa_plot_draw_marker(struct pipa_drawing *drawing, struct pipa_xy at, double radius,
			   const struct pipa_plot_series *series);

/* Draw a rectangle in the colour of a series; after the first hues with stripes. */
void pipa_plot_draw_swatch(struct pipa_drawing *drawing, struct pipa_rect rect,
			   const struct pipa_plot_series *series);

#endif
