/* The log of the daemon: a line per event on standard error, as text or as a JSON object. Any thread. */
#ifndef PIPA_SERVE_LOG_H
#define PIPA_SERVE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/log.h"

enum pipa_serve_level { PIPA_SERVE_DEBUG, PIPA_SERVE_INFO, PIPA_SERVE_WARN, PIPA_SERVE_ERROR };

/* For the process. The level may change while other threads log. */
void pipa_serve_log_setup(bool json);
void pipa_serve_log_set_level(enum pipa_serve_level level);

/* Find a level by its name: debug, info, warning, error. -EINVAL. */
int pipa_serve_log_level_find(const char *name, enum pipa_serve_level *ret);

/* A field of an event; the list ends with a NULL name. A NULL text: the number is the value. */
struct pipa_serve_field {
	const char *name, *text;
	uint64_t number;
};

/* Log an event with its fields, which may be NULL. Untrusted texts are escaped. */
void pipa_serve_log(enum pipa_serve_level level, const char *event,
		    const struct pipa_serve_field *fields);

/* Log a formatted message. */
void pipa_serve_note(enum pipa_serve_level level, const char *fmt, ...) PIPA_PRINTF(2, 3);

#endif
