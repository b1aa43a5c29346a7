#include "measure/watch.h"

#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "collect/meter/sources.h"
#include "kernel/event/host.h"
#include "measure/follow.h"
#include "measure/instrument.h"

enum { LEAST_MS = 10 }; /* USER_HZ: the unit of CPU time */

struct pipa_watch {
	struct pipa_watch_options o;
	struct pipa_loop *loop;
	struct pipa_sources *sources;
	uint64_t start_ns, last_ns;
	/* boot time minus monotonic time at the last interval: grows only during suspend */
	uint64_t slept_ns;
	struct pipa_watch_count count;
};

static uint64_t slept_ns(void)
{
	uint64_t running = pipa_clock_ns(), all = pipa_clock_read(CLOCK_BOOTTIME);

	return all > running ? all - running : 0;
}

/*
 * Return the time of suspend between two readings. The two clocks are read one after the other:
 * small differences are not a suspend.
 */
static double as_sleep(uint64_t before, uint64_t after)
{
	return after > before + 100 * PIPA_NS_PER_MS ? (double)(after - before) / 1e9 : 0;
}

static int read_tick(struct pipa_watch *w, uint64_t now, uint64_t late, struct pipa_error *err)
{
	uint64_t slept = slept_ns();
	struct pipa_tick tick = { .wall_ns = pipa_clock_wall_ns(),
				  .interval_s = (double)(now - w->last_ns) / 1e9,
				  .suspended_s = as_sleep(w->slept_ns, slept),
				  .late = late };
	int rc = pipa_sources_read(w->sources, err);

	if (!rc)
		rc = pipa_sources_emit(w->sources, &tick, false, w->o.sink);
	if (!rc && w->o.ticked)
		rc = w->o.ticked(w->o.ctx, &tick, err);
	w->last_ns = now;
	w->slept_ns = slept;
	w->count.late += tick.late;
	w->count.suspended_s += tick.suspended_s;
	w->count.ticks += !rc;
	return rc;
}

static int on_tick(void *ctx, uint64_t expirations, struct pipa_error *err)
{
	struct pipa_watch *w = ctx;
	int rc = read_tick(w, pipa_clock_ns(), expirations - 1, err);

	if (!rc && w->count.ticks == w->o.count)
		pipa_loop_stop(w->loop);
	return rc;
}

int pipa_watch_end(struct pipa_watch *w, struct pipa_error *err)
{
	uint64_t now = pipa_clock_ns();

	pipa_loop_drop_timer(w->loop, on_tick, w);
	if (w->count.ticks && now - w->last_ns < LEAST_MS * PIPA_NS_PER_MS)
		return 0;
	return read_tick(w, now, 0, err);
}

void pipa_watch_stop(struct pipa_watch *w)
{
	pipa_loop_drop_timer(w->loop, on_tick, w);
}

int pipa_watch_open(struct pipa_loop *loop, const struct pipa_watch_options *options,
		    struct pipa_watch **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_watch_close) struct pipa_watch *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return pipa_fail(err, -ENOMEM, "watch the machine");
	w->o = *options;
	w->loop = loop;
	rc = pipa_sources_open(w->o.host->root, w->o.sections, w->o.n_sections, &w->sources, err);
	if (!rc)
		rc = pipa_sources_read(w->sources, err);
	if (rc < 0)
		return rc;
	w->start_ns = w->last_ns = pipa_clock_ns();
	w->slept_ns = slept_ns();
	rc = pipa_loop_timer(loop, w->start_ns + w->o.interval_ns, w->o.interval_ns, on_tick, w,
			     err);
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(w);
	return 0;
}

void pipa_watch_close(struct pipa_watch *w)
{
	if (!w)
		return;
	pipa_loop_drop_timer(w->loop, on_tick, w);
	pipa_sources_close(w->sources);
	free(w);
}

int pipa_watch_set_interval(struct pipa_watch *w, uint64_t interval_ns, struct pipa_error *err)
{
	w->o.interval_ns = interval_ns;
	pipa_loop_drop_timer(w->loop, on_tick, w);
	return pipa_loop_timer(w->loop, pipa_clock_ns() + interval_ns, interval_ns, on_tick, w,
			       err);
}

int pipa_watch_emit_whole(struct pipa_watch *w, struct pipa_series_sink *sink)
{
	struct pipa_tick whole = { .wall_ns = pipa_clock_wall_ns(),
				   .interval_s = (double)(w->last_ns - w->start_ns) / 1e9,
				   .suspended_s = w->count.suspended_s,
				   .late = w->count.late };

	return w->count.ticks ? pipa_sources_emit(w->sources, &whole, true, sink) : 0;
}

struct pipa_watch_count pipa_watch_count(const struct pipa_watch *w)
{
	return w->count;
}

bool pipa_watch_missing(struct pipa_watch *w, size_t index, char path[static PATH_MAX])
{
	return pipa_sources_missing(w->sources, index, path, PATH_MAX);
}

/* ---- as an instrument --------------------------------------------------------------------------- */

static int open_statistics(void *ctx, struct pipa_error *err)
{
	struct pipa_statistics *s = ctx;

	return pipa_watch_open(s->follow->loop, &s->options, &s->watch, err);
}

/* Read the last interval when the target ends, not when other instruments are finished. */
static void pause_statistics(void *ctx)
{
	struct pipa_statistics *s = ctx;

	if (!s->whole_ticks || s->follow->stopped || !s->watch->count.ticks)
		s->last_status = pipa_watch_end(s->watch, &s->last_error);
}

static int finish_statistics(void *ctx, struct pipa_error *err)
{
	struct pipa_statistics *s = ctx;

	if (s->last_status && err)
		*err = s->last_error;
	return s->last_status;
}

static void close_statistics(void *ctx)
{
	struct pipa_statistics *s = ctx;

	pipa_watch_close(s->watch);
	s->watch = NULL;
}

const struct pipa_instrument_ops pipa_statistics_instrument = {
	.open = open_statistics,
	.pause = pause_statistics,
	.finish = finish_statistics,
	.close = close_statistics,
};
