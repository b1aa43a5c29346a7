/* Menus of the report screen. */
#include <stdio.h>
#include <string.h>

#include "screen/cells/key.h"
#include "screen/report/report_parts.h"

static struct pipa_report_choice *add_item(struct pipa_report_menu *menu, char letter,
					   const char *text, uint32_t value)
{
	struct pipa_report_choice *item;

	if (menu->n == PIPA_COUNT(menu->items))
		return NULL;
	item = &menu->items[menu->n++];
	*item = (struct pipa_report_choice){ .letter = letter, .value = value };
	snprintf(item->text, sizeof(item->text), "%s", text);
	return item;
}

/* Keys for zooming and grouping. */
static const struct {
	char letter;
	enum pipa_key key;
	const char *text;
} keys[] = {
	{ 'c', PIPA_KEY_COMM, "command" },  { 'p', PIPA_KEY_PID, "process" },
	{ 't', PIPA_KEY_TID, "thread" },    { 'd', PIPA_KEY_OBJECT, "DSO" },
	{ 's', PIPA_KEY_SYMBOL, "symbol" }, { 'l', PIPA_KEY_SRCLINE, "source line" },
	{ 'u', PIPA_KEY_CPU, "CPU" },
};

static void list_zooms(struct pipa_report_view *view)
{
	struct pipa_report_menu *menu = &view->menu;
	struct pipa_zoom zoom;
	char what[48];
	size_t i;

	menu->title = "zoom into";
	for (i = 0; i < PIPA_COUNT(keys); i++) {
		struct pipa_report_choice *item = add_item(menu, keys[i].letter, keys[i].text,
							   keys[i].key);

		if (!item)
			return;
		item->off = !pipa_report_model_can_zoom(view->model, view->scroll.at, keys[i].key,
							&zoom);
		if (item->off)
			continue;
		pipa_report_model_zoom_text(view->model, &zoom, what, sizeof(what));
		snprintf(item->text, sizeof(item->text), "%s", what);
	}
}

static void list_orders(struct pipa_report_menu *menu)
{
	menu->title = "sort by";
	add_item(menu, 't', "children", PIPA_ORDER_TOTAL);
	add_item(menu, 's', "self", PIPA_ORDER_SELF);
	add_item(menu, 'c', "samples", PIPA_ORDER_SAMPLES);
	add_item(menu, 'n', "name", PIPA_ORDER_NAME);
	add_item(menu, 'r', "reverse", PIPA_ORDER_NR);
}

static void list_groups(const struct pipa_report_view *view, struct pipa_report_menu *menu)
{
	size_t i;

	menu->title = "group by";
	for (i = 0; i < PIPA_COUNT(keys); i++) {
		struct pipa_report_choice *item = add_item(menu, keys[i].letter, keys[i].text,
							   keys[i].key);

		if (item && view->live.on)
			item->off = (keys[i].key == PIPA_KEY_CPU && !view->has_cpus) ||
				    (keys[i].key == PIPA_KEY_SRCLINE && !view->has_places);
	}
	add_item(menu, 'b', "initial grouping", PIPA_KEY_NR);
}

static void list_events(const struct pipa_report_view *view, struct pipa_report_menu *menu)
{
	const struct pipa_profile *p = view->model->profile;
	uint32_t i;

	menu->title = "event";
	for (i = 0; i < p->events.n; i++) {
		struct pipa_report_choice *item = add_item(
			menu, i < 9 ? (char)('1' + i) : ' ',
			pipa_profile_string(p, p->events.items[i].name), i);

		if (item)
			item->off = !p->events.items[i].count;
		if (item && i == view->model->event)
			menu->at = menu->n - 1;
	}
}

void pipa_report_menu_open(struct pipa_report_view *view, enum pipa_report_menu_kind kind)
{
	struct pipa_report_menu *menu = &view->menu;

	*menu = (struct pipa_report_menu){ .kind = kind };
	switch (kind) {
	case PIPA_MENU_ZOOM: list_zooms(view); break;
	case PIPA_MENU_ORDER: list_orders(menu); break;
	case PIPA_MENU_GROUP: list_groups(view, menu); break;
	case PIPA_MENU_EVENT: list_events(view, menu); break;
	case PIPA_MENU_NONE: break;
	}
	while (menu->at + 1 < menu->n && menu->items[menu->at].off)
		menu->at++;
}

/* ---- choosing ---------------------------------------------------------------------------------- */

static enum pipa_report_action action_after(int rc)
{
	return rc < 0 ? PIPA_REPORT_NO_MEMORY : PIPA_REPORT_NOTHING;
}

static enum pipa_report_action choose_order(struct pipa_report_view *view, uint32_t value)
{
	struct pipa_report_model *model = view->model;
	uint64_t chosen = pipa_report_view_chosen(view);
	int rc;

	if (value == PIPA_ORDER_NR)
		model->reverse = !model->reverse;
	else
		model->reverse = false;
	if (value != PIPA_ORDER_NR)
		model->order = (enum pipa_report_order)value;
	rc = pipa_report_model_relist(model);
	if (!rc)
		rc = pipa_report_view_follow(view, chosen);
	return action_after(rc);
}

static enum pipa_report_action choose_group(struct pipa_report_view *view, uint32_t value)
{
	if (value == PIPA_KEY_CPU && !view->has_cpus)
		return PIPA_REPORT_WITH_CPUS;
	if (value == PIPA_KEY_SRCLINE && !view->has_places)
		return PIPA_REPORT_WITH_PLACES;
	return action_after(pipa_report_view_regroup(view, (enum pipa_key)value));
}

static enum pipa_report_action choose_item(struct pipa_report_view *view,
					   const struct pipa_report_choice *item)
{
	enum pipa_report_menu_kind kind = view->menu.kind;
	struct pipa_zoom zoom;

	view->menu.kind = PIPA_MENU_NONE;
	if (item->off) {
		pipa_report_view_message(view, "n/a for this row");
		return PIPA_REPORT_NOTHING;
	}
	switch (kind) {
	case PIPA_MENU_ZOOM:
		if (!pipa_report_model_can_zoom(view->model, view->scroll.at,
						(enum pipa_key)item->value, &zoom))
			return PIPA_REPORT_NOTHING;
		view->scroll = (struct pipa_scroll){ 0 };
		return action_after(pipa_report_model_zoom(view->model, &zoom));
	case PIPA_MENU_ORDER: return choose_order(view, item->value);
	case PIPA_MENU_GROUP: return choose_group(view, item->value);
	case PIPA_MENU_EVENT:
		view->model->event = item->value;
		view->scroll = (struct pipa_scroll){ 0 };
		return action_after(pipa_report_model_update(view->model));
	case PIPA_MENU_NONE: break;
	}
	return PIPA_REPORT_NOTHING;
}

enum pipa_report_action pipa_report_menu_key(struct pipa_report_view *view, int key)
{
	struct pipa_report_menu *menu = &view->menu;
	size_t i;

	switch (key) {
	case 'k':
	case PIPA_TYPED_UP: menu->at -= menu->at > 0; return PIPA_REPORT_NOTHING;
	case 'j':
	case PIPA_TYPED_DOWN: menu->at += menu->at + 1 < menu->n; return PIPA_REPORT_NOTHING;
	case PIPA_TYPED_ENTER:
		if (menu->at < menu->n)
			return choose_item(view, &menu->items[menu->at]);
		break;
	default: break;
	}
	for (i = 0; i < menu->n; i++)
		if (key == menu->items[i].letter && key != ' ')
			return choose_item(view, &menu->items[i]);
	menu->kind = PIPA_MENU_NONE;
	return PIPA_REPORT_NOTHING;
}

void pipa_report_menu_paint(const struct pipa_report_view *view, struct pipa_canvas *canvas)
{
	const struct pipa_report_menu *menu = &view->menu;
	int width = canvas->width < 46 ? canvas->width : 46, rows = (int)menu->n, i;
	struct pipa_box box = { (canvas->width - width) / 2, 0, width, rows + 2 };
	size_t from = 0;

	if (box.height > canvas->height)
		box.height = canvas->height;
	if ((int)menu->at >= box.height - 2 && box.height > 2)
		from = menu->at - (size_t)(box.height - 3);
	box.y = (canvas->height - box.height) / 2;
	pipa_canvas_frame(canvas, &box, PIPA_STYLE_DIM);
	pipa_canvas_printf(canvas, box.x + 2, box.y, width - 4, PIPA_STYLE_STRONG, " %s ",
			   menu->title);
	for (i = 0; i < box.height - 2 && from + (size_t)i < menu->n; i++) {
		const struct pipa_report_choice *item = &menu->items[from + (size_t)i];
		struct pipa_box line = { box.x + 1, box.y + 1 + i, width - 2, 1 };

		pipa_canvas_printf(canvas, box.x + 2, line.y, 1,
				   item->off ? PIPA_STYLE_DIM : PIPA_STYLE_STRONG, "%c",
				   item->letter);
		pipa_canvas_put(canvas, box.x + 5, line.y, width - 7,
				item->off ? PIPA_STYLE_DIM : PIPA_STYLE_PLAIN, item->text);
		if (from + (size_t)i == menu->at)
			pipa_canvas_restyle(canvas, &line, PIPA_STYLE_CHOSEN);
	}
}
