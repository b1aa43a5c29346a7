/*
 * Write a flame graph as one SVG file: a valid still image that zooms, searches and shows details
 * in a browser by its own small script. Frames too narrow to be seen are omitted and counted. The
 * same flame graph gives the same bytes.
 */
#ifndef PIPA_EXPORT_VIEW_FLAME_SVG_H
#define PIPA_EXPORT_VIEW_FLAME_SVG_H

#include "analyze/profile/flame.h"

struct pipa_buf;
struct pipa_view;

struct pipa_flame_svg_style {
	unsigned int width; /* pixels; 0: 1200 */
	/* omit frames below either; 0: draw every frame that has a weight */
	double min_percent, min_width; /* of all; in pixels */
};

/*
 * Frames below half a pixel are hardly visible, and most frames of a deep profile are that narrow: of a
 * parallel build they are 12,748 frames and 2.3 of 2.7 MB.
 */
#define PIPA_FLAME_SVG_MIN_WIDTH 0.5

/* pixels */
enum { PIPA_FLAME_SVG_WIDTH = 1200, PIPA_FLAME_SVG_MIN = 300, PIPA_FLAME_SVG_MAX = 100000 };

/*
 * Write the image. Title, event, colours and direction are those of the view. A failure is in out's
 * status.
 */
void pipa_flame_svg_write(const struct pipa_view *view, const struct pipa_flame_svg_style *style,
			  struct pipa_buf *out);

#endif
