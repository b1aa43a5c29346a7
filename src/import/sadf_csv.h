/*
 * Read CSV of sysstat (sadf -d) and of pipa's own recordings to rows:
 *
 *	# hostname;interval;timestamp;CPU;%user;%nice;...
 *	box;1;2026-11-15 03:03:18 UTC;-1;6.28;0.00;...
 *
 * A header names the columns of the rows that follow; it may occur again, and several tables may
 * follow each other. The first header may lack its "# ". Separators are those of the header,
 * semicolons or commas. Columns are found by name, those of older sysstat versions too. Other lines
 * (LINUX-RESTART, comments, malformed ones) are counted and ignored.
 */
#ifndef PIPA_IMPORT_SADF_CSV_H
#define PIPA_IMPORT_SADF_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/series.h"

struct pipa_sadf_reader;
struct pipa_zone;

struct pipa_sadf_result {
	size_t rows;
	size_t restarts;       /* restarts of the machine */
	size_t skipped;	       /* malformed or truncated lines */
	size_t unknown;	       /* rows of unknown tables */
	char unknown_name[64]; /* first such table, by its first column */
	size_t headers;
	bool in_restart; /* a restart was the last row: it belongs to the rows that follow */
	char host[64];	 /* of the first row; "": unknown */
};

/*
 * Pass the rows of the text to the sink in file order, as rows of model/sections.h. Times without
 * "UTC" are in the time zone. Returns 0 or the result of the sink.
 */
int pipa_sadf_decode(const char *text, size_t len, const struct pipa_zone *zone,
		     struct pipa_series_sink *sink, struct pipa_sadf_result *ret);

/*
 * The same for text in pieces: feed() reads the complete lines of a piece and sets *ret_used to
 * their length; the caller passes the rest again, in front of the following text. `last`: no text
 * follows. The zone, the sink and the result are borrowed.
 */
struct pipa_sadf_reader *pipa_sadf_reader_new(const struct pipa_zone *zone,
					      struct pipa_series_sink *sink,
					      struct pipa_sadf_result *result);
void pipa_sadf_reader_free(struct pipa_sadf_reader *reader);
int pipa_sadf_reader_feed(struct pipa_sadf_reader *reader, const char *text, size_t len, bool last,
			  size_t *ret_used);

static inline void pipa_sadf_reader_free_auto(struct pipa_sadf_reader **reader)
{
	pipa_sadf_reader_free(*reader);
}

#endif
