/*
 * Read the output of `perf stat -x SEP` and `pipa stat -x SEP` (docs/format/stat-csv.md) to
 * counts:
 *
 *	[TIME,][PLACE,[CPUS,]]VALUE,[UNIT,]EVENT,[CGROUP,][NOISE,][RUNNING,SHARE[,METRIC,METRIC-UNIT]]
 *
 * No header names the columns, so each line is parsed by itself: a number follows a time or a
 * place, none follows a value. perf before 3.14 wrote no unit. Comments, empty lines, summaries
 * and metrics are skipped; malformed lines are counted.
 */
#ifndef PIPA_IMPORT_STAT_CSV_H
#define PIPA_IMPORT_STAT_CSV_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_counts;

struct pipa_stat_csv_result {
	size_t damaged;	   /* malformed or truncated lines */
	size_t first_line; /* first such line, from 1 */
	size_t repeated;   /* repeated rows, of which the first is used */
	size_t summaries;  /* rows of the summary after intervals */
	/*
	 * Set by the caller: also append the shares of pipeline slots that perf computed, as rows of
	 * the events "frontend_bound", "backend_bound", "bad_speculation" and "retiring" in percent
	 */
	bool wants_slots;
	char separator[8]; /* given or detected; "": no rows */
};

/*
 * Append the rows of the text to `ret`. `separator` NULL: detect it from the first row. 0, -ENOMEM,
 * or -EFBIG above 2^25 rows; on failure `ret` has the rows read until then.
 */
int pipa_stat_csv_decode(const char *text, size_t len, const char *separator,
			 struct pipa_counts *ret, struct pipa_stat_csv_result *result);

#endif
