/*
 * A flame graph as one SVG file: right as a still picture, and in a browser it zooms, searches and tells what
 * is pointed at, by a small script that it brings along. Frames too narrow to be seen are left out, and
 * the picture says how many. The same flame gives the same bytes.
 */
#ifndef PIPA_EXPORT_VIEW_FLAME_SVG_H
#define PIPA_EXPORT_VIEW_FLAME_SVG_H

#include "analyze/profile/flame.h"

struct pipa_buf;
struct pipa_view;

struct pipa_flame_svg_style {
	unsigned int width; /* pixels; 0: 1200 */
	double min_percent; /* leave out what is below it */
};

/* pixels */
enum { PIPA_FLAME_SVG_WIDTH = 1200, PIPA_FLAME_SVG_MIN = 300, PIPA_FLAME_SVG_MAX = 100000 };

/* Title, event, colours and direction are the view's; out's status tells a failure. */
void pipa_flame_svg_write(const struct pipa_view *view, const struct pipa_flame_svg_style *look,
			  struct pipa_buf *out);

#endif
