/*
 * Write sections over time as sar's tables, sadf's CSV or JSON lines: three sinks that append to a
 * buffer. The owner writes the buffer out and empties it.
 */
#ifndef PIPA_EXPORT_TABLE_SERIES_H
#define PIPA_EXPORT_TABLE_SERIES_H

#include <stdbool.h>

#include "model/series.h"

struct pipa_buf;
struct pipa_zone;

enum pipa_series_form { PIPA_SERIES_TEXT, PIPA_SERIES_CSV, PIPA_SERIES_JSON };

struct pipa_series_format {
	enum pipa_series_form form;
	const char *host;	      /* the first column of the CSV */
	bool fractions;		      /* intervals below a second: times with milliseconds */
	const struct pipa_zone *zone; /* of the times in tables; NULL: UTC */
};

struct pipa_series_writer;

/*
 * Create a writer over `out`, NULL on allocation failure; the format is copied, its strings are
 * borrowed.
 */
struct pipa_series_writer *pipa_series_writer_new(const struct pipa_series_format *format,
						  struct pipa_buf *out);
void pipa_series_writer_free(struct pipa_series_writer *writer);

/* Return the sink for rows. */
struct pipa_series_sink *pipa_series_writer_sink(struct pipa_series_writer *writer);

/* Set the host of the following rows (borrowed), and whether times have milliseconds. */
void pipa_series_writer_source(struct pipa_series_writer *writer, const char *host, bool fractions);

/* Mark the following rows as averages: tables print "Average:" instead of the time. */
void pipa_series_writer_average(struct pipa_series_writer *writer);

static inline void pipa_series_writer_free_auto(struct pipa_series_writer **writer)
{
	pipa_series_writer_free(*writer);
}

#endif
