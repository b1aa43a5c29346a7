/*
 * What `perf stat -x SEP` and `pipa stat -x SEP` write (docs/format/stat-csv.md), back into counts:
 *
 *	[TIME,][PLACE,[CPUS,]]VALUE,[UNIT,]EVENT,[CGROUP,][NOISE,][RUNNING,SHARE[,METRIC,METRIC-UNIT]]
 *
 * No header tells which of these columns there are, so every line is looked at for itself: behind a
 * time or a place comes a number, behind a value comes none. The unit is missing in what perf before
 * 3.14 wrote. Comments, blank lines, summaries and lines with a metric alone are passed over; what
 * else makes no sense is counted and not believed.
 */
#ifndef PIPA_IMPORT_STAT_CSV_H
#define PIPA_IMPORT_STAT_CSV_H

#include <stddef.h>

struct pipa_counts;

struct pipa_stat_csv_result {
	size_t damaged;	   /* lines that make no sense, or are cut off */
	size_t first_line; /* the first such line, from 1 */
	size_t repeated;   /* rows that were there already: the first one counts */
	size_t summaries;  /* rows that say again what the intervals did */
	char separator[8]; /* as given or found; "": there was no row */
};

/*
 * Append the rows of the text to ret. separator NULL: found from the first row. Returns 0, -ENOMEM, or
 * -EFBIG past 2^25 rows; ret holds what was read until then.
 */
int pipa_stat_csv_decode(const char *text, size_t len, const char *separator,
			 struct pipa_counts *ret, struct pipa_stat_csv_result *result);

#endif
