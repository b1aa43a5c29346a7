/*
 * Read the output of `perf stat -x SEP` and `pipa stat -x SEP` (docs/format/stat-csv.md) to
 * counts:
 *
 *	[TIME,][PLACE,[CPUS,]]VALUE,[UNIT,]EVENT,[CGROUP,][NOISE,][RUNNING,SHARE[,METRIC,METRIC-UNIT]]
 *
 * No header names the columns, so each line is parsed by itself: a number follows a time or a
 * place, none follows a value. perf before 3.14 wrote no unit. Comments, empty lines, summaries
 * and lines with only a metric are skipped; malformed lines are counted.
 */
#ifndef PIPA_IMPORT_STAT_CSV_H
#define PIPA_IMPORT_STAT_CSV_H

#include <stddef.h>

struct pipa_counts;

struct pipa_stat_csv_result {
	size_t damaged;	   /* lines that are malformed or truncated */
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
