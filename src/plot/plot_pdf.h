/* A chart as PDF. */
#ifndef PIPA_PLOT_PLOT_PDF_H
#define PIPA_PLOT_PLOT_PDF_H

#include <stddef.h>

struct pipa_buf;
struct pipa_plot;

/* Append the chart. *ret_lacking as pipa_plot_draw(). 0, -ENOMEM or -EFBIG. */
int pipa_plot_write_pdf(struct pipa_plot *plot, struct pipa_buf *out, size_t *ret_lacking);

#endif
