/*
 * A chart as PNG, drawn by the rasteriser and the stroke font of this directory. No library is used: Debian's
 * libcairo.a is built with its X back ends, so that a static binary needs pixman, FreeType, fontconfig, expat,
 * libpng, brotli, bzip2, Xlib, xcb, Xext and Xrender, and text also needs the fonts and the fontconfig files of
 * the machine that it runs on. libgd and ImageMagick need the same fonts and more image formats.
 */
#include "plot/plot_png.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/crc32.h"
#include "codec/zlib.h"
#include "plot/plot.h"
#include "plot/raster.h"
#include "plot/stroke_font.h"

struct png {
	struct pipa_drawing drawing;
	struct pipa_raster raster;
};

static void draw_line(struct pipa_drawing *self, const struct pipa_xy *points, size_t n,
		      const struct pipa_stroke *stroke)
{
	struct pipa_raster *raster = &((struct png *)self)->raster;
	double width = fmax(stroke->width, 1);

	if (n == 2 && (points[0].x == points[1].x || points[0].y == points[1].y)) {
		/* lines of axes and grids cover whole pixels */
		double snap = lround(width) % 2 ? 0.5 : 0;
		struct pipa_xy line[] = { points[0], points[1] };

		width = round(width);
		if (line[0].x == line[1].x)
			line[0].x = line[1].x = floor(line[0].x) + snap;
		else
			line[0].y = line[1].y = floor(line[0].y) + snap;
		pipa_raster_add_line(raster, line, 2, width, stroke->dash, stroke->gap);
	} else {
		pipa_raster_add_line(raster, points, n, width, stroke->dash, stroke->gap);
	}
	pipa_raster_fill(raster, stroke->color, stroke->opacity);
}

static void draw_polygon(struct pipa_drawing *self, const struct pipa_xy *points, size_t n,
			 struct pipa_color color, double opacity)
{
	struct pipa_raster *raster = &((struct png *)self)->raster;

	pipa_raster_add_polygon(raster, points, n);
	pipa_raster_fill(raster, color, opacity);
}

static void draw_rect(struct pipa_drawing *self, struct pipa_rect rect, struct pipa_color color,
		      double opacity)
{
	const struct pipa_xy corners[] = { { rect.x, rect.y },
					   { rect.x + rect.w, rect.y },
					   { rect.x + rect.w, rect.y + rect.h },
					   { rect.x, rect.y + rect.h } };

	draw_polygon(self, corners, PIPA_COUNT(corners), color, opacity);
}

static void draw_disc(struct pipa_drawing *self, struct pipa_xy center, double radius,
		      struct pipa_color color, double opacity)
{
	struct pipa_raster *raster = &((struct png *)self)->raster;

	pipa_raster_add_disc(raster, center, radius);
	pipa_raster_fill(raster, color, opacity);
}

static void draw_text(struct pipa_drawing *self, const struct pipa_drawn_text *text)
{
	struct pipa_raster *raster = &((struct png *)self)->raster;

	pipa_stroke_font_add(raster, text);
	pipa_raster_fill(raster, text->color, 1);
}

static void set_clip(struct pipa_drawing *self, const struct pipa_rect *rect)
{
	pipa_raster_clip(&((struct png *)self)->raster, rect);
}

static void put_u32(struct pipa_buf *out, uint32_t value)
{
	const unsigned char bytes[] = { (unsigned char)(value >> 24), (unsigned char)(value >> 16),
					(unsigned char)(value >> 8), (unsigned char)value };

	pipa_buf_add(out, bytes, sizeof(bytes));
}

static void put_chunk(struct pipa_buf *out, const char *type, const void *bytes, size_t len)
{
	uint32_t crc = pipa_crc32(pipa_crc32(0, type, 4), bytes, len);

	put_u32(out, (uint32_t)len);
	pipa_buf_add(out, type, 4);
	pipa_buf_add(out, bytes, len);
	put_u32(out, crc);
}

/* Filter each row by the difference to the one above, which is mostly 0. */
static uint8_t *filter_rows(const struct pipa_raster *raster, size_t *ret_size)
{
	enum { FILTER_UP = 2 };
	size_t line = raster->width * 3, y, i;
	uint8_t *rows = malloc((line + 1) * raster->height), *to = rows;

	*ret_size = (line + 1) * raster->height;
	for (y = 0; rows && y < raster->height; y++) {
		const uint8_t *row = raster->rgb + y * line, *above = row - line;

		*to++ = FILTER_UP;
		for (i = 0; i < line; i++)
			*to++ = (uint8_t)(row[i] - (y ? above[i] : 0));
	}
	return rows;
}

/* Append the image as 8-bit RGB. */
static int put_image(const struct pipa_raster *raster, struct pipa_buf *out)
{
	static const unsigned char signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
	static const unsigned char depth[] = { 8, 2, 0, 0, 0 }; /* bits, RGB, deflate, filters */
	PIPA_AUTO(pipa_buf_done) struct pipa_buf header = { 0 }, stream = { .max = SIZE_MAX };
	size_t size;
	PIPA_AUTO(free) uint8_t *rows = filter_rows(raster, &size);
	int rc = rows ? pipa_zlib_compress(rows, size, &stream) : -ENOMEM;

	put_u32(&header, (uint32_t)raster->width);
	put_u32(&header, (uint32_t)raster->height);
	pipa_buf_add(&header, depth, sizeof(depth));
	if (!rc)
		rc = header.status;
	if (rc < 0)
		return rc;
	pipa_buf_add(out, signature, sizeof(signature));
	put_chunk(out, "IHDR", header.data, header.len);
	put_chunk(out, "IDAT", stream.data, stream.len);
	put_chunk(out, "IEND", "", 0);
	return out->status;
}

int pipa_plot_write_png(struct pipa_plot *plot, struct pipa_buf *out, size_t *ret_lacking)
{
	struct png png = { .drawing = { draw_line, draw_rect, draw_polygon, draw_disc, draw_text,
					set_clip, pipa_stroke_font_has } };
	int rc = pipa_raster_init(&png.raster, (size_t)fmax(round(plot->width), 1),
				  (size_t)fmax(round(plot->height), 1));

	if (rc < 0)
		return rc;
	rc = pipa_plot_draw(plot, &png.drawing, ret_lacking);
	if (!rc)
		rc = put_image(&png.raster, out);
	pipa_raster_done(&png.raster);
	return rc;
}
