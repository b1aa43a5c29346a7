/*
 * Model of a static chart: panels one above the other, each with axes and data. It does not depend on
 * the format; plot_layout draws it through the interface of drawing.h.
 */
#ifndef PIPA_PLOT_PLOT_H
#define PIPA_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/drawing.h"
#include "plot/plot_axis.h"

struct pipa_buf;

enum pipa_panel_kind {
	PIPA_PANEL_LINES,   /* a line per series; a NaN interrupts it */
	PIPA_PANEL_STACKED, /* series one upon the other; all have the same x values */
	PIPA_PANEL_POINTS,
	PIPA_PANEL_HISTOGRAM, /* y over the bin that starts at x; all series have the same bins */
	PIPA_PANEL_BARS,      /* a bar per label and series, series side by side */
	PIPA_PANEL_CELLS,     /* heat map: a row per label, columns of equal width */
	PIPA_PANEL_ROOFLINE,  /* points below the roof of two peaks */
};

struct pipa_plot_series {
	char *name;		/* in the legend; owned */
	struct pipa_xy *points; /* by ascending x, except for PIPA_PANEL_POINTS; owned */
	size_t n, cap;
	size_t color;	/* index of its colour and dash pattern */
	bool is_marked; /* its points are drawn larger */
	bool is_faint;	/* its points are drawn transparent */
};

struct pipa_plot_panel {
	enum pipa_panel_kind kind;
	struct pipa_plot_axis x, y;
	struct {
		struct pipa_plot_series *items;
		size_t n, cap;
	} series;
	struct {
		char **items; /* of bars and rows, top to bottom; owned */
		size_t n, cap;
	} labels;
	double *cells;		     /* [labels.n][columns], NaN: missing; owned */
	size_t columns;		     /* of cells; they divide the range of x */
	struct pipa_plot_axis color; /* range and label of the cells' values */
	double bin;		     /* width of the bins of a histogram */
	double peak_y, peak_slope;   /* roof: y <= peak_y and y <= peak_slope x x */
};

struct pipa_plot {
	char *title; /* owned; NULL or "": none */
	double width, height;
	double font_size;
	struct {
		struct pipa_plot_panel *items;
		size_t n, cap;
	} panels;
};

void pipa_plot_done(struct pipa_plot *plot);

/* Add an empty panel whose ranges come from the data. NULL on allocation failure. */
struct pipa_plot_panel *pipa_plot_add_panel(struct pipa_plot *plot, enum pipa_panel_kind kind);

/* Add a series; the name is copied. NULL on allocation failure. */
struct pipa_plot_series *pipa_plot_add_series(struct pipa_plot_panel *panel, const char *name);

/* Add a point, a label, a text of an axis or title (replaced). 0 or -ENOMEM. */
int pipa_plot_add_point(struct pipa_plot_series *series, double x, double y);
int pipa_plot_add_label(struct pipa_plot_panel *panel, const char *label);
int pipa_plot_set_text(char **field, const char *text);

/*
 * Draw the plot. *ret_lacking is the number of characters that the font of the format lacks; they are
 * drawn as escapes. 0 or -ENOMEM; other failures are those of the drawing.
 */
int pipa_plot_draw(struct pipa_plot *plot, struct pipa_drawing *drawing, size_t *ret_lacking);

enum pipa_plot_format { PIPA_PLOT_SVG, PIPA_PLOT_PDF, PIPA_PLOT_PNG };

/* Append the plot as a file of the format. Sizes are pixels, of PDF points. 0, -ENOMEM or -EFBIG. */
int pipa_plot_write(struct pipa_plot *plot, enum pipa_plot_format format, struct pipa_buf *out,
		    size_t *ret_lacking);

static inline void pipa_plot_done_auto(struct pipa_plot *plot)
{
	pipa_plot_done(plot);
}

#endif
