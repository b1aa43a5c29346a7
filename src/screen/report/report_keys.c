/* Keys of the report screen. */
#include <stdio.h>
#include <string.h>

#include "screen/cells/glyph.h"
#include "screen/cells/key.h"
#include "screen/report/report_parts.h"

static enum pipa_report_action action_after(int rc)
{
	return rc < 0 ? PIPA_REPORT_NO_MEMORY : PIPA_REPORT_NOTHING;
}

/* ---- typing ------------------------------------------------------------------------------------ */

/* Remove the last UTF-8 character. */
static void remove_last_char(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = '\0';
}

static void type_char(struct pipa_report_view *view, int key)
{
	size_t len = strlen(view->typed);

	if (key == PIPA_TYPED_BACKSPACE) {
		remove_last_char(view->typed);
		return;
	}
	if (key < ' ' || key >= PIPA_TYPED_UP || len + 5 > sizeof(view->typed))
		return;
	len += (size_t)pipa_glyph_encode((uint32_t)key, view->typed + len);
	view->typed[len] = '\0';
}

/* Move to the next line that contains the text typed so far. */
static void search_typed(struct pipa_report_view *view)
{
	struct pipa_scroll *scroll = pipa_report_scroll(view);
	size_t found = pipa_report_search(view, view->typed, view->search_from, false);

	snprintf(view->search, sizeof(view->search), "%s", view->typed);
	scroll->at = found < scroll->n ? found : view->search_from;
	if (view->typed[0] && found >= scroll->n)
		pipa_report_view_message(view, "no match");
}

static void search_key(struct pipa_report_view *view, int key)
{
	switch (key) {
	case PIPA_TYPED_ESCAPE:
		view->search[0] = '\0';
		pipa_report_scroll(view)->at = view->search_from; /* fall through */
	case PIPA_TYPED_ENTER: view->prompt = PIPA_PROMPT_NONE; break;
	default: type_char(view, key); search_typed(view);
	}
}

static void search_again(struct pipa_report_view *view, bool backwards)
{
	struct pipa_scroll *scroll = pipa_report_scroll(view);
	size_t from, found;

	if (!view->search[0] || !scroll->n) {
		pipa_report_view_message(view, "no search pattern (press /)");
		return;
	}
	from = backwards ? scroll->at + scroll->n - 1 : scroll->at + 1;
	found = pipa_report_search(view, view->search, from % scroll->n, backwards);
	if (found < scroll->n)
		scroll->at = found;
	else
		pipa_report_view_message(view, "no match for \"%.60s\"", view->search);
}

static enum pipa_report_action filter_key(struct pipa_report_view *view, int key)
{
	if (key == PIPA_TYPED_ENTER || key == PIPA_TYPED_ESCAPE)
		view->prompt = PIPA_PROMPT_NONE;
	if (key == PIPA_TYPED_ENTER)
		return PIPA_REPORT_NOTHING;
	if (key == PIPA_TYPED_ESCAPE)
		view->typed[0] = '\0';
	else
		type_char(view, key);
	snprintf(view->model->filter, sizeof(view->model->filter), "%s", view->typed);
	view->scroll.at = 0;
	return action_after(pipa_report_model_relist(view->model));
}

static enum pipa_report_action export_key(struct pipa_report_view *view, int key)
{
	switch (key) {
	case PIPA_TYPED_ESCAPE: view->prompt = PIPA_PROMPT_NONE; break;
	case PIPA_TYPED_ENTER:
		view->prompt = PIPA_PROMPT_NONE;
		if (!view->typed[0])
			break;
		snprintf(view->path, sizeof(view->path), "%s", view->typed);
		return PIPA_REPORT_EXPORT;
	default: type_char(view, key);
	}
	return PIPA_REPORT_NOTHING;
}

static enum pipa_report_action prompt_key(struct pipa_report_view *view, int key)
{
	switch (view->prompt) {
	case PIPA_PROMPT_SEARCH: search_key(view, key); break;
	case PIPA_PROMPT_FILTER: return filter_key(view, key);
	case PIPA_PROMPT_EXPORT: return export_key(view, key);
	case PIPA_PROMPT_OVERWRITE:
		view->prompt = PIPA_PROMPT_NONE;
		if (key == 'y' || key == 'Y')
			return PIPA_REPORT_EXPORT_OVER;
		pipa_report_view_message(view, "nothing written");
		break;
	case PIPA_PROMPT_NONE: break;
	}
	return PIPA_REPORT_NOTHING;
}

static void open_prompt(struct pipa_report_view *view, enum pipa_report_prompt prompt)
{
	view->prompt = prompt;
	view->typed[0] = '\0';
	if (prompt == PIPA_PROMPT_FILTER)
		snprintf(view->typed, sizeof(view->typed), "%s", view->model->filter);
	view->search_from = pipa_report_scroll(view)->at;
}

/* ---- trees ------------------------------------------------------------------------------------- */

/* Scroll so that the lines of the expanded branch are visible, as many as fit. */
static void scroll_to_branch(struct pipa_report_view *view)
{
	const struct pipa_report_lines *lines = &view->model->lines;
	struct pipa_scroll *scroll = pipa_report_scroll(view);
	size_t end = scroll->at + 1;

	while (end < lines->n && lines->items[end].depth > lines->items[scroll->at].depth &&
	       end - scroll->at < scroll->page)
		end++;
	if (end > scroll->from + scroll->page)
		scroll->from = end - scroll->page;
}

/* Expand the line; if it is expanded already, move to the first line below. */
static enum pipa_report_action expand_or_enter(struct pipa_report_view *view)
{
	const struct pipa_report_lines *lines = &view->model->lines;
	size_t at = view->scroll.at;

	if (at >= lines->n)
		return PIPA_REPORT_NOTHING;
	if (lines->items[at].open) {
		pipa_scroll_move(pipa_report_scroll(view), 1);
		return PIPA_REPORT_NOTHING;
	}
	if (pipa_report_model_open(view->model, at, false) < 0)
		return PIPA_REPORT_NO_MEMORY;
	if (!lines->items[at].open && !lines->items[at].depth)
		pipa_report_view_message(view, view->model->callees ? "no callees" : "no callers");
	scroll_to_branch(view);
	return PIPA_REPORT_NOTHING;
}

/* Collapse the line; if it is collapsed already, move to its parent. */
static enum pipa_report_action collapse_or_leave(struct pipa_report_view *view)
{
	const struct pipa_report_lines *lines = &view->model->lines;
	size_t at = view->scroll.at;

	if (at >= lines->n)
		return PIPA_REPORT_NOTHING;
	if (lines->items[at].open)
		return action_after(pipa_report_model_close(view->model, at));
	if (lines->items[at].parent != PIPA_NONE)
		view->scroll.at = lines->items[at].parent;
	return PIPA_REPORT_NOTHING;
}

static enum pipa_report_action toggle_line(struct pipa_report_view *view)
{
	size_t at = view->scroll.at;

	if (at < view->model->lines.n && view->model->lines.items[at].open)
		return collapse_or_leave(view);
	return expand_or_enter(view);
}

static enum pipa_report_action open_all(struct pipa_report_view *view)
{
	if (pipa_report_model_open(view->model, view->scroll.at, true) < 0)
		return PIPA_REPORT_NO_MEMORY;
	if (view->model->cut)
		pipa_report_view_message(view, "expanded only %d lines", PIPA_LINES_MAX);
	scroll_to_branch(view);
	return PIPA_REPORT_NOTHING;
}

/* Collapse the tree of the row that contains the line. */
static enum pipa_report_action close_row(struct pipa_report_view *view)
{
	const struct pipa_report_lines *lines = &view->model->lines;

	while (view->scroll.at < lines->n && lines->items[view->scroll.at].parent != PIPA_NONE)
		view->scroll.at = lines->items[view->scroll.at].parent;
	return action_after(pipa_report_model_close(view->model, view->scroll.at));
}

static enum pipa_report_action close_all(struct pipa_report_view *view)
{
	uint64_t hash;

	close_row(view);
	hash = pipa_report_view_chosen(view);
	if (pipa_report_model_close_all(view->model) < 0)
		return PIPA_REPORT_NO_MEMORY;
	view->scroll.at = pipa_report_model_find(view->model, hash, 0);
	return PIPA_REPORT_NOTHING;
}

static enum pipa_report_action invert_tree(struct pipa_report_view *view)
{
	const struct pipa_report_lines *lines = &view->model->lines;
	uint64_t hash;
	int rc;

	while (view->scroll.at < lines->n && lines->items[view->scroll.at].parent != PIPA_NONE)
		view->scroll.at = lines->items[view->scroll.at].parent;
	hash = pipa_report_view_chosen(view);
	view->model->callees = !view->model->callees;
	rc = pipa_report_model_update(view->model);
	if (!rc)
		rc = pipa_report_view_follow(view, hash);
	return action_after(rc);
}

/* ---- pages ------------------------------------------------------------------------------------- */

/* Return the function of the selected line; false if it has none. */
static bool chosen_symbol(struct pipa_report_view *view, uint32_t *symbol, uint32_t *object)
{
	const struct pipa_lazy_node *node;

	if (view->page == PIPA_PAGE_PAIR) {
		node = pipa_report_pair_node(&view->pair, view->pair.scroll.at);
		*symbol = node ? node->name : view->pair.seen[view->pair.n_seen - 1].symbol;
		*object = node ? PIPA_NONE : view->pair.seen[view->pair.n_seen - 1].object;
		return true;
	}
	if (view->page == PIPA_PAGE_TABLE &&
	    pipa_report_model_symbol(view->model, view->scroll.at, symbol, object))
		return true;
	pipa_report_view_message(view, "not a function row (press b, then s)");
	return false;
}

static enum pipa_report_action show_callers_callees(struct pipa_report_view *view)
{
	uint32_t symbol, object;

	if (!chosen_symbol(view, &symbol, &object))
		return PIPA_REPORT_NOTHING;
	view->page = PIPA_PAGE_PAIR;
	return action_after(pipa_report_pair_mode(view, symbol, object));
}

static enum pipa_report_action show_source(struct pipa_report_view *view)
{
	uint32_t symbol, object;
	char buf[64];

	if (!chosen_symbol(view, &symbol, &object))
		return PIPA_REPORT_NOTHING;
	if (symbol == PIPA_NONE || symbol & PIPA_FRAME_UNRESOLVED) {
		pipa_report_view_message(view, "unresolved symbol: cannot show its code");
		return PIPA_REPORT_NOTHING;
	}
	snprintf(view->typed, sizeof(view->typed), "%s",
		 pipa_frame_text(view->model->profile, symbol, buf));
	return PIPA_REPORT_SOURCE;
}

/* Go one step back: leave the page, then the filter, then the zoom. */
static enum pipa_report_action go_back(struct pipa_report_view *view)
{
	int rc = 0;

	switch (view->page) {
	case PIPA_PAGE_TEXT:
		view->page = view->pair.n_seen ? PIPA_PAGE_PAIR : PIPA_PAGE_TABLE;
		return PIPA_REPORT_NOTHING;
	case PIPA_PAGE_PAIR:
		if (!pipa_report_pair_back(view, &rc))
			view->page = PIPA_PAGE_TABLE;
		return action_after(rc);
	case PIPA_PAGE_TABLE: break;
	}
	if (view->model->filter[0]) {
		view->model->filter[0] = '\0';
		return action_after(pipa_report_model_relist(view->model));
	}
	if (!view->model->n_zooms) {
		pipa_report_view_message(view, "nothing to leave. q quits");
		return PIPA_REPORT_NOTHING;
	}
	view->scroll = (struct pipa_scroll){ 0 };
	return action_after(pipa_report_model_unzoom(view->model));
}

/* Return from a page to the table, as perf report does, or quit. */
static enum pipa_report_action leave_page(struct pipa_report_view *view)
{
	if (view->page == PIPA_PAGE_TABLE)
		return PIPA_REPORT_QUIT;
	view->pair.n_seen = 0;
	view->page = PIPA_PAGE_TABLE;
	return PIPA_REPORT_NOTHING;
}

/* ---- keys -------------------------------------------------------------------------------------- */

/* Handle a key that moves in the list of the page; false if it is another key. */
static bool move_key(struct pipa_report_view *view, int key)
{
	struct pipa_scroll *scroll = pipa_report_scroll(view);
	long page = scroll->page > 1 ? (long)scroll->page - 1 : 1;

	switch (key) {
	case 'k':
	case PIPA_TYPED_UP: pipa_scroll_move(scroll, -1); return true;
	case 'j':
	case PIPA_TYPED_DOWN: pipa_scroll_move(scroll, 1); return true;
	case PIPA_TYPED_PAGE_UP: pipa_scroll_move(scroll, -page); return true;
	case PIPA_TYPED_PAGE_DOWN: pipa_scroll_move(scroll, page); return true;
	case 'g':
	case PIPA_TYPED_HOME: scroll->at = 0; return true;
	case 'G':
	case PIPA_TYPED_END: scroll->at = scroll->n ? scroll->n - 1 : 0; return true;
	default: return false;
	}
}

static enum pipa_report_action table_key(struct pipa_report_view *view, int key)
{
	switch (key) {
	case '+':
	case 'l':
	case PIPA_TYPED_RIGHT: return expand_or_enter(view);
	case '-':
	case 'h':
	case PIPA_TYPED_LEFT: return collapse_or_leave(view);
	case PIPA_TYPED_ENTER: return toggle_line(view);
	case 'e': return open_all(view);
	case 'c': return close_row(view);
	case 'C': return close_all(view);
	case 'r': return invert_tree(view);
	case 'z':
	case 'Z': pipa_report_menu_open(view, PIPA_MENU_ZOOM); break;
	case 'o': pipa_report_menu_open(view, PIPA_MENU_ORDER); break;
	case 'b': pipa_report_menu_open(view, PIPA_MENU_GROUP); break;
	case 'V': pipa_report_menu_open(view, PIPA_MENU_EVENT); break;
	case 'f': open_prompt(view, PIPA_PROMPT_FILTER); break;
	default: break;
	}
	return PIPA_REPORT_NOTHING;
}

static enum pipa_report_action live_key(const struct pipa_report_view *view, int key)
{
	if (!view->live.on)
		return PIPA_REPORT_NOTHING;
	switch (key) {
	case ' ':
	case 'p': return PIPA_REPORT_PAUSE;
	case 'z': return PIPA_REPORT_SPAN;
	case '<': return PIPA_REPORT_SHORTER;
	case '>': return PIPA_REPORT_LONGER;
	default: return PIPA_REPORT_NOTHING;
	}
}

static enum pipa_report_action page_key(struct pipa_report_view *view, int key)
{
	switch (key) {
	case 'q': return leave_page(view);
	case PIPA_TYPED_F1:
	case '?': view->help = true; break;
	case 'i': view->full_name = pipa_report_scroll(view)->n > 0; break;
	case '%': view->relative = !view->relative; break;
	case '/': open_prompt(view, PIPA_PROMPT_SEARCH); break;
	case 'n': search_again(view, false); break;
	case 'N': search_again(view, true); break;
	case 'E': open_prompt(view, PIPA_PROMPT_EXPORT); break;
	case 'v': return show_callers_callees(view);
	case 'a': return show_source(view);
	case PIPA_TYPED_ESCAPE:
	case PIPA_TYPED_BACKSPACE: return go_back(view);
	case PIPA_TYPED_ENTER:
		if (view->page == PIPA_PAGE_PAIR)
			return show_callers_callees(view); /* fall through */
	default:
		if (view->page == PIPA_PAGE_TABLE)
			return table_key(view, key);
	}
	return PIPA_REPORT_NOTHING;
}

/* Handle a key of the help page, which can scroll; any other key closes it. */
static void help_key(struct pipa_report_view *view, int key)
{
	switch (key) {
	case 'j':
	case PIPA_TYPED_DOWN: view->help_from++; break;
	case 'k':
	case PIPA_TYPED_UP: view->help_from -= view->help_from > 0; break;
	default: view->help = false; view->help_from = 0;
	}
}

enum pipa_report_action pipa_report_view_key(struct pipa_report_view *view, int key)
{
	enum pipa_report_action action;

	view->message[0] = '\0';
	if (view->full_name) { /* any key closes it */
		view->full_name = false;
		return PIPA_REPORT_NOTHING;
	}
	if (view->help) {
		help_key(view, key);
		return PIPA_REPORT_NOTHING;
	}
	if (view->prompt != PIPA_PROMPT_NONE)
		return prompt_key(view, key);
	if (view->menu.kind != PIPA_MENU_NONE)
		return pipa_report_menu_key(view, key);
	action = live_key(view, key);
	if (action != PIPA_REPORT_NOTHING || move_key(view, key))
		return action;
	return page_key(view, key);
}
