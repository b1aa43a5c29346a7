/* Keys of the full-screen monitor. */
#include <string.h>

#include "base/clock.h"
#include "screen/cells/glyph.h"
#include "screen/cells/key.h"
#include "screen/monitor/monitor_view.h"

/* Remove the last UTF-8 character. */
static void remove_last_char(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = '\0';
}

static void type_char(struct pipa_process_list *list, int key)
{
	size_t len = strlen(list->filter);

	if (key < ' ' || key >= PIPA_TYPED_UP || len + 5 > sizeof(list->filter))
		return;
	len += (size_t)pipa_glyph_encode((uint32_t)key, list->filter + len);
	list->filter[len] = '\0';
}

static void filter_key(struct pipa_monitor_view *view, int key)
{
	switch (key) {
	case PIPA_TYPED_ESCAPE: view->processes.filter[0] = '\0'; /* fall through */
	case PIPA_TYPED_ENTER: view->typing = false; break;
	case PIPA_TYPED_BACKSPACE: remove_last_char(view->processes.filter); break;
	default: type_char(&view->processes, key);
	}
}

static void sort_by(struct pipa_process_list *list, enum pipa_process_sort sort)
{
	list->sort = sort;
	list->reverse = false;
}

/* Handle a key of the process table; false if it is another key. */
static bool process_key(struct pipa_monitor_view *view, int key)
{
	struct pipa_process_list *list = &view->processes;
	long page = list->page > 1 ? (long)list->page - 1 : 1;

	switch (key) {
	case 'c':
	case 'P': sort_by(list, PIPA_PROCESS_SORT_CPU); return true;
	case 'm':
	case 'M': sort_by(list, PIPA_PROCESS_SORT_MEMORY); return true;
	case 'i':
	case 'I': sort_by(list, PIPA_PROCESS_SORT_IO); return true;
	case 'r': list->reverse = !list->reverse; return true;
	case '/': view->typing = true; return true;
	case PIPA_TYPED_UP: pipa_process_list_move(list, -1); return true;
	case PIPA_TYPED_DOWN: pipa_process_list_move(list, 1); return true;
	case PIPA_TYPED_PAGE_UP: pipa_process_list_move(list, -page); return true;
	case PIPA_TYPED_PAGE_DOWN: pipa_process_list_move(list, page); return true;
	case PIPA_TYPED_HOME: pipa_process_list_home(list); return true;
	case PIPA_TYPED_END: pipa_process_list_end(list); return true;
	case PIPA_TYPED_ESCAPE:
		list->filter[0] = '\0';
		pipa_process_list_home(list);
		return true;
	default: return false;
	}
}

enum pipa_monitor_action pipa_monitor_view_key(struct pipa_monitor_view *view, int key)
{
	if (view->typing) {
		filter_key(view, key);
		return PIPA_MONITOR_NOTHING;
	}
	if (view->help) { /* any key closes the help, as in the report screen */
		view->help = false;
		return PIPA_MONITOR_NOTHING;
	}
	if (process_key(view, key))
		return PIPA_MONITOR_NOTHING;
	switch (key) {
	case 'q': return PIPA_MONITOR_QUIT;
	case ' ': return PIPA_MONITOR_PAUSE;
	case '+':
	case '>': return PIPA_MONITOR_LONGER;
	case '-':
	case '<': return PIPA_MONITOR_SHORTER;
	case 'h':
	case PIPA_TYPED_F1:
	case '?': view->help = true; break;
	case '1': view->folded = !view->folded; break;
	default: break;
	}
	return PIPA_MONITOR_NOTHING;
}

uint64_t pipa_monitor_view_interval(uint64_t interval_ns, enum pipa_monitor_action action)
{
	static const unsigned int steps_ms[] = { 100,  200,   500,   1000, 2000,
						 5000, 10000, 30000, 60000 };
	uint64_t step = interval_ns;
	size_t i;

	if (action == PIPA_MONITOR_LONGER) {
		for (i = 0; i < PIPA_COUNT(steps_ms) && step <= interval_ns; i++)
			step = steps_ms[i] * PIPA_NS_PER_MS;
		return step > interval_ns ? step : interval_ns;
	}
	for (i = PIPA_COUNT(steps_ms); i-- > 0 && step >= interval_ns;)
		step = steps_ms[i] * PIPA_NS_PER_MS;
	return step < interval_ns ? step : interval_ns;
}
