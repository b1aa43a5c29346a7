/* A chart as SVG. */
#ifndef PIPA_PLOT_PLOT_SVG_H
#define PIPA_PLOT_PLOT_SVG_H

#include <stddef.h>

struct pipa_buf;
struct pipa_plot;

/* Append the chart. *ret_lacking as pipa_plot_draw(). 0, -ENOMEM or -EFBIG. */
int pipa_plot_write_svg(struct pipa_plot *plot, struct pipa_buf *out, size_t *ret_lacking);

#endif
