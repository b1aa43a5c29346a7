/*
 * Read the statistics of the system at start + k x interval and pass them to a sink. The caller
 * owns the loop.
 */
#ifndef PIPA_MEASURE_WATCH_H
#define PIPA_MEASURE_WATCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/series.h"

struct pipa_follow;
struct pipa_host;
struct pipa_instrument_ops;
struct pipa_loop;
struct pipa_watch;

struct pipa_watch_options {
	const struct pipa_host *host;
	const struct pipa_section *const *sections;
	size_t n_sections;
	uint64_t interval_ns;
	uint64_t count; /* intervals until the loop is stopped, 0: no limit */

	struct pipa_series_sink *sink;

	/* Called after each complete interval; may be NULL. */
	int (*ticked)(void *ctx, const struct pipa_tick *tick, struct pipa_error *err);
	void *ctx;
};

/* Counts of the intervals. */
struct pipa_watch_count {
	uint64_t ticks, late; /* late: missed, and included in the following interval */
	double suspended_s;   /* time of suspend; not in any interval */
};

/*
 * Read the first time; intervals come while the loop runs. `options` is copied, the memory it
 * points to is borrowed.
 */
int pipa_watch_open(struct pipa_loop *loop, const struct pipa_watch_options *options,
		    struct pipa_watch **ret, struct pipa_error *err);
void pipa_watch_close(struct pipa_watch *watch);

/* Set the interval; the next one ends interval_ns from now. */
int pipa_watch_set_interval(struct pipa_watch *watch, uint64_t interval_ns, struct pipa_error *err);

/* Read a last, shorter interval and stop. */
int pipa_watch_end(struct pipa_watch *watch, struct pipa_error *err);

/* Stop the intervals; may be called by a callback. */
void pipa_watch_stop(struct pipa_watch *watch);

/* Pass the total time so far as one interval; nothing before the first interval. */
int pipa_watch_emit_whole(struct pipa_watch *watch, struct pipa_series_sink *sink);

struct pipa_watch_count pipa_watch_count(const struct pipa_watch *watch);

/* Get the path of a requested source that is missing; false after the last. */
bool pipa_watch_missing(struct pipa_watch *watch, size_t index, char path[static PATH_MAX]);

/* Statistics as an instrument: intervals from open to the end of the session. */
struct pipa_statistics {
	/* set by the caller before open */
	struct pipa_watch_options options;
	struct pipa_follow *follow;
	/* omit a last interval that is shorter, unless a signal ended the session */
	bool whole_ticks;

	struct pipa_watch *watch; /* NULL before open */
	int last_status;	  /* of the last interval, returned by finish */
	struct pipa_error last_error;
};

/* The context is a struct pipa_statistics. */
extern const struct pipa_instrument_ops pipa_statistics_instrument;

static inline void pipa_watch_close_auto(struct pipa_watch **watch)
{
	pipa_watch_close(*watch);
}

#endif
