#include "screen/report/report_view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "screen/cells/amount.h"
#include "screen/report/report_parts.h"

void pipa_report_view_done(struct pipa_report_view *view)
{
	pipa_report_pair_done(&view->pair);
	pipa_report_pane_done(&view->pane);
}

void pipa_report_view_forget(struct pipa_report_view *view)
{
	pipa_report_view_done(view);
	view->pair = (struct pipa_report_pair){ 0 };
	view->scroll = (struct pipa_scroll){ 0 };
	view->page = PIPA_PAGE_TABLE;
	view->model->lines.n = 0; /* paths of lines are invalid after a change of the profile */
}

void pipa_report_view_message(struct pipa_report_view *view, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(view->message, sizeof(view->message), fmt, ap);
	va_end(ap);
}

double pipa_report_percent(const struct pipa_report_view *view, uint64_t weight)
{
	uint64_t all = view->relative ? view->model->partial : view->model->whole;

	return all ? 100 * (double)weight / (double)all : 0;
}

uint64_t pipa_report_view_chosen(const struct pipa_report_view *view)
{
	const struct pipa_report_lines *lines = &view->model->lines;

	return view->scroll.at < lines->n ? lines->items[view->scroll.at].hash : 0;
}

int pipa_report_view_follow(struct pipa_report_view *view, uint64_t hash)
{
	/* on the first line: stay on the first line */
	if (view->scroll.at)
		view->scroll.at = pipa_report_model_find(view->model, hash, view->scroll.at);
	pipa_scroll_fit(&view->scroll, view->model->lines.n, view->scroll.page);
	return view->pair.n_seen ? pipa_report_pair_again(view) : 0;
}

int pipa_report_view_regroup(struct pipa_report_view *view, enum pipa_key key)
{
	struct pipa_top_options *o = &view->model->o;

	*o = view->first;
	o->n_keys = 0;
	switch (key) {
	case PIPA_KEY_NR:
		memcpy(o->keys, view->first.keys, sizeof(o->keys));
		o->n_keys = view->first.n_keys;
		break;
	case PIPA_KEY_PID:
	case PIPA_KEY_TID:
		o->keys[o->n_keys++] = key;
		o->keys[o->n_keys++] = PIPA_KEY_COMM;
		break;
	case PIPA_KEY_SYMBOL:
		o->keys[o->n_keys++] = PIPA_KEY_OBJECT;
		o->keys[o->n_keys++] = key;
		break;
	case PIPA_KEY_SRCLINE:
		o->keys[o->n_keys++] = key;
		o->keys[o->n_keys++] = PIPA_KEY_SYMBOL;
		break;
	default: o->keys[o->n_keys++] = key;
	}
	view->scroll = (struct pipa_scroll){ 0 };
	return pipa_report_model_update(view->model);
}

/* ---- the list of the page ---------------------------------------------------------------------- */

struct pipa_scroll *pipa_report_scroll(struct pipa_report_view *view)
{
	switch (view->page) {
	case PIPA_PAGE_PAIR: return &view->pair.scroll;
	case PIPA_PAGE_TEXT: return &view->pane.scroll;
	default:
		view->scroll.n =
			view->model->lines.n; /* several keys can arrive between two paintings */
		return &view->scroll;
	}
}

void pipa_report_line_text(const struct pipa_report_view *view, size_t i, char *out, size_t size)
{
	switch (view->page) {
	case PIPA_PAGE_PAIR: pipa_report_pair_text(view, i, out, size); break;
	case PIPA_PAGE_TEXT:
		snprintf(out, size, "%s", pipa_report_pane_line(&view->pane, i));
		break;
	case PIPA_PAGE_TABLE: pipa_report_model_text(view->model, i, out, size); break;
	}
}

size_t pipa_report_search(const struct pipa_report_view *view, const char *search, size_t from,
			  bool backwards)
{
	size_t n = pipa_report_scroll((struct pipa_report_view *)view)->n, i;
	char text[1024];

	for (i = 0; i < n && search[0]; i++) {
		size_t at = backwards ? (from + n - i) % n : (from + i) % n;

		pipa_report_line_text(view, at, text, sizeof(text));
		if (strcasestr(text, search))
			return at;
	}
	return n;
}

/* ---- around the page --------------------------------------------------------------------------- */

static void format_live(const struct pipa_report_view *view, char *out, size_t size)
{
	static const char *const spans[PIPA_LIVE_SPAN_NR] = {
		[PIPA_LIVE_NOW] = "now, every ",
		[PIPA_LIVE_LAST] = "last ",
		[PIPA_LIVE_ALL] = "all, every ",
	};
	char interval[PIPA_AMOUNT_MAX];

	pipa_amount_interval(interval, view->live.interval_ns);
	snprintf(out, size, "%s%s%s  %s", view->live.paused ? "PAUSED  " : "",
		 spans[view->live.span], interval, view->live.note);
}

/* Format " (1 of 2)": the event among those that have samples, if there are several. */
static void format_event_index(const struct pipa_report_view *view, char *out, size_t size)
{
	const struct pipa_profile *p = view->model->profile;
	unsigned int n = 0, at = 0;
	uint32_t i;

	for (i = 0; i < p->events.n; i++) {
		n += p->events.items[i].count > 0;
		at = i == view->model->event ? n : at;
	}
	if (n > 1)
		snprintf(out, size, " (%u of %u)", at, n);
}

/* Paint the title: file, event, number of samples. */
static void paint_header(const struct pipa_report_view *view, struct pipa_canvas *canvas)
{
	const struct pipa_profile *p = view->model->profile;
	const struct pipa_profile_event *event = view->model->event < p->events.n ?
							 &p->events.items[view->model->event] :
							 NULL;
	char right[256] = "", samples[PIPA_AMOUNT_MAX], live[160] = "";
	int width;

	pipa_canvas_fill(canvas, &(struct pipa_box){ 0, 0, canvas->width, 1 }, ' ',
			 PIPA_STYLE_HEADER);
	if (view->live.on)
		format_live(view, live, sizeof(live));
	if (event) {
		char which[40] = "";

		format_event_index(view, which, sizeof(which));
		pipa_amount_count(samples, (double)event->count);
		snprintf(right, sizeof(right), "%s  %.80s%s  %s %s ", live,
			 pipa_profile_string(p, event->name), which, samples,
			 event->count == 1 ? "sample" : "samples");
	} else {
		snprintf(right, sizeof(right), "%s ", live);
	}
	width = pipa_canvas_measure(right);
	width = width < canvas->width ? width : canvas->width;
	pipa_canvas_put(canvas, canvas->width - width, 0, width, PIPA_STYLE_HEADER, right);
	pipa_canvas_put(canvas, 1, 0, canvas->width - width - 2, PIPA_STYLE_HEADER,
			view->name ? view->name : "");
}

/* Paint the zoom path; if it is too long, its beginning is omitted. */
static void paint_crumbs(const struct pipa_report_view *view, struct pipa_canvas *canvas)
{
	const struct pipa_report_model *m = view->model;
	char part[120], text[PIPA_ZOOMS_MAX * 130] = "all";
	char right[160];
	size_t i, n = 3;
	int width, skip;
	const char *at = text;

	for (i = 0; i < m->n_zooms; i++) {
		pipa_report_model_zoom_text(m, &m->zooms[i], part, sizeof(part));
		n += (size_t)snprintf(text + n, sizeof(text) - n, " > %s", part);
	}
	if (m->n_zooms)
		snprintf(text + n, sizeof(text) - n, "  %.2f%%",
			 m->whole ? 100 * (double)m->partial / (double)m->whole : 0);
	snprintf(right, sizeof(right), "%s%.40s%s%s%s ", m->filter[0] ? "filter \"" : "", m->filter,
		 m->filter[0] ? "\"  " : "", m->callees ? "callees" : "callers",
		 view->relative ? "  of the zoom" : "");
	width = pipa_canvas_measure(right);
	if (width + 8 < canvas->width)
		pipa_canvas_put(canvas, canvas->width - width, 1, width, PIPA_STYLE_DIM, right);
	else
		width = 0;
	for (skip = pipa_canvas_measure(text) - (canvas->width - width - 3); skip > 0 && *at;
	     skip--)
		at++;
	pipa_canvas_put(canvas, 1, 1, canvas->width - width - 2, PIPA_STYLE_STRONG, at);
}

static uint64_t count_truncated(const struct pipa_profile *p)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < p->truncated_stacks.n; i++)
		if (p->truncated_stacks.items[i].why != PIPA_STACK_COMPLETE)
			n += p->truncated_stacks.items[i].count;
	/* pprof and OTLP profiles state only the number */
	return !n && !p->losses.unwound ? p->losses.unwound_truncated : n;
}

/* Format the losses of the recording. */
static void format_losses(const struct pipa_report_view *view, char *out, size_t size)
{
	const struct pipa_losses *l = &view->model->profile->losses;
	uint64_t cuts = count_truncated(view->model->profile);
	size_t n = 0;

	out[0] = '\0';
	if (l->lost_samples || l->lost_records)
		n += (size_t)snprintf(out + n, size - n, "lost %llu samples, %llu records  ",
				      (unsigned long long)l->lost_samples,
				      (unsigned long long)l->lost_records);
	if (l->throttled && n < size)
		n += (size_t)snprintf(out + n, size - n, "throttled %llu times  ",
				      (unsigned long long)l->throttled);
	if (l->cut_stacks && n < size)
		n += (size_t)snprintf(out + n, size - n, "truncated samples %llu  ",
				      (unsigned long long)l->cut_stacks);
	if (l->damaged && !(view->recording && view->recording->damage.count) && n < size)
		n += (size_t)snprintf(out + n, size - n, "malformed lines %llu  ",
				      (unsigned long long)l->damaged);
	if (cuts && n < size)
		n += (size_t)snprintf(out + n, size - n, "truncated stacks %llu  ",
				      (unsigned long long)cuts);
	if (view->recording && view->recording->damage.count && n < size)
		n += (size_t)snprintf(out + n, size - n, "corrupt: %s",
				      view->recording->damage.what);
	if (!n)
		snprintf(out, size, "nothing lost");
}

static void paint_status(struct pipa_report_view *view, struct pipa_canvas *canvas, int y)
{
	const struct pipa_scroll *scroll = pipa_report_scroll(view);
	char text[256], where[64];
	int width;

	snprintf(where, sizeof(where), "%zu of %zu ", scroll->n ? scroll->at + 1 : 0, scroll->n);
	width = pipa_canvas_measure(where);
	if (view->message[0]) {
		pipa_canvas_put(canvas, 1, y, canvas->width - 1, PIPA_STYLE_WARN, view->message);
		return;
	}
	format_losses(view, text, sizeof(text));
	pipa_canvas_put(canvas, 1, y, canvas->width - width - 2,
			strcmp(text, "nothing lost") == 0 ? PIPA_STYLE_DIM : PIPA_STYLE_WARN, text);
	if (width < canvas->width)
		pipa_canvas_put(canvas, canvas->width - width, y, width, PIPA_STYLE_DIM, where);
}

void pipa_report_view_paint(struct pipa_report_view *view, struct pipa_canvas *canvas)
{
	bool crumbs = canvas->height > 5, footer = canvas->height > 3;
	struct pipa_box box = { 0, 1 + crumbs, canvas->width,
				canvas->height - 1 - crumbs - 2 * footer };

	pipa_canvas_clear(canvas);
	paint_header(view, canvas);
	if (crumbs)
		paint_crumbs(view, canvas);
	switch (view->page) {
	case PIPA_PAGE_TABLE: pipa_report_table_paint(view, canvas, &box); break;
	case PIPA_PAGE_PAIR: pipa_report_pair_paint(view, canvas, &box); break;
	case PIPA_PAGE_TEXT: pipa_report_pane_paint(view, canvas, &box); break;
	}
	if (footer) {
		paint_status(view, canvas, canvas->height - 2);
		pipa_report_footer_paint(view, canvas);
	}
	if (view->menu.kind != PIPA_MENU_NONE)
		pipa_report_menu_paint(view, canvas);
	if (view->full_name)
		pipa_report_name_paint(view, canvas);
	if (view->help)
		pipa_report_help_paint(view, canvas);
}
