/* Paint the table of the report screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/short_name.h"
#include "base/auto.h"
#include "base/buf.h"
#include "screen/cells/amount.h"
#include "screen/report/report_parts.h"

/* Positions of the columns; a width of 0: omitted. */
struct layout {
	int total, self; /* x of these columns, each 8 cells wide */
	int bar, bar_width;
	int samples, samples_width;
	int keys;		 /* x of the first key */
	int widths[PIPA_KEY_NR]; /* of each key; 0: omitted */
	int width;
};

enum { MEASURED = 1000, SHARE = 8, WIDEST = 24 };

/* Measure the widest cells of the first rows and the titles. */
static void measure_columns(struct pipa_report_view *view)
{
	const struct pipa_report_model *m = view->model;
	size_t i, k, n = m->n_shown < MEASURED ? m->n_shown : MEASURED;
	char text[512];

	if (view->measured == m->made)
		return;
	view->measured = m->made;
	for (k = 0; k < m->top.o.n_keys; k++) {
		view->widths[k] = pipa_canvas_measure(pipa_key_title(&m->top.o, m->top.o.keys[k])) +
				  !k; /* and the mark of the sort order */
		for (i = 0; i < n; i++) {
			int width;

			pipa_report_model_cell(m, m->order_of[i], k, text, sizeof(text));
			width = pipa_canvas_measure(text);
			view->widths[k] = width > view->widths[k] ? width : view->widths[k];
		}
	}
}

/*
 * Assign widths: the last key gets the rest, the others what they need, limited to their share if
 * that would leave the last key too little.
 */
static void plan_keys(const struct pipa_report_view *view, struct layout *l)
{
	size_t n = view->model->top.o.n_keys, i;
	int room = l->width - l->keys, most = WIDEST, left = room;

	for (i = 0; i < n; i++)
		l->widths[i] = 0;
	if (!n)
		return;
	for (i = 0; i + 1 < n; i++)
		left -= (view->widths[i] < most ? view->widths[i] : most) + 2;
	if (left < WIDEST)
		most = room / (int)(n + 1);
	for (i = 0; i + 1 < n && most >= 8; i++) {
		l->widths[i] = view->widths[i] < most ? view->widths[i] : most;
		room -= l->widths[i] + 2;
	}
	l->widths[n - 1] = room > 0 ? room : 0;
}

static struct layout plan_columns(const struct pipa_report_view *view, int width)
{
	struct layout l = { .width = width, .total = 2, .self = 2 + SHARE };
	int x = 2 + 2 * SHARE + 1;

	l.samples_width = width >= 100 ? 8 : 0; /* beside the share that they are of */
	l.samples = x;
	x += l.samples_width ? l.samples_width + 1 : 0;
	l.bar_width = width >= 120 ? 20 : width >= 70 ? 10 : 0;
	l.bar = x;
	x += l.bar_width ? l.bar_width + 1 : 0;
	l.keys = x;
	plan_keys(view, &l);
	return l;
}

static void paint_titles(const struct pipa_report_view *view, struct pipa_canvas *canvas,
			 const struct layout *l, int y)
{
	static const char *const arrows[2][2] = { { "v", "^" }, { "▾", "▴" } };
	const struct pipa_report_model *m = view->model;
	const char *arrow = arrows[canvas->utf8][m->reverse];
	struct pipa_box line = { 0, y, l->width, 1 };
	char text[32];
	int x = l->keys;
	size_t i;

	pipa_canvas_fill(canvas, &line, ' ', PIPA_STYLE_HEADER);
	snprintf(text, sizeof(text), "%sChildren", m->order == PIPA_ORDER_TOTAL ? arrow : "");
	pipa_canvas_right(canvas, 0, y, l->total + SHARE - 1, PIPA_STYLE_HEADER, text);
	snprintf(text, sizeof(text), "%sSelf", m->order == PIPA_ORDER_SELF ? arrow : "");
	pipa_canvas_right(canvas, l->self, y, SHARE - 1, PIPA_STYLE_HEADER, text);
	snprintf(text, sizeof(text), "%sSamples", m->order == PIPA_ORDER_SAMPLES ? arrow : "");
	if (l->samples_width)
		pipa_canvas_right(canvas, l->samples, y, l->samples_width, PIPA_STYLE_HEADER, text);
	for (i = 0; i < m->top.o.n_keys; i++) {
		if (!l->widths[i])
			continue;
		snprintf(text, sizeof(text), "%s%s",
			 m->order == PIPA_ORDER_NAME && x == l->keys ? arrow : "",
			 pipa_key_title(&m->top.o, m->top.o.keys[i]));
		pipa_canvas_put(canvas, x, y, l->widths[i], PIPA_STYLE_HEADER, text);
		x += l->widths[i] + 2;
	}
}

static enum pipa_cell_style style_of(double percent)
{
	return percent >= 5 ? PIPA_STYLE_ALERT : percent >= 0.5 ? PIPA_STYLE_GOOD : PIPA_STYLE_DIM;
}

static void paint_shares(const struct pipa_report_view *view, struct pipa_canvas *canvas,
			 const struct layout *l, int y, size_t line)
{
	struct pipa_report_share share = pipa_report_model_share(view->model, line);
	double total = pipa_report_percent(view, share.total.weight);
	double self = pipa_report_percent(view, share.self.weight);
	struct pipa_part parts[2] = { { total / 100, PIPA_STYLE_CHART } };
	char text[PIPA_AMOUNT_MAX];

	snprintf(text, sizeof(text), "%.2f%%", total);
	pipa_canvas_right(canvas, l->total, y, SHARE - 1, style_of(total), text);
	snprintf(text, sizeof(text), "%.2f%%", self);
	if (share.has_self)
		pipa_canvas_right(canvas, l->self, y, SHARE - 1, style_of(self), text);
	if (l->bar_width && share.has_self) {
		parts[0] = (struct pipa_part){ self / 100, PIPA_STYLE_SYSTEM };
		parts[1] = (struct pipa_part){ (total - self) / 100, PIPA_STYLE_CHART };
	}
	if (l->bar_width)
		pipa_canvas_bar(canvas, l->bar, y, l->bar_width, parts, share.has_self ? 2 : 1);
	pipa_amount_count(text, (double)(share.has_self ? share.self.count : share.total.count));
	if (l->samples_width)
		pipa_canvas_right(canvas, l->samples, y, l->samples_width, PIPA_STYLE_DIM, text);
}

static const char *expand_mark(const struct pipa_report_view *view,
			       const struct pipa_canvas *canvas, size_t line)
{
	if (view->model->lines.items[line].open)
		return canvas->utf8 ? "▾" : "-";
	if (pipa_report_model_has_more(view->model, line))
		return canvas->utf8 ? "▸" : "+";
	return " ";
}

/*
 * Paint a symbol in `width` cells, shortened if needed: "[.] ", its name and what is after the name. The name has
 * no object of its own beside the object's column (`object`, or "").
 */
static void paint_symbol(struct pipa_canvas *canvas, int x, int y, int width,
			 enum pipa_cell_style style, const char *text, const char *object)
{
	static const char inlined[] = " (inlined)", brief[] = " (i)";
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };
	size_t start = text[0] == '[' && text[1] && text[2] == ']' && text[3] == ' ' ? 4 : 0;
	const char *mark = "";
	size_t len = strlen(text), end = sizeof(inlined) - 1, room;
	PIPA_AUTO(free) char *name = strdup(pipa_short_name_in(text + start, object));

	if (!name) {
		pipa_canvas_put(canvas, x, y, width, style, text);
		return;
	}
	if (len > end && strcmp(text + len - end, inlined) == 0) {
		name[strlen(name) - end] = '\0';
		/* the part of the name that tells it from others is worth more than the word */
		mark = (int)(start + strlen(name) + end) > width ? brief : inlined;
	}
	room = start + strlen(mark);
	room = width > (int)room ? (size_t)width - room : 0;
	pipa_buf_add(&line, text, start);
	pipa_short_name(name, room, PIPA_SHORT_BOX, &line);
	pipa_buf_puts(&line, mark);
	pipa_canvas_put(canvas, x, y, width, style, line.status ? text : pipa_buf_str(&line));
}

/*
 * Paint a branch of the tree: indented by level as far as there is space, then with the level's
 * number.
 */
static void paint_branch(const struct pipa_report_view *view, struct pipa_canvas *canvas,
			 const struct layout *l, int y, size_t line)
{
	const struct pipa_report_line *at = &view->model->lines.items[line];
	int room = l->width - l->keys, most = room / 3, x = l->keys;
	enum pipa_cell_style style = PIPA_STYLE_PLAIN;
	char text[PIPA_LINE_TEXT_MAX];

	pipa_report_model_text(view->model, line, text, sizeof(text));
	if (view->search[0] && strcasestr(text, view->search))
		style = PIPA_STYLE_STRONG;
	if (2 * (int64_t)at->depth <= most) {
		x += 2 * (int)at->depth;
	} else {
		char number[16];

		snprintf(number, sizeof(number), "%u", at->depth);
		pipa_canvas_right(canvas, x, y, most - 1, PIPA_STYLE_DIM, number);
		x += most;
	}
	pipa_canvas_put(canvas, x, y, 1, PIPA_STYLE_DIM, expand_mark(view, canvas, line));
	paint_symbol(canvas, x + 2, y, l->width - x - 2, style, text, "");
}

static void paint_row(const struct pipa_report_view *view, struct pipa_canvas *canvas,
		      const struct layout *l, int y, size_t line)
{
	const struct pipa_report_model *m = view->model;
	uint32_t row = m->lines.items[line].row;
	char text[PIPA_LINE_TEXT_MAX], object[512] = "";
	int x = l->keys;
	size_t i;

	pipa_canvas_put(canvas, 0, y, 1, PIPA_STYLE_DIM, expand_mark(view, canvas, line));
	for (i = 0; i < m->top.o.n_keys; i++) {
		enum pipa_cell_style style = PIPA_STYLE_PLAIN;

		if (!l->widths[i])
			continue;
		pipa_report_model_cell(m, row, i, text, sizeof(text));
		if (view->search[0] && strcasestr(text, view->search))
			style = PIPA_STYLE_STRONG;
		if (m->top.o.keys[i] == PIPA_KEY_OBJECT)
			snprintf(object, sizeof(object), "%s", text);
		if (m->top.o.keys[i] == PIPA_KEY_SYMBOL)
			paint_symbol(canvas, x, y, l->widths[i], style, text, object);
		else
			pipa_canvas_put(canvas, x, y, l->widths[i], style, text);
		x += l->widths[i] + 2;
	}
}

void pipa_report_table_paint(struct pipa_report_view *view, struct pipa_canvas *canvas,
			     const struct pipa_box *box)
{
	struct pipa_scroll *scroll = &view->scroll;
	struct pipa_box line = { box->x, box->y, box->width, 1 };
	struct layout l;
	size_t i;

	measure_columns(view);
	l = plan_columns(view, box->width);
	paint_titles(view, canvas, &l, box->y);
	pipa_scroll_fit(scroll, view->model->lines.n,
			box->height > 1 ? (size_t)box->height - 1 : 0);
	for (i = scroll->from; i < scroll->n && i < scroll->from + scroll->page; i++) {
		line.y++;
		paint_shares(view, canvas, &l, line.y, i);
		if (view->model->lines.items[i].node)
			paint_branch(view, canvas, &l, line.y, i);
		else
			paint_row(view, canvas, &l, line.y, i);
		if (i == scroll->at)
			pipa_canvas_restyle(canvas, &line, PIPA_STYLE_CHOSEN);
	}
	if (!scroll->n && box->height > 1)
		pipa_canvas_put(canvas, 2, box->y + 1, box->width - 2, PIPA_STYLE_DIM,
				view->model->filter[0] ? "no row matches the filter" :
				view->live.on	       ? "no samples yet" :
							 "no samples");
}
