/* The histories of a recording, handed to a sink. */
#ifndef PIPA_JOB_HISTORY_REPLAY_H
#define PIPA_JOB_HISTORY_REPLAY_H

#include <limits.h>
#include <stddef.h>

#include "model/series.h"

struct pipa_error;
struct pipa_monitor_options;
struct pipa_replay;
struct pipa_series_writer;

/*
 * Tables and CSV section by section, in as many passes; JSON tick by tick. Memory does not grow with
 * the length of the recording. The writer is told whose ticks they are; host keeps the name.
 */
int pipa_history_replay(const struct pipa_replay *recording,
			const struct pipa_monitor_options *options, struct pipa_series_sink *sink,
			struct pipa_series_writer *writer, char host[static HOST_NAME_MAX + 1],
			struct pipa_error *err);

#endif
