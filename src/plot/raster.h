/*
 * Anti-aliased rasteriser: polygons are added edge by edge to a coverage buffer by the exact area that
 * they cover of each pixel, then filled in one colour. Overlapping polygons of the same orientation
 * cover a pixel once: a line is the union of its segments and round joins.
 */
#ifndef PIPA_PLOT_RASTER_H
#define PIPA_PLOT_RASTER_H

#include <stddef.h>
#include <stdint.h>

#include "plot/drawing.h"

struct pipa_raster {
	size_t width, height;
	uint8_t *rgb;	 /* [height][width][3] */
	float *coverage; /* [height][width + 2]: differences along each row; 0 between fills */
	size_t clip_left, clip_top, clip_right, clip_bottom;
	double left, top, right, bottom; /* extent of the edges since the last fill */
};

/* Initialize a white image. 0 or -ENOMEM. */
int pipa_raster_init(struct pipa_raster *raster, size_t width, size_t height);
void pipa_raster_done(struct pipa_raster *raster);

/* Clip later fills to the pixels whose centres are in the rectangle; NULL: to the image. */
void pipa_raster_clip(struct pipa_raster *raster, const struct pipa_rect *rect);

/* Add a closed polygon. */
void pipa_raster_add_polygon(struct pipa_raster *raster, const struct pipa_xy *points, size_t n);

/* Add a disc, of the orientation of lines. */
void pipa_raster_add_disc(struct pipa_raster *raster, struct pipa_xy center, double radius);

/* Add a line with round joins and ends, solid or dashed (dash > 0). */
void pipa_raster_add_line(struct pipa_raster *raster, const struct pipa_xy *points, size_t n,
			  double width, double dash, double gap);

/* Fill everything that was added since the last fill. */
void pipa_raster_fill(struct pipa_raster *raster, struct pipa_color color, double opacity);

#endif
