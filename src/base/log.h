/*
 * Messages for the user. A library never prints: it passes messages to the callbacks of the front
 * end. Options hold a struct pipa_log by value; an empty struct discards messages.
 *
 * Worker threads may call the callbacks, so callbacks with state must do their own locking.
 */
#ifndef PIPA_BASE_LOG_H
#define PIPA_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/auto.h"

enum pipa_log_level { PIPA_LOG_INFO, PIPA_LOG_WARN, PIPA_LOG_ERROR };

struct pipa_log {
	/* `text` is one line without its newline, not escaped, valid during the call */
	void (*write)(void *ctx, enum pipa_log_level level, const char *text);
	void *ctx;
	/*
	 * May be NULL. Report progress of `what` ("reading perf.data"): `done` of `total` units; 0
	 * and 0: unknown. NULL: the work has ended. `what` is valid during the call.
	 */
	void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t total);
};

/* Is there a write callback? False for NULL. If not, callers can skip formatting. */
static inline bool pipa_log_on(const struct pipa_log *log)
{
	return log && log->write;
}

/* Format a message and pass it on. `log` may be NULL. Shortens the text on allocation failure. */
void pipa_log_put(const struct pipa_log *log, enum pipa_log_level level, const char *fmt, ...)
	PIPA_PRINTF(3, 4);

/* Pass on a message of level PIPA_LOG_INFO. */
void pipa_log_note(const struct pipa_log *log, const char *fmt, ...) PIPA_PRINTF(2, 3);

/*
 * Report progress. Cheap enough to be called often: one indirect call, no formatting. `log` may be
 * NULL.
 */
static inline void pipa_log_progress(const struct pipa_log *log, const char *what, uint64_t done,
				     uint64_t total)
{
	if (log && log->progress)
		log->progress(log->ctx, what, done, total);
}

/* Report that the work has ended. */
static inline void pipa_log_progress_end(const struct pipa_log *log)
{
	pipa_log_progress(log, NULL, 0, 0);
}

#endif
