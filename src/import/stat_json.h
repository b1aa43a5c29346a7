/* Read a report of `pipa stat --json` as the baseline of a comparison. */
#ifndef PIPA_IMPORT_STAT_JSON_H
#define PIPA_IMPORT_STAT_JSON_H

#include <stddef.h>

struct pipa_base;
struct pipa_error;

/*
 * Decode a report. `ret` is unchanged on failure. The pseudo row "elapsed" has the wall time in
 * seconds.
 */
int pipa_stat_json_decode(const char *text, size_t len, struct pipa_base *ret,
			  struct pipa_error *err);

#endif
