#include "screen/monitor/monitor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/error.h"
#include "job/monitor.h"
#include "job/process_info.h"
#include "measure/watch.h"
#include "model/sections.h"
#include "screen/cells/key.h"
#include "screen/cells/tui.h"
#include "screen/monitor/monitor_model.h"
#include "screen/monitor/monitor_view.h"
#include "screen/monitor/preferences.h"
#include "store/series_filter.h"

/* Sections that the screen shows if they are available, in the order of the dictionary. */
static const struct pipa_section *const machine_sections[] = {
	&pipa_sections[PIPA_SECTION_CPU],	 &pipa_sections[PIPA_SECTION_CSWCH],
	&pipa_sections[PIPA_SECTION_IO],	 &pipa_sections[PIPA_SECTION_MEM],
	&pipa_sections[PIPA_SECTION_SWAP],	 &pipa_sections[PIPA_SECTION_LOAD],
	&pipa_sections[PIPA_SECTION_DISK],	 &pipa_sections[PIPA_SECTION_NET],
	&pipa_sections[PIPA_SECTION_NET_ERRORS], &pipa_sections[PIPA_SECTION_PSI_CPU],
	&pipa_sections[PIPA_SECTION_PSI_IO],	 &pipa_sections[PIPA_SECTION_PSI_MEMORY],
};

/* Rows of the process table: of processes, and of threads. */
static const struct pipa_section *const task_sections[2][2] = {
	{ &pipa_sections[PIPA_SECTION_PROCESSES], &pipa_sections[PIPA_SECTION_PROCESS_IO] },
	{ &pipa_sections[PIPA_SECTION_THREADS], &pipa_sections[PIPA_SECTION_THREAD_IO] },
};

/* The first interval is short, so that values appear at once. */
static const uint64_t soon_ns = 200 * PIPA_NS_PER_MS;

struct screen {
	const struct pipa_host *host;
	struct pipa_monitor_options o;
	struct pipa_series_filter filter;
	struct pipa_monitor_model model;
	struct pipa_monitor_view view;
	struct pipa_tui tui;
	struct pipa_watch *watch;
	struct pipa_process_infos *infos;
	struct pipa_process_source source;
	struct utsname name;
	bool settled; /* the requested interval is in effect */
};

/* ---- facts of processes ------------------------------------------------------------------------- */

static struct pipa_process_fact find_fact(void *ctx, uint64_t pid, bool visible, bool command)
{
	struct screen *s = ctx;
	enum pipa_process_want want = command ? PIPA_PROCESS_COMMAND :
				      visible ? PIPA_PROCESS_NICE :
						PIPA_PROCESS_PARENT;
	struct pipa_process_info info = pipa_process_infos_find(s->infos, (pid_t)pid, want);

	return (struct pipa_process_fact){ .ppid = (uint64_t)info.ppid,
					   .nice = info.nice,
					   .cpu_seconds = info.cpu_seconds,
					   .is_known = info.is_known,
					   .command = info.command };
}

static const char *find_user(void *ctx, uint32_t uid)
{
	const struct screen *s = ctx;

	return pipa_process_infos_user(s->infos, uid);
}

/* ---- painting ---------------------------------------------------------------------------------- */

static int paint(void *ctx, struct pipa_canvas *canvas)
{
	struct screen *s = ctx;
	struct pipa_watch_count count = { 0 };

	if (s->watch)
		count = pipa_watch_count(s->watch);
	s->view.late = count.late;
	s->view.suspended_s = count.suspended_s;
	if (!s->view.paused)
		s->view.uptime_s = pipa_clock_read(CLOCK_BOOTTIME) / PIPA_NS_PER_SEC;
	return pipa_monitor_view_paint(&s->view, &s->model, canvas);
}

static int on_ticked(void *ctx, const struct pipa_tick *tick PIPA_UNUSED, struct pipa_error *err)
{
	struct screen *s = ctx;
	int rc = 0;

	if (!s->settled && s->o.interval_ns > soon_ns)
		rc = pipa_watch_set_interval(s->watch, s->view.interval_ns, err);
	s->settled = true;
	if (!s->view.paused)
		pipa_process_infos_tick(s->infos);
	if (!rc && !s->view.paused)
		rc = pipa_tui_paint(&s->tui, err);
	return rc;
}

/* ---- keys -------------------------------------------------------------------------------------- */

static void toggle_pause(struct screen *s)
{
	s->view.paused = s->model.frozen = !s->view.paused;
	if (!s->view.paused)
		pipa_monitor_model_gap(&s->model);
}

static int change_interval(struct screen *s, enum pipa_monitor_action action,
			   struct pipa_error *err)
{
	uint64_t next = pipa_monitor_view_interval(s->view.interval_ns, action);

	if (next == s->view.interval_ns)
		return 0;
	s->view.interval_ns = next;
	return pipa_watch_set_interval(s->watch, next, err);
}

static int start_watch(struct screen *s, struct pipa_error *err);

/* Watch the other rows of the process table. */
static int change_rows(struct screen *s, struct pipa_error *err)
{
	pipa_watch_close(s->watch);
	s->watch = NULL;
	s->settled = false;
	return start_watch(s, err);
}

/* Signal or renice the process of the prompt, and show the result. */
static void act_on_process(struct screen *s, enum pipa_monitor_action action)
{
	struct pipa_monitor_view *view = &s->view;
	const char *name = "";
	int sig = pipa_monitor_view_signal(view, &name), rc;
	char what[80];

	if (action == PIPA_MONITOR_SIGNAL) {
		snprintf(what, sizeof(what), "send %s to", name);
		rc = pipa_process_infos_signal(s->infos, sig);
	} else {
		snprintf(what, sizeof(what), "set nice value %s for", view->input);
		rc = pipa_process_infos_renice(s->infos, (int)strtol(view->input, NULL, 10));
	}
	if (rc < 0)
		snprintf(view->message, sizeof(view->message), "cannot %s %llu %s: %s", what,
			 (unsigned long long)view->asked, view->asked_name, strerror(-rc));
	view->asked = 0;
}

static void hold_process(struct screen *s)
{
	struct pipa_monitor_view *view = &s->view;
	int rc = pipa_process_infos_hold(s->infos, (pid_t)view->asked);

	if (!rc)
		return;
	snprintf(view->message, sizeof(view->message), "cannot select %llu %s: %s",
		 (unsigned long long)view->asked, view->asked_name, strerror(-rc));
	view->prompt = PIPA_MONITOR_ASK_NONE;
	view->asked = 0;
}

static int do_action(struct screen *s, enum pipa_monitor_action action, struct pipa_error *err)
{
	switch (action) {
	case PIPA_MONITOR_QUIT: pipa_tui_quit(&s->tui); return 0;
	case PIPA_MONITOR_PAUSE: toggle_pause(s); return 0;
	case PIPA_MONITOR_LONGER:
	case PIPA_MONITOR_SHORTER: return change_interval(s, action, err);
	case PIPA_MONITOR_THREADS: return change_rows(s, err);
	case PIPA_MONITOR_HOLD: hold_process(s); return 0;
	case PIPA_MONITOR_SIGNAL:
	case PIPA_MONITOR_RENICE: act_on_process(s, action); return 0;
	case PIPA_MONITOR_NOTHING: break;
	}
	return 0;
}

static int on_key(void *ctx, int key, struct pipa_error *err)
{
	struct screen *s = ctx;

	if (key == PIPA_TYPED_CLICK) {
		pipa_monitor_view_click(&s->view, s->tui.mouse_x, s->tui.mouse_y);
		return 0;
	}
	return do_action(s, pipa_monitor_view_key(&s->view, key), err);
}

/* ---- start and end ----------------------------------------------------------------------------- */

static int start_watch(struct screen *s, struct pipa_error *err)
{
	const struct pipa_section *sections[PIPA_COUNT(machine_sections) + 2];
	struct pipa_watch_options options = {
		.host = s->host,
		.sections = sections,
		.n_sections = PIPA_COUNT(sections),
		.interval_ns = s->o.interval_ns < soon_ns ? s->o.interval_ns : soon_ns,
		.count = s->o.count,
		.sink = &s->filter.sink,
		.ticked = on_ticked,
		.ctx = s,
	};

	memcpy(sections, machine_sections, sizeof(machine_sections));
	memcpy(sections + PIPA_COUNT(machine_sections), task_sections[s->view.processes.threads],
	       sizeof(task_sections[0]));
	return pipa_watch_open(s->tui.loop, &options, &s->watch, err);
}

static void init_session(struct screen *s)
{
	pipa_monitor_model_init(&s->model);
	pipa_preferences_load(&s->view);
	s->source = (struct pipa_process_source){ .find = find_fact, .user = find_user, .ctx = s };
	s->view.processes.source = &s->source;
	s->o.select.cpus = "ALL";
	s->o.select.idle = true;
	s->o.select.from_s = s->o.select.until_s = -1;
	s->view.interval_ns = s->o.interval_ns;
	s->view.wall_ns = pipa_clock_wall_ns();
	if (uname(&s->name) == 0) {
		s->view.host = s->name.nodename;
		s->view.kernel = s->name.release;
	}
}

static int run_session(struct screen *s, struct pipa_error *err)
{
	int rc = pipa_series_filter_init(&s->filter, &s->o.select, err);

	s->filter.next = &s->model.sink;
	s->tui = (struct pipa_tui){ .paint = paint, .key = on_key, .ctx = s, .mouse = true };
	if (!rc)
		rc = pipa_tui_open(&s->tui, err);
	if (!rc)
		rc = start_watch(s, err);
	return rc ? rc : pipa_tui_run(&s->tui, err);
}

int pipa_screen_monitor_run(const struct pipa_host *host,
			    const struct pipa_monitor_options *options, struct pipa_error *err)
{
	struct screen *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return pipa_fail(err, -ENOMEM, "show the machine");
	s->host = host;
	s->o = *options;
	init_session(s);
	s->infos = pipa_process_infos_new(host);
	if (s->infos)
		rc = run_session(s, err);
	else
		rc = pipa_fail(err, -ENOMEM, "show the machine");
	if (rc >= 0)
		pipa_preferences_save(&s->view);
	pipa_watch_close(s->watch);
	pipa_tui_close(&s->tui);
	pipa_series_filter_done(&s->filter);
	pipa_monitor_view_done(&s->view);
	pipa_monitor_model_done(&s->model);
	pipa_process_infos_free(s->infos);
	free(s);
	return rc;
}
