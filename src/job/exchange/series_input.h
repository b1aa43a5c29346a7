/*
 * Read the series of a file, directory or archive: statistics of `pipa monitor` and sysstat, and counts of `pipa stat` or
 * `perf stat` (CSV, or JSON of `pipa stat`). `pipa collect` and `pipa run --keep` store both. Rows are passed on as they
 * are read; memory does not grow with their number.
 */
#ifndef PIPA_JOB_EXCHANGE_SERIES_INPUT_H
#define PIPA_JOB_EXCHANGE_SERIES_INPUT_H

#include <stdbool.h>

#include "base/log.h"

struct pipa_counts;
struct pipa_error;
struct pipa_series_sink;
struct pipa_series_input;

/* Receiver of the series; the members are called in the order of the input. */
struct pipa_series_receiver {
	struct pipa_series_sink *rows;
	/* Receives complete intervals. 0 or a negative errno. */
	int (*counts)(void *ctx, const struct pipa_counts *counts);
	/* States whether the times of the following rows are UTC, or local time of an unknown zone; NULL: ignored. */
	void (*clock)(void *ctx, bool utc);
	void *ctx;
};

/* Open a path, which is borrowed until it is closed. */
int pipa_series_input_open(const char *path, struct pipa_series_input **ret,
			   struct pipa_error *err);
void pipa_series_input_close(struct pipa_series_input *source);

/* Return the host of the statistics, "" if it is unknown; valid after a read. */
const char *pipa_series_input_host(const struct pipa_series_input *source);

/* Pass everything to the receiver; may be called again. Malformed lines are skipped, with a note in the log. */
int pipa_series_input_read(struct pipa_series_input *source,
			   const struct pipa_series_receiver *receiver, const struct pipa_log *log,
			   struct pipa_error *err);

static inline void pipa_series_input_close_auto(struct pipa_series_input **source)
{
	pipa_series_input_close(*source);
}

#endif
