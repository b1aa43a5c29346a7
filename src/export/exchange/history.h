/*
 * Write sections over time as a history file (model/history.h, docs/format/history.md): a sink
 * that appends a chunk to a buffer at the end of each interval. The owner writes the buffer out
 * and empties it.
 */
#ifndef PIPA_EXPORT_EXCHANGE_HISTORY_H
#define PIPA_EXPORT_EXCHANGE_HISTORY_H

#include <stddef.h>

#include "model/history.h"
#include "model/series.h"

struct pipa_buf;
struct pipa_history_writer;

/*
 * Create a writer for rows of these sections. The sections and `out` are borrowed. NULL on
 * allocation failure.
 */
struct pipa_history_writer *pipa_history_writer_new(const struct pipa_section *const *sections,
						    size_t n, enum pipa_history_packing packing,
						    struct pipa_buf *out);
void pipa_history_writer_free(struct pipa_history_writer *writer);

/* Begin a segment. Call it before the first interval, and when a new file begins. */
void pipa_history_writer_begin(struct pipa_history_writer *writer,
			       const struct pipa_history_head *head);

/*
 * Return the sink for the rows. It returns -EFBIG for an interval with more rows than a reader
 * accepts.
 */
struct pipa_series_sink *pipa_history_writer_sink(struct pipa_history_writer *writer);

/* Note that the last or the current chunk does not reach the file: the next one is a key chunk. */
void pipa_history_writer_lost(struct pipa_history_writer *writer);

#endif
