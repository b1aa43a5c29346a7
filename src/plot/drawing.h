/*
 * Drawing interface of charts: lines, rectangles, polygons, discs and text. plot_svg, plot_pdf and
 * plot_png implement it. Coordinates are in the unit of the format (SVG and PNG pixels, PDF points),
 * x to the right and y down from the upper left corner.
 *
 * Operations do not fail: an implementation keeps the first failure and reports it at the end.
 */
#ifndef PIPA_PLOT_DRAWING_H
#define PIPA_PLOT_DRAWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_color {
	uint8_t r, g, b;
};

struct pipa_xy {
	double x, y;
};

struct pipa_rect {
	double x, y, w, h;
};

struct pipa_stroke {
	struct pipa_color color;
	double width, opacity;
	double dash, gap; /* lengths; dash 0: solid */
};

enum pipa_anchor { PIPA_ANCHOR_START, PIPA_ANCHOR_MIDDLE, PIPA_ANCHOR_END };

struct pipa_drawn_text {
	struct pipa_xy at; /* end of the baseline that the anchor names */
	const char *text;  /* as pipa_plot_text_prepare() returns it */
	double size;
	enum pipa_anchor anchor;
	bool vertical; /* turned by 90 degrees, reading upwards */
	bool bold;
	struct pipa_color color;
};

struct pipa_drawing {
	/* Draw a line through n points, with round joins. */
	void (*line)(struct pipa_drawing *self, const struct pipa_xy *points, size_t n,
		     const struct pipa_stroke *stroke);
	void (*rect)(struct pipa_drawing *self, struct pipa_rect rect, struct pipa_color color,
		     double opacity);
	void (*polygon)(struct pipa_drawing *self, const struct pipa_xy *points, size_t n,
			struct pipa_color color, double opacity);
	void (*disc)(struct pipa_drawing *self, struct pipa_xy center, double radius,
		     struct pipa_color color, double opacity);
	void (*text)(struct pipa_drawing *self, const struct pipa_drawn_text *text);
	/* Clip all later operations to the rectangle; NULL: to the whole image. */
	void (*clip)(struct pipa_drawing *self, const struct pipa_rect *rect);
	/* Does the font have the character? */
	bool (*has)(uint32_t ch);
};

#endif
