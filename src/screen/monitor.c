#include "screen/monitor.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "job/monitor.h"
#include "job/monitor_filter.h"
#include "job/watch.h"
#include "screen/canvas.h"
#include "screen/key.h"
#include "screen/monitor_model.h"
#include "screen/monitor_view.h"
#include "screen/term.h"

/* What the screen shows, as far as it can be had. */
static const char *const wanted[] = {
	"cpu",	  "cswch", "mem",  "swap", "load",	 "psi-cpu",   "psi-memory",
	"psi-io", "io",	   "disk", "net",  "net-errors", "processes", "process-io",
};

/* The first tick comes soon: an empty screen is no greeting. */
static const uint64_t soon_ns = 200 * PIPA_NS_PER_MS;

struct screen {
	struct pipa_monitor_options o;
	struct pipa_error *err;
	struct pipa_monitor_filter filter;
	struct pipa_monitor_model model;
	struct pipa_monitor_view view;
	struct pipa_canvas canvas;
	struct pipa_term *term;
	struct pipa_loop *loop;
	struct pipa_watch *watch;
	const struct pipa_section *sections[PIPA_COUNT(wanted)];
	struct utsname name;
	bool settled; /* ticks come at the interval asked for */
	int status;   /* to leave with */
	int silent;   /* times that the terminal had something to read and it was no key */
};

/* ---- painting ---------------------------------------------------------------------------------- */

static int paint(struct screen *s)
{
	struct pipa_watch_count count = { 0 };
	int rc;

	if (s->watch)
		count = pipa_watch_count(s->watch);
	s->view.late = count.late;
	s->view.suspended_s = count.suspended_s;
	if (!s->view.paused)
		s->view.uptime_s = pipa_clock_read(CLOCK_BOOTTIME) / PIPA_NS_PER_SEC;
	rc = pipa_monitor_view_paint(&s->view, &s->model, &s->canvas);
	if (rc < 0)
		return pipa_fail(s->err, rc, "show the machine");
	pipa_term_show(s->term, &s->canvas);
	return 0;
}

static int fit(struct screen *s)
{
	int rc = pipa_term_fit(s->term, &s->canvas);

	return rc < 0 ? pipa_fail(s->err, rc, "show the machine") : paint(s);
}

static int on_ticked(void *ctx, const struct pipa_tick *tick PIPA_UNUSED)
{
	struct screen *s = ctx;
	int rc = 0;

	if (!s->settled && s->o.interval_ns > soon_ns)
		rc = pipa_watch_set_interval(s->watch, s->view.interval_ns, s->err);
	s->settled = true;
	if (!rc && !s->view.paused)
		rc = paint(s);
	return rc;
}

/* ---- keys -------------------------------------------------------------------------------------- */

static void toggle_pause(struct screen *s)
{
	s->view.paused = s->model.frozen = !s->view.paused;
	if (!s->view.paused)
		pipa_monitor_model_gap(&s->model);
}

static int change_interval(struct screen *s, enum pipa_monitor_action action)
{
	uint64_t next = pipa_monitor_view_interval(s->view.interval_ns, action);

	if (next == s->view.interval_ns)
		return 0;
	s->view.interval_ns = next;
	return pipa_watch_set_interval(s->watch, next, s->err);
}

static int act(struct screen *s, enum pipa_monitor_action action)
{
	switch (action) {
	case PIPA_MONITOR_QUIT: pipa_loop_stop(s->loop); return 0;
	case PIPA_MONITOR_PAUSE: toggle_pause(s); return 0;
	case PIPA_MONITOR_LONGER:
	case PIPA_MONITOR_SHORTER: return change_interval(s, action);
	case PIPA_MONITOR_NOTHING: break;
	}
	return 0;
}

/* A terminal that is gone is readable for ever and gives no key. */
static void notice_silence(struct screen *s)
{
	if (++s->silent < 16)
		return;
	s->status = 128 + SIGHUP;
	pipa_loop_stop(s->loop);
}

static int on_key(void *ctx)
{
	struct screen *s = ctx;
	int key = pipa_term_key(s->term), rc = 0;

	if (key == PIPA_TYPED_NONE) {
		notice_silence(s);
		return 0;
	}
	s->silent = 0;
	for (; !rc && key != PIPA_TYPED_NONE; key = pipa_term_key(s->term))
		rc = act(s, pipa_monitor_view_key(&s->view, key));
	return rc ? rc : paint(s);
}

/* ---- signals ----------------------------------------------------------------------------------- */

/* Stop as if nobody had caught the signal; where no shell would continue us the kernel lets it pass. */
static void stop_here(struct screen *s)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, ours;
	sigset_t set;

	pipa_term_leave(s->term);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaction(SIGTSTP, &plain, &ours);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGTSTP, &ours, NULL);
}

static int on_signal(void *ctx, const struct signalfd_siginfo *info)
{
	struct screen *s = ctx;
	int sig = (int)info->ssi_signo;

	switch (sig) {
	case SIGTSTP: stop_here(s);		/* fall through */
	case SIGCONT: pipa_term_enter(s->term); /* fall through */
	case SIGWINCH: return fit(s);
	case SIGINT: break;
	default: s->status = 128 + sig;
	}
	pipa_loop_stop(s->loop);
	return 0;
}

static int watch_signals(struct screen *s)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH
	};
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < PIPA_COUNT(signals); i++) {
		struct sigaction action;

		if (sigaction(signals[i], NULL, &action) < 0 || action.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	}
	return pipa_loop_signals(s->loop, &set, on_signal, s, s->err);
}

/* ---- start and end ----------------------------------------------------------------------------- */

static size_t choose_sections(struct screen *s)
{
	const struct pipa_section *section;
	size_t i, k, n = 0;

	for (i = 0; (section = pipa_monitor_section(i)); i++)
		for (k = 0; k < PIPA_COUNT(wanted); k++)
			if (strcmp(section->name, wanted[k]) == 0)
				s->sections[n++] = section;
	return n;
}

static int start_watch(struct screen *s)
{
	struct pipa_watch_options options = {
		.root = s->o.root,
		.sections = s->sections,
		.n_sections = choose_sections(s),
		.interval_ns = s->o.interval_ns < soon_ns ? s->o.interval_ns : soon_ns,
		.count = s->o.count,
		.sink = &s->filter.sink,
		.ticked = on_ticked,
		.ctx = s,
	};

	return pipa_watch_open(s->loop, &options, &s->watch, s->err);
}

static void begin(struct screen *s)
{
	pipa_monitor_model_init(&s->model);
	s->o.cpus = "ALL";
	s->o.idle = true;
	s->o.from_s = s->o.until_s = -1;
	s->view.interval_ns = s->o.interval_ns;
	s->view.wall_ns = pipa_clock_wall_ns();
	if (uname(&s->name) == 0) {
		s->view.host = s->name.nodename;
		s->view.kernel = s->name.release;
	}
}

static int run(struct screen *s)
{
	int rc = pipa_monitor_filter_init(&s->filter, &s->o, s->err);

	s->filter.next = &s->model.sink;
	if (!rc)
		rc = pipa_loop_new(&s->loop, s->err);
	if (!rc)
		rc = watch_signals(
			s); /* blocked from here on: none can end us with the terminal open */
	if (!rc)
		rc = pipa_term_open(&s->term, s->err);
	if (!rc)
		rc = pipa_loop_watch(s->loop, STDIN_FILENO, on_key, s, s->err);
	if (!rc)
		rc = start_watch(s);
	if (!rc)
		rc = fit(s);
	return rc ? rc : pipa_loop_run(s->loop, s->err);
}

int pipa_screen_monitor_run(const struct pipa_monitor_options *options, struct pipa_error *err)
{
	struct screen *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return pipa_fail(err, -ENOMEM, "show the machine");
	s->o = *options;
	s->err = err;
	begin(s);
	rc = run(s);
	if (!rc)
		rc = s->status;
	pipa_term_close(s->term);
	pipa_watch_close(s->watch);
	pipa_loop_free(s->loop);
	pipa_monitor_filter_done(&s->filter);
	pipa_monitor_view_done(&s->view);
	pipa_canvas_done(&s->canvas);
	pipa_monitor_model_done(&s->model);
	free(s);
	return rc;
}
