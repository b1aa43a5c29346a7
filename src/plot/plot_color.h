/* Colours of charts: the values of web/color.js, which colour-blind readers can distinguish. */
#ifndef PIPA_PLOT_PLOT_COLOR_H
#define PIPA_PLOT_PLOT_COLOR_H

#include <stddef.h>

#include "plot/drawing.h"

/* Hues of Okabe and Ito, those with the most contrast to white first, and grey. */
enum { PIPA_PLOT_HUES = 7 };

/* Return the colour of series number `index`; they repeat after PIPA_PLOT_HUES. */
struct pipa_color pipa_plot_color(size_t index);

/* Return a colour of the sequential scale at 0 (light) to 1 (dark); values outside are clamped. */
struct pipa_color pipa_plot_scale_color(double at);

/*
 * Return the dash pattern of series number `index`: solid for the first hues, then dashed, dotted...
 * in units of the line width.
 */
void pipa_plot_dash(size_t index, double *ret_dash, double *ret_gap);

#endif
