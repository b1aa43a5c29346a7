/* Legend of an SVG flame graph. */
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "export/view/flame_svg_own.h"
#include "export/view/view.h"
#include "export/view/view_text.h"

#define LINE 18.0   /* height of a line */
#define SWATCH 12.0 /* size of a colour's square */
#define GAP 6.0	    /* between a square and its text */
#define APART 16.0  /* between entries */
#define LETTER 6.65 /* width of a character, as in flame_svg.c */

enum { HUES = 7, GREY = HUES, NAME_COLUMNS = 28, SELF_STEPS = 8, CHANGE_STEPS = 12 };

/* Position of the next entry in lines of `width` pixels; out is NULL while lines are counted. */
struct legend_cursor {
	struct pipa_buf *out;
	double left, room, x, y;
	unsigned int lines;
};

static size_t columns_of(size_t len)
{
	return len < NAME_COLUMNS ? len : NAME_COLUMNS;
}

static void put_swatch(struct legend_cursor *at, const char *class, double width)
{
	if (at->out)
		pipa_buf_printf(at->out,
				"<g class=\"%s\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
				"height=\"12\"/></g>",
				class, at->left + at->x, at->y + (at->lines - 1) * LINE, width);
	at->x += width;
}

static void put_words(struct legend_cursor *at, const char *text, size_t len)
{
	if (at->out) {
		pipa_buf_printf(at->out, "<text class=\"key\" x=\"%.1f\" y=\"%.1f\">",
				at->left + at->x, at->y + 10.5 + (at->lines - 1) * LINE);
		pipa_view_put_xml(at->out, text, len, NAME_COLUMNS);
		pipa_buf_puts(at->out, "</text>\n");
	}
	at->x += (double)columns_of(len) * LETTER;
}

static void put_entry(struct legend_cursor *at, uint32_t hue, const char *text, size_t len)
{
	const char class[] = { 'h', (char)('0' + hue), '0', '\0' };
	double width = SWATCH + GAP + (double)columns_of(len) * LETTER;

	if (!at->lines || at->x + width > at->room) {
		at->lines++;
		at->x = 0;
	}
	put_swatch(at, class, SWATCH);
	at->x += GAP;
	put_words(at, text, len);
	at->x += APART;
}

static void put_scale(struct legend_cursor *at, char letter, unsigned int steps, const char *from,
		      const char *to)
{
	unsigned int i;

	at->lines = 1;
	put_words(at, from, strlen(from));
	at->x += GAP;
	for (i = 0; i <= steps; i++) {
		char class[16];

		snprintf(class, sizeof(class), "%c%u", letter, i);
		put_swatch(at, class, SWATCH);
	}
	at->x += GAP;
	put_words(at, to, strlen(to));
}

static void put_libraries(const struct pipa_flame_colors *colors, struct legend_cursor *at)
{
	const struct pipa_flame *flame = colors->view->flame;
	const struct pipa_string *names[HUES] = { NULL };
	bool others = false;
	size_t i;

	for (i = 0; i < flame->n_frames; i++) {
		const struct pipa_flame_frame *frame = &flame->frames[i];
		uint32_t hue = colors->hues[frame->object];

		if (frame->kind == PIPA_FLAME_GROUP)
			continue;
		if (hue < HUES)
			names[hue] = &flame->strings.items[frame->object];
		else
			others = true;
	}
	for (i = 0; i < HUES; i++)
		if (names[i])
			put_entry(at, (uint32_t)i, names[i]->text, names[i]->len);
	if (others)
		put_entry(at, GREY, "others", strlen("others"));
}

static void put_kinds(const struct pipa_flame_colors *colors, struct legend_cursor *at)
{
	static const struct {
		uint32_t hue;
		enum pipa_flame_kind kind;
		const char *text;
	} kinds[] = { { 1, PIPA_FLAME_USER, "user" },
		      { 0, PIPA_FLAME_KERNEL, "kernel" },
		      { 2, PIPA_FLAME_JIT, "JIT" },
		      { GREY, PIPA_FLAME_UNRESOLVED, "unresolved" } };
	const struct pipa_flame *flame = colors->view->flame;
	bool has[PIPA_FLAME_KIND_NR] = { false }, inlined = false;
	size_t i;

	for (i = 0; i < flame->n_frames; i++) {
		has[flame->frames[i].kind] = true;
		inlined = inlined || flame->frames[i].inlined;
	}
	for (i = 0; i < PIPA_COUNT(kinds); i++)
		if (has[kinds[i].kind])
			put_entry(at, kinds[i].hue, kinds[i].text, strlen(kinds[i].text));
	if (inlined)
		put_entry(at, 6, "inlined", strlen("inlined"));
}

static void put_entries(const struct pipa_flame_colors *colors, struct legend_cursor *at)
{
	if (!colors->view->flame->n_nodes)
		return;
	switch (colors->by) {
	case 's': put_scale(at, 's', SELF_STEPS, "0 % self", "100 % self"); break;
	case 'c': put_scale(at, 'd', CHANGE_STEPS, "gone, less", "more, new"); break;
	case 'k': put_kinds(colors, at); break;
	default:
		if (colors->hues) /* without objects, hues only distinguish names */
			put_libraries(colors, at);
	}
}

double pipa_flame_legend_height(const struct pipa_flame_colors *colors, double room)
{
	struct legend_cursor at = { .room = room };

	put_entries(colors, &at);
	return at.lines * LINE;
}

void pipa_flame_legend_put(const struct pipa_flame_colors *colors, double x, double y, double room,
			   struct pipa_buf *out)
{
	struct legend_cursor at = { .out = out, .left = x, .y = y, .room = room };

	put_entries(colors, &at);
}
