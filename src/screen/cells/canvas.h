/*
 * Screen as a table of cells: painted by a view, shown by a terminal or read by a test. Everything
 * is clipped at the edges; text passes glyph.h, so that no cell holds a control character.
 */
#ifndef PIPA_SCREEN_CELLS_CANVAS_H
#define PIPA_SCREEN_CELLS_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"

/* Meaning of a cell; the terminal decides how it looks. */
enum pipa_cell_style {
	PIPA_STYLE_PLAIN,
	PIPA_STYLE_DIM,
	PIPA_STYLE_STRONG,
	PIPA_STYLE_HEADER, /* a line across the screen */
	PIPA_STYLE_CHOSEN, /* the selected row */
	PIPA_STYLE_GOOD,
	PIPA_STYLE_WARN,
	PIPA_STYLE_ALERT,
	PIPA_STYLE_CHART,
	PIPA_STYLE_USER, /* parts of a CPU's time */
	PIPA_STYLE_SYSTEM,
	PIPA_STYLE_STEAL,
	PIPA_STYLE_IOWAIT,
	PIPA_STYLE_USED, /* parts of memory */
	PIPA_STYLE_BUFFERS,
	PIPA_STYLE_CACHE,
	PIPA_STYLE_NR,
};

struct pipa_cell {
	uint32_t ch; /* 0: the right half of a wide character */
	uint32_t style;
};

struct pipa_canvas {
	int width, height;
	struct pipa_cell *cells; /* row by row */
	size_t cap;
	bool utf8;  /* otherwise only ASCII */
	bool color; /* otherwise parts of a bar differ in shape */
};

struct pipa_box {
	int x, y, width, height;
};

/* A part of a bar. */
struct pipa_part {
	double share; /* of the bar, 0 to 1; NaN counts as zero */
	enum pipa_cell_style style;
};

void pipa_canvas_done(struct pipa_canvas *canvas);
int pipa_canvas_resize(struct pipa_canvas *canvas, int width, int height); /* also clears */
void pipa_canvas_clear(struct pipa_canvas *canvas);

/* Paint text in at most `width` cells, truncated with a mark; returns the cells used. */
int pipa_canvas_put(struct pipa_canvas *canvas, int x, int y, int width, enum pipa_cell_style style,
		    const char *text);
int pipa_canvas_printf(struct pipa_canvas *canvas, int x, int y, int width,
		       enum pipa_cell_style style, const char *fmt, ...) PIPA_PRINTF(6, 7);

/* Paint text right-aligned: it ends at x + width. */
void pipa_canvas_right(struct pipa_canvas *canvas, int x, int y, int width,
		       enum pipa_cell_style style, const char *text);

/* Return the number of cells that the text takes. */
int pipa_canvas_measure(const char *text);

void pipa_canvas_fill(struct pipa_canvas *canvas, const struct pipa_box *box, uint32_t ch,
		      enum pipa_cell_style style);

/* Change the style of the cells in a box. */
void pipa_canvas_restyle(struct pipa_canvas *canvas, const struct pipa_box *box,
			 enum pipa_cell_style style);

void pipa_canvas_bar(struct pipa_canvas *canvas, int x, int y, int width,
		     const struct pipa_part *parts, size_t n);

/*
 * Paint one column of a chart that fills the box's height at `most`; a missing value leaves it
 * empty.
 */
void pipa_canvas_column(struct pipa_canvas *canvas, const struct pipa_box *box, double value,
			double most, enum pipa_cell_style style);

/* Paint a line around the box, empty inside. */
void pipa_canvas_frame(struct pipa_canvas *canvas, const struct pipa_box *box,
		       enum pipa_cell_style style);

#endif
