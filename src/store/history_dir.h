/*
 * Write histories to a directory: one file per day, old ones deleted, one collector at a time.
 *
 * An interval is one write, so that readers always see complete intervals, also after a crash. A
 * full disk loses intervals, which are counted and reported.
 */
#ifndef PIPA_STORE_HISTORY_DIR_H
#define PIPA_STORE_HISTORY_DIR_H

#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "model/series.h"

struct pipa_error;
struct pipa_history_dir;
struct pipa_root;

struct pipa_history_dir_options {
	const char *dir;
	const struct pipa_section *const *sections;
	size_t n_sections;
	uint64_t interval_ns;
	uint64_t keep_days;
	uint64_t max_size; /* limit of all files together, 0: none */
	const char *host;
	struct pipa_root *root;
	struct pipa_log log; /* receives one message when intervals are lost, one when that ends */
};

/*
 * Create the directory if it is missing, lock it, and start today's file. wall_ns is now. -EBUSY if
 * another collector has locked it. `options` is copied, its pointers are borrowed.
 */
int pipa_history_dir_open(const struct pipa_history_dir_options *options, uint64_t wall_ns,
			  struct pipa_history_dir **ret, struct pipa_error *err);
void pipa_history_dir_close(struct pipa_history_dir *dir);

/* Return the sink, which writes each interval to the file of its day. */
struct pipa_series_sink *pipa_history_dir_sink(struct pipa_history_dir *dir);

/*
 * Open the file by its name again before the next interval, because it may have been renamed or
 * deleted.
 */
void pipa_history_dir_reopen(struct pipa_history_dir *dir);

static inline void pipa_history_dir_close_auto(struct pipa_history_dir **dir)
{
	pipa_history_dir_close(*dir);
}

#endif
