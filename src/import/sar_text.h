/*
 * Read the output of `LC_ALL=C sar` to rows:
 *
 *	Linux 6.18.0 (box) 	11/15/26 	_x86_64_	(2 CPU)
 *
 *	12:04:23        CPU      %usr     %nice      %sys ...
 *	12:04:24        all     72.91     10.34     16.75 ...
 *	Average:        all     71.26     13.46     15.11 ...
 *
 * The first line of a block is a header; its time is the start of the first interval. Headers
 * repeat, averages have headers of their own, and LINUX RESTART resets the state. A time that goes
 * back is of the next day. Missing columns are missing values; surplus words belong to the last
 * column. Times may be in 12-hour format. Malformed lines are counted and ignored.
 */
#ifndef PIPA_IMPORT_SAR_TEXT_H
#define PIPA_IMPORT_SAR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/series.h"

struct pipa_zone;

struct pipa_sar_result {
	size_t rows;	 /* of intervals */
	size_t averages; /* rows of averages */
	size_t restarts; /* restarts of the machine */
	size_t mended; /* rows with surplus, missing or malformed words: their values are missing */
	size_t skipped;	       /* malformed or truncated lines */
	size_t unknown;	       /* rows of unknown tables */
	char unknown_name[64]; /* first such table, by its first column */
};

/* Is it the first line of sar's text? */
bool pipa_sar_is(const char *text, size_t len);

/*
 * Pass the rows of the text to the sink in file order, as rows of model/sections.h, and those of
 * averages to `averages` unless it is NULL; their interval is the averaged time. Times are in the
 * time zone; without a date they are of 1970. Returns 0 or the result of a sink.
 */
int pipa_sar_decode(const char *text, size_t len, const struct pipa_zone *zone,
		    struct pipa_series_sink *sink, struct pipa_series_sink *averages,
		    struct pipa_sar_result *ret);

#endif
