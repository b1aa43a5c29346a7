/* Pass the rows of recorded histories to a sink. */
#ifndef PIPA_STORE_HISTORY_REPLAY_H
#define PIPA_STORE_HISTORY_REPLAY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "model/series.h"

struct pipa_error;
struct pipa_replay;
struct pipa_series_select;
struct pipa_series_writer;

struct pipa_history_replay_options {
	const struct pipa_series_select *select;
	bool by_tick; /* all sections of an interval together, for JSON; else section by section */
	struct pipa_log log;
};

/*
 * Pass the rows of all histories to a sink: in one pass with by_tick, else in one pass per section.
 * Memory does not depend on the length of the recording. The writer, unless it is NULL, gets the host
 * and the interval; `host` stores the name.
 */
int pipa_history_replay(const struct pipa_replay *recording,
			const struct pipa_history_replay_options *options,
			struct pipa_series_sink *sink, struct pipa_series_writer *writer,
			char host[static HOST_NAME_MAX + 1], struct pipa_error *err);

#endif
