#include "export/view/flame_svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/short_name.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/vec.h"
#include "export/view/flame_svg_own.h"
#include "export/view/view.h"
#include "export/view/view_text.h"
#include "export/view/web.h"

#define PAD 10.0  /* left and right of the frames */
#define HEAD 62.0 /* above the frames */
#define FOOT 46.0 /* below the frames */
#define ABOVE 8.0 /* above the legend */
#define ROW 16.0
#define COLUMN 6.65 /* width of a character; the same as in web/svg.js */

enum { NAME_COLUMNS = 2000 };

/* A frame that is drawn. */
struct box {
	uint32_t node, row; /* row 0 is the root */
	double x, width;
};

struct drawing {
	const struct pipa_view *view;
	const struct pipa_flame *flame;
	struct pipa_flame_colors colors;
	double width, all; /* of all frames: pixels, and the weight they represent */
	double least;	   /* minimum weight of a drawn frame */
	bool fit;	   /* to the window of a browser, because no width was requested */
	uint32_t rows;
	struct {
		struct box *items;
		size_t n, cap;
	} boxes;
	struct pipa_buf *out;
};

/* ---- where frames stand ------------------------------------------------------------------------------- */

/*
 * Return the weight a node is drawn with. In a diff it is the mean of both profiles, so that
 * removed frames have a width and no frame is wider than its caller.
 */
static double weight_of(const struct drawing *d, uint32_t node)
{
	double now = (double)d->flame->costs[PIPA_FLAME_NOW][node].total;

	if (!d->flame->has_base)
		return now;
	return (now + (double)d->flame->costs[PIPA_FLAME_BASE][node].total * d->colors.scale) / 2;
}

/*
 * Return the node after `at`, in preorder, with or without its subtree; updates the row. PIPA_NONE
 * after the last.
 */
static uint32_t next_node(const struct pipa_flame_node *nodes, uint32_t at, bool into,
			  uint32_t *row)
{
	if (into && nodes[at].child != PIPA_NONE) {
		++*row;
		return nodes[at].child;
	}
	for (; at != PIPA_NONE; at = nodes[at].parent, --*row)
		if (nodes[at].next != PIPA_NONE)
			return nodes[at].next;
	return PIPA_NONE;
}

/* Compute the boxes; ends: [row] where the next frame begins. */
static int place_boxes(struct drawing *d, double *ends)
{
	const struct pipa_flame_node *nodes = d->flame->nodes;
	uint32_t at = d->flame->n_nodes ? 0 : PIPA_NONE, row = 1;
	bool drawn;

	ends[row] = 0;
	for (; at != PIPA_NONE; at = next_node(nodes, at, drawn, &row)) {
		double weight = weight_of(d, at), x = ends[row];
		struct box *box;

		ends[row] += weight;
		drawn = weight >= d->least && weight > 0;
		if (!drawn)
			continue;
		box = PIPA_VEC_ADD(&d->boxes);
		if (!box)
			return -ENOMEM;
		*box = (struct box){ at, row, PAD + x / d->all * d->width,
				     weight / d->all * d->width };
		d->rows = row > d->rows ? row : d->rows;
		ends[row + 1] = x;
	}
	return 0;
}

static int place_frames(struct drawing *d, const struct pipa_flame_svg_style *style)
{
	PIPA_AUTO(free) double *ends = calloc((size_t)d->flame->depth + 3, sizeof(*ends));
	double narrow = style->min_width / d->width, least = style->min_percent / 100;

	d->all = (double)d->flame->total[0];
	if (d->flame->has_base)
		d->all = (d->all + (double)d->flame->total[1] * d->colors.scale) / 2;
	d->least = d->all * (narrow > least ? narrow : least);
	return ends ? place_boxes(d, ends) : -ENOMEM;
}

/* ---- numbers and texts -------------------------------------------------------------------------------- */

/* Append a coordinate with up to four digits after the point, without trailing zeros. */
static void put_px(struct pipa_buf *out, const char *name, double px)
{
	uint64_t value = (uint64_t)(px * 10000 + 0.5), digits = 4;
	char text[32], *to = text + sizeof(text);

	*--to = '"';
	for (; digits && value % 10 == 0; digits--)
		value /= 10;
	if (digits) {
		for (; digits; digits--, value /= 10)
			*--to = (char)('0' + value % 10);
		*--to = '.';
	}
	do {
		*--to = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	pipa_buf_puts(out, name);
	pipa_buf_add(out, to, (size_t)(text + sizeof(text) - to));
}

static void put_digits(struct pipa_buf *out, uint64_t value)
{
	char text[24], *to = text + sizeof(text);

	do {
		*--to = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	pipa_buf_add(out, to, (size_t)(text + sizeof(text) - to));
}

/* Append with two digits after the point, rounded as by printf but faster. */
static void put_percent(struct pipa_buf *out, double percent)
{
	double rest;
	uint64_t value = (uint64_t)(percent * 100);
	char behind[3] = ".";

	rest = percent * 100 - (double)value;
	if (rest > 0.499999 && rest < 0.500001) { /* too close to a half: let printf decide */
		pipa_buf_printf(out, "%.2f", percent);
		return;
	}
	value += rest > 0.5;
	put_digits(out, value / 100);
	behind[1] = (char)('0' + value / 10 % 10);
	behind[2] = (char)('0' + value % 10);
	pipa_buf_add(out, behind, sizeof(behind));
}

/* Append with thousands separators: 1,234,567. */
static void put_count(struct pipa_buf *out, uint64_t value)
{
	char text[32], *to = text + sizeof(text);
	unsigned int n = 0;

	do {
		if (n && n % 3 == 0)
			*--to = ',';
		*--to = (char)('0' + value % 10);
		value /= 10;
		n++;
	} while (value);
	pipa_buf_add(out, to, (size_t)(text + sizeof(text) - to));
}

static void put_samples(struct pipa_buf *out, uint64_t n)
{
	put_count(out, n);
	pipa_buf_puts(out, n == 1 ? " sample" : " samples");
}

/* Append a weight: times scaled, "231.2 ms"; others unscaled, "1,234 events". */
static void put_amount(struct pipa_buf *out, uint64_t value, const char *unit)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double n = (double)value;
	size_t at = 0;

	if (strcmp(unit, "ns") != 0 || value < 1000) {
		put_count(out, value);
		pipa_buf_printf(out, " %s", unit);
		return;
	}
	for (; n >= 1000 && at + 1 < PIPA_COUNT(units); at++)
		n /= 1000;
	pipa_buf_printf(out, "%.*f %s", n >= 100 ? 1 : n >= 10 ? 2 : 3, n, units[at]);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static void put_share(const struct drawing *d, const char *name, uint64_t weight, size_t side)
{
	pipa_buf_puts(d->out, name);
	pipa_buf_putc(d->out, ' ');
	put_percent(d->out, percent(weight, d->flame->total[side]));
	pipa_buf_puts(d->out, " %, ");
	put_count(d->out, weight);
	pipa_buf_putc(d->out, ' ');
	pipa_buf_puts(d->out, d->view->unit);
}

static void put_name(const struct drawing *d, const struct pipa_flame_frame *frame)
{
	const struct pipa_string *name = &d->flame->strings.items[frame->name];
	const struct pipa_string *object = &d->flame->strings.items[frame->object];

	pipa_view_put_xml(d->out, name->text, name->len, NAME_COLUMNS);
	if (frame->inlined)
		pipa_buf_puts(d->out, " (inlined)");
	pipa_buf_putc(d->out, '\n');
	if (object->len) {
		pipa_view_put_xml(d->out, object->text, object->len, NAME_COLUMNS);
		pipa_buf_putc(d->out, '\n');
	}
}

/* Write the tooltip of a frame: its name on the first line. */
static void put_title(const struct drawing *d, uint32_t node)
{
	const struct pipa_flame *flame = d->flame;
	const struct pipa_flame_cost *now = &flame->costs[PIPA_FLAME_NOW][node];

	pipa_buf_puts(d->out, "<title>");
	put_name(d, &flame->frames[flame->nodes[node].frame]);
	put_share(d, flame->has_base ? "now" : "total", now->total, PIPA_FLAME_NOW);
	pipa_buf_putc(d->out, '\n');
	if (flame->has_base)
		put_share(d, "before", flame->costs[PIPA_FLAME_BASE][node].total, PIPA_FLAME_BASE);
	else
		put_share(d, "self", now->self, PIPA_FLAME_NOW);
	pipa_buf_puts(d->out, "</title>");
}

/* ---- the picture -------------------------------------------------------------------------------------- */

static double y_of(const struct drawing *d, uint32_t row)
{
	return HEAD + ROW * (d->view->show.icicle ? row : d->rows - row);
}

static void put_rect(const struct drawing *d, const struct box *box)
{
	put_px(d->out, "<rect x=\"", box->x);
	put_px(d->out, " y=\"", y_of(d, box->row));
	put_px(d->out, " width=\"", box->width);
	pipa_buf_puts(d->out, " height=\"15\"/>");
}

static void put_label(const struct drawing *d, const struct box *box, const char *text, size_t len)
{
	double columns = (box->width - 6) / COLUMN;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf less = { 0 };

	if (columns < 3)
		return;
	put_px(d->out, "<text x=\"", box->x + 3);
	put_px(d->out, " y=\"", y_of(d, box->row) + 11);
	pipa_buf_putc(d->out, '>');
	if (len > (size_t)columns && strlen(text) == len) {
		pipa_short_name(text, (size_t)columns, PIPA_SHORT_BOX, &less);
		if (!less.status) {
			text = pipa_buf_str(&less);
			len = less.len;
		}
	}
	pipa_view_put_xml(d->out, text, len, (size_t)columns);
	pipa_buf_puts(d->out, "</text>");
}

static void put_box(const struct drawing *d, const struct box *box)
{
	const struct pipa_flame *flame = d->flame;
	const struct pipa_string *name =
		&flame->strings.items[flame->frames[flame->nodes[box->node].frame].name];
	char class[8];

	pipa_flame_color(&d->colors, box->node, class);
	pipa_buf_puts(d->out, "<g class=\"f ");
	pipa_buf_puts(d->out, class);
	pipa_buf_puts(d->out, "\" data-row=\"");
	put_digits(d->out, box->row);
	pipa_buf_puts(d->out, "\">");
	put_title(d, box->node);
	put_rect(d, box);
	put_label(d, box, name->text, name->len);
	pipa_buf_puts(d->out, "</g>\n");
}

/* Write the root frame. */
static void put_root(const struct drawing *d)
{
	struct box box = { .row = 0, .x = PAD, .width = d->width };
	size_t side;

	pipa_buf_puts(d->out, "<g class=\"f h70\" data-row=\"0\"><title>all");
	for (side = 0; side < (d->flame->has_base ? 2 : 1); side++) {
		pipa_buf_puts(d->out, side ? "\nbase: " : d->flame->has_base ? "\nnow: " : "\n");
		put_count(d->out, d->flame->total[side]);
		pipa_buf_printf(d->out, " %s", d->view->unit);
		if (d->view->event[0]) { /* otherwise weights are samples, already printed */
			pipa_buf_puts(d->out, ", ");
			put_samples(d->out, d->flame->samples[side]);
		}
	}
	pipa_buf_puts(d->out, "</title>");
	put_rect(d, &box);
	put_label(d, &box, "all", 3);
	pipa_buf_puts(d->out, "</g>\n");
}

static void put_text(const struct drawing *d, const char *class, double y, const char *part,
		     const char *text)
{
	put_px(d->out, "<text x=\"", PAD);
	put_px(d->out, " y=\"", y);
	pipa_buf_printf(d->out, " class=\"%s\" data-part=\"%s\">", class, part);
	pipa_view_put_xml(d->out, text, strlen(text), (size_t)(d->width / COLUMN));
	pipa_buf_puts(d->out, "</text>\n");
}

/* Write a button, shown only if the script runs. */
static void put_tool(const struct drawing *d, const char *part, const char *text, double right)
{
	double x = PAD + d->width - right;

	pipa_buf_printf(d->out,
			"<g class=\"tool\" data-part=\"%s\" tabindex=\"0\" role=\"button\">", part);
	put_px(d->out, "<rect y=\"10\" height=\"24\" width=\"96\" x=\"", x);
	put_px(d->out, "/><text y=\"26\" text-anchor=\"middle\" x=\"", x + 48);
	pipa_buf_printf(d->out, ">%s</text></g>\n", text);
}

static void put_event(const struct drawing *d, struct pipa_buf *text)
{
	const struct pipa_flame *flame = d->flame;

	if (d->view->event[0])
		pipa_buf_printf(text, "%.200s: ", d->view->event);
	put_amount(text, flame->total[0], d->view->unit);
	if (d->view->event[0]) {
		pipa_buf_puts(text, " in ");
		put_samples(text, flame->samples[0]);
	}
	if (flame->has_base) {
		pipa_buf_printf(text, ", compared with %.200s: ",
				d->view->base_title ? d->view->base_title : "the base");
		put_amount(text, flame->total[1], d->view->unit);
	}
}

static void put_notes(const struct drawing *d, struct pipa_buf *text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf lines = { 0 };
	size_t left_out = d->flame->n_nodes - d->boxes.n;
	const char *line;

	if (d->view->profile)
		pipa_view_notes(d->view->profile, d->view->recording, &lines);
	if (!d->flame->n_nodes) {
		pipa_buf_puts(&lines, "no samples\n");
	} else if (!(d->all > 0)) {
		pipa_buf_puts(&lines, "all samples have period 0\n");
	} else if (left_out) {
		put_count(&lines, left_out);
		pipa_buf_puts(&lines, left_out == 1 ? " frame too narrow to draw\n" :
						      " frames too narrow to draw\n");
	}
	for (line = pipa_buf_str(&lines); *line; line += strcspn(line, "\n") + 1)
		pipa_buf_printf(text, "%s%.*s", text->len ? "; " : "", (int)strcspn(line, "\n"),
				line);
	if (lines.status && !text->status)
		text->status = lines.status;
}

static void put_head(const struct drawing *d, double height)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	double width = d->width + 2 * PAD;

	pipa_buf_printf(d->out,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
			"viewBox=\"0 0 %.0f %.0f\" data-icicle=\"%d\" data-fit=\"%d\">\n<title>",
			width, height, width, height, d->view->show.icicle, d->fit);
	pipa_view_put_xml(d->out, d->view->title, strlen(d->view->title), NAME_COLUMNS);
	pipa_buf_puts(d->out, "</title>\n<style><![CDATA[\n");
	pipa_buf_add(d->out, pipa_web_svg_style.bytes, pipa_web_svg_style.len);
	pipa_buf_puts(d->out,
		      "]]></style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
	put_text(d, "heading", 27, "heading", d->view->title);
	put_event(d, &text);
	put_text(d, "soft", 48, "event", pipa_buf_str(&text));
	put_tool(d, "reset", "Reset zoom", 202);
	put_tool(d, "search", "Search", 96);
	if (text.status && !d->out->status)
		d->out->status = text.status;
}

static void put_foot(const struct drawing *d, double height)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_flame_legend_put(&d->colors, PAD, HEAD + ROW * (d->rows + 1) + ABOVE, d->width,
			      d->out);
	put_notes(d, &text);
	put_text(d, "soft", height - 10, "notes", pipa_buf_str(&text));
	put_text(d, "soft", height - 28, "detail", "");
	put_px(d->out, "<text class=\"soft\" y=\"48\" text-anchor=\"end\" data-part=\"found\" x=\"",
	       PAD + d->width);
	pipa_buf_puts(d->out, "/>\n<script><![CDATA[\n");
	pipa_buf_add(d->out, pipa_web_svg_script.bytes, pipa_web_svg_script.len);
	pipa_buf_puts(d->out, "]]></script>\n</svg>\n");
	if (text.status && !d->out->status)
		d->out->status = text.status;
}

void pipa_flame_svg_write(const struct pipa_view *view, const struct pipa_flame_svg_style *style,
			  struct pipa_buf *out)
{
	unsigned int width = style->width ? style->width : PIPA_FLAME_SVG_WIDTH;
	struct drawing d = { .view = view,
			     .flame = view->flame,
			     .width = width - 2 * PAD,
			     .fit = !style->width,
			     .out = out };
	double height, legend;
	size_t i;
	int rc = pipa_flame_colors_init(&d.colors, view);

	if (!rc)
		rc = place_frames(&d, style);
	if (rc < 0) {
		out->status = out->status ? out->status : rc;
	} else {
		legend = pipa_flame_legend_height(&d.colors, d.width);
		height = HEAD + ROW * (d.rows + 1) + FOOT + (legend > 0 ? legend + ABOVE : 0);
		put_head(&d, height);
		put_root(&d);
		for (i = 0; i < d.boxes.n; i++)
			put_box(&d, &d.boxes.items[i]);
		put_foot(&d, height);
	}
	pipa_flame_colors_done(&d.colors);
	free(d.boxes.items);
}
