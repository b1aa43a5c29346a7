/* Help page of the report screen. */
#include <stdio.h>
#include <string.h>

#include "screen/report/report_parts.h"

/* Keys: the text in the last line, and the text of the help page. */
enum when { ALWAYS, TABLE = 1, LIVE = 2, STILL = 4, PAGE = 8 };

struct key {
	const char *key, *what, *more;
	int when; /* only in the table, only live, only not live, only on other pages */
};

static const struct key keys[] = {
	{ "q", "quit", "quit (also Ctrl-C)", TABLE },
	{ "q", "back", "back to the table (Ctrl-C quits)", PAGE },
	{ "?", "help", "this help (also F1)", ALWAYS },
	{ "Enter", "open", "expand or collapse the call tree of a row", TABLE },
	{ "space", "pause", "pause or continue (also p)", LIVE },
	{ "z", "span", "samples: decaying, last interval, since start", LIVE },
	{ "z", "zoom", "zoom into process, thread, DSO or symbol", TABLE | STILL },
	{ "Z", "zoom", "zoom into process, thread, DSO or symbol", TABLE | LIVE },
	{ "Esc", "out", "leave zoom, filter or page (also Backspace)", ALWAYS },
	{ "r", "callees", "show trees of callers or of callees", TABLE },
	{ "v", "sandwich", "callers and callees of the function", ALWAYS },
	{ "a", "source", "source lines and instructions (annotate)", ALWAYS },
	{ "i", "name", "complete name of the selected line", ALWAYS },
	{ "/", "search", "incremental search; n, N: next, previous match", ALWAYS },
	{ "f", "filter", "show only rows that contain a string", TABLE },
	{ "o", "order", "sort by children, self, samples or name", TABLE },
	{ "b", "by", "group by command, PID, TID, DSO, symbol, line, CPU", TABLE },
	{ "V", "event", "select event", TABLE },
	{ "%", "shares", "percentages of the total or of the zoom", ALWAYS },
	{ "E", "export", "export the view to a file (.csv or text)", ALWAYS },
	{ "+ -", NULL, "expand, collapse (also right, left, l, h)", TABLE },
	{ "e c C", NULL, "expand all below; collapse row; collapse all", TABLE },
	{ "j k", NULL, "down, up (also arrows, PgUp, PgDn, Home g, End G)", ALWAYS },
	{ "< >", NULL, "shorter, longer interval", LIVE },
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
	case PIPA_PROMPT_OVERWRITE: return "file exists, overwrite? (y/n) ";
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

/* Paint the complete text of the selected line in a box, in as many lines as it takes. */
void pipa_report_name_paint(const struct pipa_report_view *view, struct pipa_canvas *canvas)
{
	static char text[PIPA_LINE_TEXT_MAX], line[PIPA_LINE_TEXT_MAX];
	int room = canvas->width - 4, height, y;
	size_t at = pipa_report_scroll((struct pipa_report_view *)view)->at, len, from = 0;
	struct pipa_box box = { 0, 0, canvas->width, 0 };

	pipa_report_line_text(view, at, text, sizeof(text));
	len = strlen(text);
	if (room < 8)
		return;
	height = (int)(len / (size_t)room) + 3;
	box.height = height < canvas->height ? height : canvas->height;
	box.y = (canvas->height - box.height) / 2;
	pipa_canvas_frame(canvas, &box, PIPA_STYLE_DIM);
	for (y = box.y + 1; y < box.y + box.height - 1 && from < len; y++) {
		size_t n = len - from < (size_t)room ? len - from : (size_t)room;

		while (n > 1 && from + n < len && ((unsigned char)text[from + n] & 0xc0) == 0x80)
			n--; /* not within a character */
		snprintf(line, sizeof(line), "%.*s", (int)n, text + from);
		pipa_canvas_put(canvas, box.x + 2, y, room, PIPA_STYLE_PLAIN, line);
		from += n;
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
