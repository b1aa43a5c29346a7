#include "screen/cells/canvas.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "screen/cells/glyph.h"

void pipa_canvas_done(struct pipa_canvas *canvas)
{
	free(canvas->cells);
	*canvas = (struct pipa_canvas){ 0 };
}

int pipa_canvas_resize(struct pipa_canvas *c, int width, int height)
{
	size_t n = (size_t)width * (size_t)height;

	if (n > c->cap) {
		struct pipa_cell *cells = realloc(c->cells, n * sizeof(*cells));

		if (!cells)
			return -ENOMEM;
		c->cells = cells;
		c->cap = n;
	}
	c->width = width;
	c->height = height;
	pipa_canvas_clear(c);
	return 0;
}

void pipa_canvas_clear(struct pipa_canvas *c)
{
	size_t i, n = (size_t)c->width * (size_t)c->height;

	for (i = 0; i < n; i++)
		c->cells[i] = (struct pipa_cell){ ' ', PIPA_STYLE_PLAIN };
}

static struct pipa_cell *cell_at(const struct pipa_canvas *c, int x, int y)
{
	if (x < 0 || y < 0 || x >= c->width || y >= c->height)
		return NULL;
	return &c->cells[(size_t)y * (size_t)c->width + (size_t)x];
}

/* Set a cell. Overwriting one half of a wide character erases the other half. */
static void set_cell(struct pipa_canvas *c, int x, int y, uint32_t ch, enum pipa_cell_style style)
{
	struct pipa_cell *cell = cell_at(c, x, y), *next = cell_at(c, x + 1, y);

	if (!cell)
		return;
	if (!cell->ch && x > 0)
		cell[-1].ch = ' ';
	if (next && !next->ch)
		next->ch = ' ';
	*cell = (struct pipa_cell){ ch, style };
}

static void set_wide(struct pipa_canvas *c, int x, int y, uint32_t ch, enum pipa_cell_style style)
{
	struct pipa_cell *half = cell_at(c, x + 1, y);

	if (!half || x < 0) {
		set_cell(c, x, y, ' ', style);
		return;
	}
	set_cell(c, x, y, ch, style);
	set_cell(c, x + 1, y, ' ', style);
	*half = (struct pipa_cell){ 0, style };
}

static uint32_t shown(const struct pipa_canvas *c, uint32_t ch)
{
	return ch < 0x80 || c->utf8 ? ch : '?';
}

int pipa_canvas_measure(const char *text)
{
	struct pipa_glyphs glyphs = { .text = text };
	int cells = 0;
	uint32_t ch;

	while ((ch = pipa_glyph_next(&glyphs)))
		cells += pipa_glyph_width(ch);
	return cells;
}

int pipa_canvas_put(struct pipa_canvas *c, int x, int y, int width, enum pipa_cell_style style,
		    const char *text)
{
	struct pipa_glyphs glyphs = { .text = text };
	int used = 0;

	while (used < width) {
		uint32_t ch = shown(c, pipa_glyph_next(&glyphs));
		int cells = ch ? pipa_glyph_width(ch) : 0;

		if (!ch)
			break;
		if (used + cells > width ||
		    (used + cells == width && pipa_glyph_follows(&glyphs))) {
			set_cell(c, x + used, y, c->utf8 ? 0x2026 : '~', style);
			return used + 1;
		}
		if (cells == 2)
			set_wide(c, x + used, y, ch, style);
		else
			set_cell(c, x + used, y, ch, style);
		used += cells;
	}
	return used;
}

int pipa_canvas_printf(struct pipa_canvas *c, int x, int y, int width, enum pipa_cell_style style,
		       const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return pipa_canvas_put(c, x, y, width, style, text);
}

void pipa_canvas_right(struct pipa_canvas *c, int x, int y, int width, enum pipa_cell_style style,
		       const char *text)
{
	int cells = pipa_canvas_measure(text);

	if (cells < width) {
		x += width - cells;
		width = cells;
	}
	pipa_canvas_put(c, x, y, width, style, text);
}

void pipa_canvas_fill(struct pipa_canvas *c, const struct pipa_box *box, uint32_t ch,
		      enum pipa_cell_style style)
{
	int x, y;

	for (y = box->y; y < box->y + box->height; y++)
		for (x = box->x; x < box->x + box->width; x++)
			set_cell(c, x, y, ch, style);
}

void pipa_canvas_restyle(struct pipa_canvas *c, const struct pipa_box *box,
			 enum pipa_cell_style style)
{
	int x, y;

	for (y = box->y; y < box->y + box->height; y++)
		for (x = box->x; x < box->x + box->width; x++)
			if (cell_at(c, x, y))
				cell_at(c, x, y)->style = style;
}

/* ---- bars and charts --------------------------------------------------------------------------- */

static uint32_t part_glyph(const struct pipa_canvas *c, enum pipa_cell_style style)
{
	switch (style) {
	case PIPA_STYLE_SYSTEM:
	case PIPA_STYLE_BUFFERS: return !c->utf8 ? '#' : c->color ? 0x25a0 : 0x2593;
	case PIPA_STYLE_IOWAIT:
	case PIPA_STYLE_CACHE: return !c->utf8 ? ':' : c->color ? 0x25a0 : 0x2591;
	case PIPA_STYLE_STEAL: return !c->utf8 ? 'x' : c->color ? 0x25a0 : 0x2592;
	default: return !c->utf8 ? '|' : c->color ? 0x25a0 : 0x2588;
	}
}

void pipa_canvas_bar(struct pipa_canvas *c, int x, int y, int width, const struct pipa_part *parts,
		     size_t n)
{
	double sum = 0;
	int at = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		int end;

		if (parts[i].share > 0)
			sum += parts[i].share;
		end = (int)lround(fmin(sum, 1) * width);
		for (; at < end; at++)
			set_cell(c, x + at, y, part_glyph(c, parts[i].style), parts[i].style);
	}
	for (; at < width; at++)
		set_cell(c, x + at, y, c->utf8 ? 0xb7 : '.', PIPA_STYLE_DIM);
}

void pipa_canvas_column(struct pipa_canvas *c, const struct pipa_box *box, double value,
			double most, enum pipa_cell_style style)
{
	static const char ascii[] = "_.:|";
	int steps = c->utf8 ? 8 : 4, level, row;

	if (isnan(value))
		return;
	/* zero is drawn as the lowest step, to differ from a missing value */
	level = most > 0 ? (int)lround(fmin(fmax(value / most, 0), 1) * (steps * box->height - 1)) :
			   0;
	if (level == 0 && value > 0 && steps * box->height > 1)
		level = 1;
	for (row = 0; row < box->height; row++) {
		int filled = level + 1 - row * steps;
		uint32_t ch;

		if (filled <= 0)
			break;
		if (filled > steps)
			filled = steps;
		ch = c->utf8 ? 0x2580 + (uint32_t)filled : (uint32_t)ascii[filled - 1];
		set_cell(c, box->x, box->y + box->height - 1 - row, ch,
			 level == 0 ? PIPA_STYLE_DIM : style);
	}
}

void pipa_canvas_frame(struct pipa_canvas *c, const struct pipa_box *box,
		       enum pipa_cell_style style)
{
	static const uint32_t line[] = { 0x2500, 0x2502, 0x250c, 0x2510, 0x2514, 0x2518 };
	static const uint32_t ascii[] = { '-', '|', '+', '+', '+', '+' };
	const uint32_t *g = c->utf8 ? line : ascii;
	int right = box->x + box->width - 1, bottom = box->y + box->height - 1, i;

	pipa_canvas_fill(c, box, ' ', PIPA_STYLE_PLAIN);
	for (i = box->x + 1; i < right; i++) {
		set_cell(c, i, box->y, g[0], style);
		set_cell(c, i, bottom, g[0], style);
	}
	for (i = box->y + 1; i < bottom; i++) {
		set_cell(c, box->x, i, g[1], style);
		set_cell(c, right, i, g[1], style);
	}
	set_cell(c, box->x, box->y, g[2], style);
	set_cell(c, right, box->y, g[3], style);
	set_cell(c, box->x, bottom, g[4], style);
	set_cell(c, right, bottom, g[5], style);
}
