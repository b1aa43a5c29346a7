/* Keys of the full-screen monitor. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
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

static void type_char(char *text, size_t size, int key)
{
	size_t len = strlen(text);

	if (key < ' ' || key >= PIPA_TYPED_UP || len + 5 > size)
		return;
	len += (size_t)pipa_glyph_encode((uint32_t)key, text + len);
	text[len] = '\0';
}

static void filter_key(struct pipa_monitor_view *view, int key)
{
	switch (key) {
	case PIPA_TYPED_ESCAPE: view->processes.filter[0] = '\0'; /* fall through */
	case PIPA_TYPED_ENTER: view->typing = false; break;
	case PIPA_TYPED_BACKSPACE: remove_last_char(view->processes.filter); break;
	default: type_char(view->processes.filter, sizeof(view->processes.filter), key);
	}
}

/* ---- prompts ----------------------------------------------------------------------------------- */

/* Signals that the prompt offers, the usual one first. */
static const struct {
	int number;
	const char *name;
} signals[] = {
	{ SIGTERM, "SIGTERM" }, { SIGKILL, "SIGKILL" }, { SIGINT, "SIGINT" },
	{ SIGHUP, "SIGHUP" },	{ SIGQUIT, "SIGQUIT" }, { SIGSTOP, "SIGSTOP" },
	{ SIGCONT, "SIGCONT" }, { SIGUSR1, "SIGUSR1" }, { SIGUSR2, "SIGUSR2" },
	{ SIGABRT, "SIGABRT" },
};

int pipa_monitor_view_signal(const struct pipa_monitor_view *view, const char **ret_name)
{
	*ret_name = signals[view->signal_at].name;
	return signals[view->signal_at].number;
}

/* Ask about the selected process; without one say so. */
static enum pipa_monitor_action ask(struct pipa_monitor_view *view, enum pipa_monitor_prompt prompt)
{
	const struct pipa_process *p = pipa_process_list_selected(&view->processes);

	if (!view->processes.source)
		return PIPA_MONITOR_NOTHING;
	if (!p) {
		snprintf(view->message, sizeof(view->message), "select a process first (arrows)");
		return PIPA_MONITOR_NOTHING;
	}
	view->prompt = prompt;
	view->input[0] = '\0';
	view->signal_at = 0;
	view->asked = p->pid;
	snprintf(view->asked_name, sizeof(view->asked_name), "%s",
		 pipa_process_list_comm(&view->processes, p->row));
	return PIPA_MONITOR_HOLD;
}

static enum pipa_monitor_action cancel(struct pipa_monitor_view *view)
{
	bool asked = view->asked != 0;

	view->prompt = PIPA_MONITOR_ASK_NONE;
	view->asked = 0;
	return asked ? PIPA_MONITOR_HOLD : PIPA_MONITOR_NOTHING;
}

static void search_key(struct pipa_monitor_view *view, int key)
{
	bool next = key == PIPA_TYPED_F1 + 2 || key == PIPA_TYPED_DOWN;

	if (key == PIPA_TYPED_ENTER) {
		view->prompt = PIPA_MONITOR_ASK_NONE;
		return;
	}
	if (key == PIPA_TYPED_BACKSPACE)
		remove_last_char(view->input);
	else if (!next)
		type_char(view->input, sizeof(view->input), key);
	pipa_process_list_search(&view->processes, view->input, next);
}

static void choose_signal(struct pipa_monitor_view *view, int key)
{
	if (key == PIPA_TYPED_ENTER)
		view->prompt = PIPA_MONITOR_ASK_CONFIRM_SIGNAL;
	else if (key == PIPA_TYPED_DOWN || key == PIPA_TYPED_RIGHT)
		view->signal_at = (view->signal_at + 1) % PIPA_COUNT(signals);
	else if (key == PIPA_TYPED_UP || key == PIPA_TYPED_LEFT)
		view->signal_at = (view->signal_at + PIPA_COUNT(signals) - 1) % PIPA_COUNT(signals);
}

/* Edit the nice value; Enter goes on only with a valid one. */
static void nice_key(struct pipa_monitor_view *view, int key)
{
	double nice;

	if (key == PIPA_TYPED_BACKSPACE)
		remove_last_char(view->input);
	else if (key == '-' || (key >= '0' && key <= '9'))
		type_char(view->input, sizeof(view->input), key);
	else if (key == PIPA_TYPED_ENTER && pipa_str_double(view->input, &nice) == 0 &&
		 nice >= -20 && nice <= 19)
		view->prompt = PIPA_MONITOR_ASK_CONFIRM_NICE;
}

/* Handle a key while a question is open. */
static enum pipa_monitor_action prompt_key(struct pipa_monitor_view *view, int key)
{
	enum pipa_monitor_prompt prompt = view->prompt;

	if (key == PIPA_TYPED_ESCAPE)
		return cancel(view);
	switch (prompt) {
	case PIPA_MONITOR_ASK_SEARCH: search_key(view, key); break;
	case PIPA_MONITOR_ASK_SIGNAL: choose_signal(view, key); break;
	case PIPA_MONITOR_ASK_NICE: nice_key(view, key); break;
	default:
		if (key != 'y' && key != 'Y')
			return key == 'n' || key == 'N' ? cancel(view) : PIPA_MONITOR_NOTHING;
		view->prompt = PIPA_MONITOR_ASK_NONE;
		return prompt == PIPA_MONITOR_ASK_CONFIRM_SIGNAL ? PIPA_MONITOR_SIGNAL :
								   PIPA_MONITOR_RENICE;
	}
	return PIPA_MONITOR_NOTHING;
}

void pipa_monitor_view_click(struct pipa_monitor_view *view, int x, int y)
{
	if (!view->prompt && !view->typing && !view->help)
		pipa_process_list_click(&view->processes, x, y);
}

/* ---- keys -------------------------------------------------------------------------------------- */

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
	case 'T': sort_by(list, PIPA_PROCESS_SORT_TIME); return true;
	case 'N': sort_by(list, PIPA_PROCESS_SORT_PID); return true;
	case 'K': list->no_kernel = !list->no_kernel; return true;
	case 'u':
		if (!pipa_process_list_toggle_user(list))
			snprintf(view->message, sizeof(view->message),
				 "select a process of the user first (arrows)");
		return true;
	case 'r': list->reverse = !list->reverse; return true;
	case '/':
	case PIPA_TYPED_F1 + 3: view->typing = true; return true;
	case 't':
	case PIPA_TYPED_F1 + 4: list->tree = !list->tree; return true;
	case 'a': list->full = !list->full; return true;
	case 's':
	case PIPA_TYPED_F1 + 2:
		view->prompt = PIPA_MONITOR_ASK_SEARCH;
		view->input[0] = '\0';
		return true;
	case PIPA_TYPED_WHEEL_UP: pipa_process_list_move(list, -3); return true;
	case PIPA_TYPED_WHEEL_DOWN: pipa_process_list_move(list, 3); return true;
	case PIPA_TYPED_UP: pipa_process_list_move(list, -1); return true;
	case PIPA_TYPED_DOWN: pipa_process_list_move(list, 1); return true;
	case PIPA_TYPED_PAGE_UP: pipa_process_list_move(list, -page); return true;
	case PIPA_TYPED_PAGE_DOWN: pipa_process_list_move(list, page); return true;
	case PIPA_TYPED_HOME: pipa_process_list_home(list); return true;
	case PIPA_TYPED_END: pipa_process_list_end(list); return true;
	case PIPA_TYPED_ESCAPE:
		list->filter[0] = '\0';
		list->one_user = false;
		pipa_process_list_home(list);
		return true;
	default: return false;
	}
}

enum pipa_monitor_action pipa_monitor_view_key(struct pipa_monitor_view *view, int key)
{
	view->message[0] = '\0';
	if (view->prompt)
		return prompt_key(view, key);
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
	case PIPA_TYPED_F1 + 9:
	case 'q': return PIPA_MONITOR_QUIT;
	case 'k':
	case PIPA_TYPED_F1 + 8: return ask(view, PIPA_MONITOR_ASK_SIGNAL);
	case 'n':
	case PIPA_TYPED_F1 + 6:
	case PIPA_TYPED_F1 + 7: return ask(view, PIPA_MONITOR_ASK_NICE);
	case 'H':
		view->processes.threads = !view->processes.threads;
		pipa_process_list_home(&view->processes);
		return PIPA_MONITOR_THREADS;
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
