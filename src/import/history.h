/*
 * Read a history file to rows, in chunks of any size. Columns are found in model/sections.h by
 * their ids: unknown ones are counted, absent ones are missing.
 *
 * Corrupt data is skipped: reading continues at the next chunk that depends on no earlier one.
 */
#ifndef PIPA_IMPORT_HISTORY_H
#define PIPA_IMPORT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "model/history.h"
#include "model/series.h"

struct pipa_history_reader;

struct pipa_history_read {
	struct pipa_series_sink *sink;

	/* Unselected data is skipped if possible; NULL, 0: select all. */
	bool (*wants)(void *ctx, const struct pipa_section *section);
	uint64_t from_wall_ns, until_wall_ns;

	/* Called at the start of a segment, with borrowed data; or NULL. */
	void (*head)(void *ctx, const struct pipa_history_head *head);
	void *ctx;
};

struct pipa_history_result {
	size_t segments;
	size_t ticks;	 /* read, or skipped as not selected */
	size_t restarts; /* segments after the first */
	size_t damaged;	 /* corrupt or truncated bytes */
	size_t unknown;	 /* columns unknown to this version */
	size_t newer;	 /* segments of a newer version */
};

/* Are these the first bytes of a history file? */
bool pipa_history_is(const void *bytes, size_t len);

/* Create a reader. `read` is copied, its pointers are borrowed. NULL on allocation failure. */
struct pipa_history_reader *pipa_history_reader_new(const struct pipa_history_read *read);
void pipa_history_reader_free(struct pipa_history_reader *reader);

/* Read the next bytes. 0, -ENOMEM or the result of the sink; corrupt bytes are not a failure. */
int pipa_history_reader_feed(struct pipa_history_reader *reader, const void *bytes, size_t len);

/* Has until_wall_ns passed, so that no selected data can follow? */
bool pipa_history_reader_is_done(const struct pipa_history_reader *reader);

/* End the input. 0, -ENOMEM or the result of the sink. */
int pipa_history_reader_finish(struct pipa_history_reader *reader);

const struct pipa_history_result *pipa_history_reader_result(
	const struct pipa_history_reader *reader);

static inline void pipa_history_reader_free_auto(struct pipa_history_reader **reader)
{
	pipa_history_reader_free(*reader);
}

#endif
