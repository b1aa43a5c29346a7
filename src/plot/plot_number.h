/* Numbers of SVG and PDF. */
#ifndef PIPA_PLOT_PLOT_NUMBER_H
#define PIPA_PLOT_PLOT_NUMBER_H

struct pipa_buf;

/* Append a number with at most two decimals, a point and no exponent, whatever the locale is. */
void pipa_plot_put_number(struct pipa_buf *out, double value);

#endif
