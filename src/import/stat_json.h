/* Read reports of `pipa stat --json`: as the baseline of a comparison, or as counts. */
#ifndef PIPA_IMPORT_STAT_JSON_H
#define PIPA_IMPORT_STAT_JSON_H

#include <stddef.h>

struct pipa_base;
struct pipa_counts;
struct pipa_error;

/*
 * Decode a report. `ret` is unchanged on failure. The pseudo row "elapsed" has the wall time in
 * seconds.
 */
int pipa_stat_json_decode(const char *text, size_t len, struct pipa_base *ret,
			  struct pipa_error *err);

/*
 * Append the counts of the first report in the text, which may be followed by others: with -I each interval is one. A
 * metric is a row of its own whose event is "EVENT.METRIC". *ret_used is the length of the report with the white space
 * before it. -EBADMSG if it is not a report.
 */
int pipa_stat_json_counts(const char *text, size_t len, struct pipa_counts *ret, size_t *ret_used,
			  struct pipa_error *err);

#endif
