#include "screen/report/top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "job/top_print.h"
#include "job/view/annotate.h"
#include "screen/cells/tui.h"
#include "screen/monitor/monitor_view.h"
#include "screen/report/report_view.h"
#include "screen/report/report_write.h"

/* The first update comes early, so that the table appears at once. */
static const uint64_t soon_ns = 500 * PIPA_NS_PER_MS;

struct screen {
	const struct pipa_host *host;
	struct pipa_live_print_options o;
	struct pipa_live *live;
	struct pipa_report_model model;
	struct pipa_report_view view;
	struct pipa_tui tui;
	uint64_t looks;
	char first_note[200]; /* first note of the sampler, shown when the screen is open */
};

static int paint(void *ctx, struct pipa_canvas *canvas)
{
	pipa_report_view_paint(&((struct screen *)ctx)->view, canvas);
	return 0;
}

static void keep_first_note(void *ctx, enum pipa_log_level level PIPA_UNUSED, const char *text)
{
	struct screen *s = ctx;

	if (!s->first_note[0]) /* only the first note, which names the target, fits */
		snprintf(s->first_note, sizeof(s->first_note), "%s", text);
}

/* ---- looking ----------------------------------------------------------------------------------- */

/* Rebuild the table after the profile was updated, and keep the selected line. */
static int update_table(struct screen *s, struct pipa_error *err)
{
	uint64_t chosen = pipa_report_view_chosen(&s->view);
	int rc;

	s->model.profile = pipa_live_profile(s->live, s->view.live.span);
	rc = pipa_report_model_update(&s->model);
	if (!rc)
		rc = pipa_report_view_follow(&s->view, chosen);
	return rc < 0 ? pipa_fail(err, rc, "show the samples") : 0;
}

/* Update the profile and the table; while paused, samples are collected but not shown. */
static int refresh(struct screen *s, struct pipa_error *err)
{
	int rc = pipa_live_refresh(s->live, s->view.live.paused, err);

	if (rc == 1) {
		pipa_report_view_forget(&s->view);
		s->model.n_zooms = 0;
		pipa_report_view_message(&s->view, "profile reached its size limit and was reset");
	}
	return rc < 0 ? rc : update_table(s, err);
}

static int on_full(void *ctx, struct pipa_error *err)
{
	return refresh(ctx, err);
}

/* Keep showing the profile after the command has ended. */
static int on_ended(void *ctx, struct pipa_error *err)
{
	struct screen *s = ctx;
	int rc = refresh(s, err);

	pipa_report_view_message(&s->view, "%s exited with status %d",
				 s->o.live.record.target.command[0], *s->o.live.status);
	return rc ? rc : pipa_tui_paint(&s->tui, err);
}

static int on_tick(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err);

static int set_timer(struct screen *s, uint64_t first_ns, struct pipa_error *err)
{
	pipa_loop_drop_timer(s->tui.loop, on_tick, s);
	return pipa_loop_timer(s->tui.loop, pipa_clock_ns() + first_ns, s->view.live.interval_ns,
			       on_tick, s, err);
}

static int on_tick(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	struct screen *s = ctx;
	int rc = refresh(s, err);

	if (!rc)
		rc = pipa_tui_paint(&s->tui, err);
	if (!rc && ++s->looks == s->o.count)
		pipa_tui_quit(&s->tui);
	return rc;
}

/* ---- keys -------------------------------------------------------------------------------------- */

static int show_source(struct screen *s, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 28 };
	struct pipa_annotate_options o = { .symbol = s->view.typed, .code = true, .source = true };
	const struct pipa_profile *p = s->model.profile;
	struct pipa_error why = { 0 };
	int rc;

	if (s->model.event < p->events.n)
		o.event = pipa_profile_string(p, p->events.items[s->model.event].name);
	rc = pipa_annotate_profile(&o, &s->model.part, pipa_live_symbolizer(s->live), &text, &why);
	if (rc == -ENOMEM)
		return pipa_fail(err, rc, "show the source");
	if (rc < 0) {
		pipa_report_view_message(&s->view, "%s", why.what);
		return 0;
	}
	rc = pipa_report_view_show(&s->view, s->view.typed, &text);
	return rc < 0 ? pipa_fail(err, rc, "show the source") : 0;
}

static int change_interval(struct screen *s, enum pipa_monitor_action way, struct pipa_error *err)
{
	uint64_t next = pipa_monitor_view_interval(s->view.live.interval_ns, way);

	if (next == s->view.live.interval_ns)
		return 0;
	s->view.live.interval_ns = next;
	return set_timer(s, next, err);
}

static int on_key(void *ctx, int key, struct pipa_error *err)
{
	struct screen *s = ctx;

	switch (pipa_report_view_key(&s->view, key)) {
	case PIPA_REPORT_QUIT: pipa_tui_quit(&s->tui); return 0;
	case PIPA_REPORT_SOURCE: return show_source(s, err);
	case PIPA_REPORT_EXPORT: pipa_report_write_file(&s->view, false); return 0;
	case PIPA_REPORT_EXPORT_OVER: pipa_report_write_file(&s->view, true); return 0;
	case PIPA_REPORT_PAUSE: s->view.live.paused = !s->view.live.paused; return 0;
	case PIPA_REPORT_SPAN:
		s->view.live.span = (s->view.live.span + 1) % PIPA_LIVE_SPAN_NR;
		return update_table(s, err);
	case PIPA_REPORT_LONGER: return change_interval(s, PIPA_MONITOR_LONGER, err);
	case PIPA_REPORT_SHORTER: return change_interval(s, PIPA_MONITOR_SHORTER, err);
	case PIPA_REPORT_NO_MEMORY: return pipa_fail(err, -ENOMEM, "show the samples");
	default: return 0;
	}
}

/* ---- start and end ----------------------------------------------------------------------------- */

static int run_session(struct screen *s, struct pipa_error *err)
{
	struct pipa_live_options live = s->o.live;
	int rc = pipa_tui_open(&s->tui, err);

	live.full = on_full;
	live.ended = on_ended;
	live.ctx = s;
	live.record.log = (struct pipa_log){ .write = keep_first_note, .ctx = s };
	if (!rc)
		rc = pipa_live_open(s->host, s->tui.loop, &live, &s->live, err);
	if (rc < 0)
		return rc;
	snprintf(s->view.live.note, sizeof(s->view.live.note), "%s", pipa_live_about(s->live));
	snprintf(s->view.message, sizeof(s->view.message), "%s", s->first_note);
	rc = update_table(s, err);
	if (!rc)
		rc = set_timer(s, soon_ns < s->o.interval_ns ? soon_ns : s->o.interval_ns, err);
	return rc ? rc : pipa_tui_run(&s->tui, err);
}

int pipa_screen_top_run(const struct pipa_host *host, const struct pipa_live_print_options *options,
			struct pipa_error *err)
{
	struct screen *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return pipa_fail(err, -ENOMEM, "show the samples");
	s->host = host;
	s->o = *options;
	s->tui = (struct pipa_tui){ .paint = paint, .key = on_key, .ctx = s };
	s->model.o = s->view.first = s->o.top;
	s->model.percent_limit = s->o.percent_limit;
	s->model.order = PIPA_ORDER_SELF;
	s->view.model = &s->model;
	s->view.name = "pipa top";
	s->view.has_cpus = true;
	s->view.live.on = true;
	s->view.live.span = s->o.span;
	s->view.live.interval_ns = s->o.interval_ns;
	rc = run_session(s, err);
	pipa_report_view_done(&s->view);
	pipa_report_model_done(&s->model);
	pipa_live_close(s->live);
	pipa_tui_close(&s->tui);
	free(s);
	return rc;
}
