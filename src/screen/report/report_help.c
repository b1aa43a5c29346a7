#include "screen/report/report_parts.h"

/* The keys: what stands in the last line, and what more the help says. */
enum when { ALWAYS, TABLE = 1, LIVE = 2, STILL = 4, PAGE = 8 };

struct key {
	const char *key, *what, *more;
	int when; /* of the table alone, while it is filled or not, of the other pages alone */
};

static const struct key keys[] = {
	{ "q", "quit", "quit (Ctrl-C too)", TABLE },
	{ "q", "back", "back to the table (Ctrl-C quits)", PAGE },
	{ "?", "help", "this help", ALWAYS },
	{ "Enter", "open", "open or close a row: its call tree", TABLE },
	{ "space", "pause", "pause and go on (p too)", LIVE },
	{ "z", "span", "now (old samples fade), the last interval, since the start", LIVE },
	{ "z", "zoom", "zoom into its process, thread, library, symbol", TABLE | STILL },
	{ "Z", "zoom", "zoom into its process, thread, library, symbol", TABLE | LIVE },
	{ "Esc", "out", "out of a zoom, a filter, a page (Backspace too)", ALWAYS },
	{ "r", "callees", "trees of callers, or of callees", TABLE },
	{ "v", "around", "a function between its callers and callees", ALWAYS },
	{ "a", "source", "its source lines and instructions", ALWAYS },
	{ "/", "search", "search as you type; n and N: next and previous", ALWAYS },
	{ "f", "filter", "show rows that contain a text", TABLE },
	{ "o", "order", "order by total, self, samples, name", TABLE },
	{ "b", "by", "rows by command, pid, tid, library, symbol, line, CPU", TABLE },
	{ "V", "event", "another event", TABLE },
	{ "%", "shares", "shares of the whole, or of the zoom", ALWAYS },
	{ "E", "export", "write what is shown to a file, .csv or text", ALWAYS },
	{ "+ -", NULL, "open and close (right and left, l and h)", TABLE },
	{ "e c C", NULL, "open all below; close the row; close all rows", TABLE },
	{ "j k", NULL, "down and up (arrows); PgUp, PgDn, Home g, End G", ALWAYS },
	{ "< >", NULL, "shorter and longer interval", LIVE },
};

static bool is_here(const struct pipa_report_view *view, const struct key *key)
{
	if (key->when & (view->page == PIPA_PAGE_TABLE ? PAGE : TABLE))
		return false;
	return !(key->when & (view->live.on ? STILL : LIVE));
}

static const char *prompt_text(enum pipa_report_prompt prompt)
{
	switch (prompt) {
	case PIPA_PROMPT_SEARCH: return "search: ";
	case PIPA_PROMPT_FILTER: return "filter: ";
	case PIPA_PROMPT_EXPORT: return "write to: ";
	case PIPA_PROMPT_OVERWRITE: return "the file is there, replace it? y or n ";
	case PIPA_PROMPT_NONE: break;
	}
	return "";
}

static void paint_prompt(const struct pipa_report_view *view, struct pipa_canvas *canvas)
{
	int x = 1, y = canvas->height - 1;

	x += pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_STRONG,
			     prompt_text(view->prompt));
	if (view->prompt == PIPA_PROMPT_OVERWRITE)
		return;
	x += pipa_canvas_put(canvas, x, y, canvas->width - x - 1, PIPA_STYLE_PLAIN, view->typed);
	x += pipa_canvas_put(canvas, x, y, 1, PIPA_STYLE_CHOSEN, " ") + 2;
	pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_DIM, "Enter  Esc");
}

void pipa_report_footer_paint(const struct pipa_report_view *view, struct pipa_canvas *canvas)
{
	int x = 1, y = canvas->height - 1;
	size_t i;

	if (view->prompt != PIPA_PROMPT_NONE) {
		paint_prompt(view, canvas);
		return;
	}
	for (i = 0; i < PIPA_COUNT(keys); i++) {
		const char *what = keys[i].what;
		int width;

		if (!what || !is_here(view, &keys[i]))
			continue;
		if (keys[i].key[0] == 'r' && view->model->callees)
			what = "callers";
		width = pipa_canvas_measure(keys[i].key) + 1 + pipa_canvas_measure(what);
		if (x + width > canvas->width)
			break;
		x += pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_STRONG,
				     keys[i].key) +
		     1;
		x += pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_DIM, what) + 2;
	}
}

size_t pipa_report_help_lines(const struct pipa_report_view *view)
{
	size_t i, n = 0;

	for (i = 0; i < PIPA_COUNT(keys); i++)
		n += is_here(view, &keys[i]);
	return n;
}

void pipa_report_help_paint(struct pipa_report_view *view, struct pipa_canvas *canvas)
{
	int width = canvas->width < 66 ? canvas->width : 66, y;
	int height = (int)pipa_report_help_lines(view) + 2;
	struct pipa_box box = { (canvas->width - width) / 2, 0, width,
				height < canvas->height ? height : canvas->height };
	size_t i, n = 0, rows = box.height > 2 ? (size_t)box.height - 2 : 0;

	if (view->help_from + rows > pipa_report_help_lines(view))
		view->help_from = pipa_report_help_lines(view) - rows;
	box.y = (canvas->height - box.height) / 2;
	pipa_canvas_frame(canvas, &box, PIPA_STYLE_DIM);
	if (height > box.height)
		pipa_canvas_put(canvas, box.x + 2, box.y + box.height - 1, width - 4,
				PIPA_STYLE_DIM, " more: down and up ");
	for (i = 0, y = box.y + 1; i < PIPA_COUNT(keys) && y < box.y + box.height - 1; i++) {
		if (!is_here(view, &keys[i]) || n++ < view->help_from)
			continue;
		pipa_canvas_put(canvas, box.x + 2, y, 6, PIPA_STYLE_STRONG, keys[i].key);
		pipa_canvas_put(canvas, box.x + 9, y, width - 11, PIPA_STYLE_PLAIN, keys[i].more);
		y++;
	}
}
