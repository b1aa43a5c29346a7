#include "plot/stroke_font.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/utf8.h"
#include "plot/plot_text.h"
#include "plot/raster.h"

/*
 * A glyph is a path on a grid of 28 units per font size, y up from the baseline; capitals are 20 high,
 * small letters 15. M moves, L draws a line; H and V draw a quarter of an ellipse to the point, which
 * starts in horizontal or vertical direction.
 */
enum { UNITS = 28, FIRST = ' ', LAST = '~', MAX_POINTS = 64, ARC = 8 };

/* clang-format off */
static const char *const glyphs[LAST - FIRST + 1] = {
	"", "M4 20L4 6M4 1L4 0", "M3 20L3 14M7 20L7 14",
	"M6 20L4 0M12 20L10 0M2 13L14 13M2 7L14 7",
	"M8 22L8 -2M13 15V8 18H3 14V8 10H13 6V8 2H3 5",
	"M2 15V6 20H10 15V6 10H2 15M15 5V19 10H23 5V19 0H15 5M18 20L7 0",
	"M17 0L6 13V9 20H13 16L4 8V3 5V8 0H16 8", "M3 20L3 14",
	"M3 8V8 21M3 8V8 -5", "M6 8V1 21M6 8V1 -5",
	"M5 20L5 12M2 18L8 14M2 14L8 18", "M8 13L8 1M2 7L14 7", "M4 1L4 -1L3 -3", "M2 7L8 7",
	"M4 0L4 1", "M7 20L1 -1",
	"M2 10V8 20H14 10V8 0H2 10", "M4 16L9 20L9 0", "M2 15V8 20H14 15L13 11L2 0L14 0",
	"M2 16V8 20H13 15V8 11L6 11M8 11H14 5V8 0H2 4", "M11 0L11 20L1 6L15 6",
	"M13 20L4 20L3 10L8 13H14 6V8 0H2 4", "M2 6V8 12H14 6V8 0H2 6L2 10V9 20H13 17",
	"M2 20L14 20L6 0", "M3 15V8 20H13 15V8 11H3 15M2 5V8 11H14 5V8 0H2 5",
	"M14 14V8 8H2 14V8 20H14 14L14 10V7 0H3 3", "M4 0L4 1M4 13L4 14",
	"M4 13L4 14M4 1L4 -1L3 -3", "M14 13L2 7L14 1", "M2 10L14 10M2 4L14 4", "M2 13L14 7L2 1",
	"M2 15V8 20H13 15L8 9L8 6M8 1L8 0",
	"M9 9V14 14H19 9V14 4H9 9M19 14L19 8V22 5H26 11V14 20H2 9V14 -3L20 -2",
	"M1 0L9 20L17 0M4 7L14 7", "M3 0L3 20L10 20H16 15V10 11L3 11M10 11H17 5V10 0L3 0",
	"M18 14V11 20H2 10V11 0H18 6", "M3 0L3 20L9 20H18 10V9 0L3 0",
	"M16 20L3 20L3 0L16 0M3 11L14 11", "M15 20L3 20L3 0M3 11L13 11",
	"M19 15V11 20H2 10V11 0H19 9L12 9", "M3 0L3 20M17 0L17 20M3 11L17 11", "M4 0L4 20",
	"M11 20L11 5V6 0H1 6", "M3 0L3 20M16 20L3 8M8 12L17 0", "M3 20L3 0L14 0",
	"M3 0L3 20L12 0L20 20L20 0", "M3 0L3 20L17 0L17 20", "M2 10V11 20H20 10V11 0H2 10",
	"M3 0L3 20L11 20H17 15V11 9L3 9", "M2 10V11 20H20 10V11 0H2 10M13 5L19 -1",
	"M3 0L3 20L11 20H17 15V11 10L3 10M11 10L18 0",
	"M16 15V9 20H3 15V9 11H17 5V9 0H2 6", "M1 20L16 20M9 20L9 0",
	"M3 20L3 7V10 0H17 7L17 20", "M1 20L9 0L17 20", "M1 20L7 0L13 20L19 0L25 20",
	"M2 20L17 0M17 20L2 0", "M1 20L9 9L17 20M9 9L9 0", "M2 20L15 20L2 0L16 0",
	"M6 21L2 21L2 -5L6 -5", "M1 20L7 -1", "M2 21L6 21L6 -5L2 -5", "M2 11L7 20L11 11",
	"M0 -4L16 -4", "M3 20L6 16",
	"M3 11V8 15H13 11L13 0M13 8L7 8H2 4V6 0H13 5", "M3 20L3 0M3 7V8 15H14 7V8 0H3 7",
	"M13 10V8 15H2 7V8 0H13 5", "M13 20L13 0M13 7V8 15H2 7V8 0H13 7",
	"M2 8L14 8V8 15H2 7V8 0H13 4", "M7 20H4 16L4 0M1 15L7 15",
	"M13 15L13 0V8 -6H3 -3M13 7V8 15H2 7V8 0H13 7", "M3 20L3 0M3 9V8 15H13 10L13 0",
	"M3 15L3 0M3 20L3 19", "M3 15L3 -3V0 -6M3 20L3 19", "M3 20L3 0M12 15L3 6M7 10L13 0",
	"M3 20L3 0", "M3 15L3 0M3 10V8 15H12 11L12 0M12 10V17 15H21 11L21 0",
	"M3 15L3 0M3 9V8 15H13 10L13 0", "M2 7V8 15H14 7V8 0H2 7",
	"M3 15L3 -6M3 7V8 15H14 7V8 0H3 7", "M13 15L13 -6M13 7V8 15H2 7V8 0H13 7",
	"M3 15L3 0M3 9V8 15", "M12 11V7 15H2 11V7 8H12 4V7 0H2 4", "M4 19L4 3V7 0M1 15L7 15",
	"M3 15L3 5V8 0H13 6M13 15L13 0", "M1 15L7 0L13 15", "M1 15L5 0L10 15L15 0L19 15",
	"M2 15L12 0M12 15L2 0", "M1 15L7 0M13 15L6 -3V2 -6", "M2 15L12 15L2 0L12 0",
	"M8 21H5 17L5 11L2 8L5 5L5 -1V8 -5", "M4 21L4 -5", "M2 21H5 17L5 11L8 8L5 5L5 -1V2 -5",
	"M2 6V5 9L11 5H14 8",
};
/* clang-format on */

static const struct {
	uint32_t ch;
	const char *path;
} signs[] = {
	{ 0xb0, "M3 17V6 20H9 17V6 14H3 17" },
	{ 0xb1, "M8 15L8 5M3 10L13 10M3 1L13 1" },
	{ 0xb5, "M3 15L3 -6M3 5V8 0H13 6M13 15L13 0" },
	{ 0xb7, "M4 7L4 8" },
	{ 0xd7, "M3 12L13 2M13 12L3 2" },
};

static const char *find_glyph(uint32_t ch)
{
	size_t i;

	if (ch >= FIRST && ch <= LAST)
		return glyphs[ch - FIRST];
	for (i = 0; i < PIPA_COUNT(signs); i++)
		if (signs[i].ch == ch)
			return signs[i].path;
	return NULL;
}

bool pipa_stroke_font_has(uint32_t ch)
{
	return find_glyph(ch) != NULL;
}

/* Where a text is placed, and its pen. */
struct pen {
	struct pipa_raster *raster;
	struct pipa_xy origin; /* of the glyph */
	double scale, width;
	bool vertical;
	struct pipa_xy points[MAX_POINTS];
	size_t n;
};

static struct pipa_xy pen_place(const struct pen *pen, struct pipa_xy at)
{
	double x = at.x * pen->scale, y = at.y * pen->scale;

	return pen->vertical ? (struct pipa_xy){ pen->origin.x - y, pen->origin.y - x } :
			       (struct pipa_xy){ pen->origin.x + x, pen->origin.y - y };
}

static void pen_add(struct pen *pen, struct pipa_xy at)
{
	if (pen->n < MAX_POINTS)
		pen->points[pen->n++] = pen_place(pen, at);
}

/* Add the line so far, with round ends. */
static void pen_lift(struct pen *pen)
{
	if (pen->n > 1) {
		pipa_raster_add_disc(pen->raster, pen->points[0], pen->width / 2);
		pipa_raster_add_disc(pen->raster, pen->points[pen->n - 1], pen->width / 2);
		pipa_raster_add_line(pen->raster, pen->points, pen->n, pen->width, 0, 0);
	}
	pen->n = 0;
}

static void draw_glyph(struct pen *pen, const char *path)
{
	struct pipa_xy at = { 0, 0 };

	while (*path) {
		char command = *path, *end;
		struct pipa_xy to;
		int i;

		to.x = (double)strtol(path + 1, &end, 10);
		to.y = (double)strtol(end, &end, 10);
		path = end;
		if (command == 'M')
			pen_lift(pen);
		for (i = 1; i < ARC && (command == 'H' || command == 'V'); i++) {
			double angle = M_PI / 2 * i / ARC, s = sin(angle), c = 1 - cos(angle);

			if (command == 'H')
				pen_add(pen, (struct pipa_xy){ at.x + (to.x - at.x) * s,
							       at.y + (to.y - at.y) * c });
			else
				pen_add(pen, (struct pipa_xy){ at.x + (to.x - at.x) * c,
							       at.y + (to.y - at.y) * s });
		}
		pen_add(pen, to);
		at = to;
	}
	pen_lift(pen);
}

void pipa_stroke_font_add(struct pipa_raster *raster, const struct pipa_drawn_text *text)
{
	double width = pipa_plot_text_width(text->text, text->size, text->bold);
	double back = text->anchor == PIPA_ANCHOR_START	 ? 0 :
		      text->anchor == PIPA_ANCHOR_MIDDLE ? width / 2 :
							   width;
	struct pen pen = { .raster = raster,
			   .origin = text->at,
			   .scale = text->size / UNITS,
			   .vertical = text->vertical };
	const unsigned char *byte = (const unsigned char *)text->text;

	pen.width = fmax((text->bold ? 3.4 : 2.2) * pen.scale, 1);
	if (text->vertical)
		pen.origin.y += back;
	else
		pen.origin.x -= back;
	while (*byte) {
		size_t len = pipa_utf8_len(byte);
		uint32_t ch = len ? pipa_utf8_char(byte, len) : '?';
		const char *path = find_glyph(ch);
		double advance = pipa_plot_char_width(ch) * text->size / 1000 *
				 (text->bold ? 1.07 : 1);

		draw_glyph(&pen, path ? path : "");
		if (text->vertical)
			pen.origin.y -= advance;
		else
			pen.origin.x += advance;
		byte += len ? len : 1;
	}
}
