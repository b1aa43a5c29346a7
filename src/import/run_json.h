/* Read a report of `pipa run -f json` as the baseline of a comparison. */
#ifndef PIPA_IMPORT_RUN_JSON_H
#define PIPA_IMPORT_RUN_JSON_H

#include <stddef.h>

#include "model/run.h"

struct pipa_error;

/*
 * Read the value of each key as a spread (n is 0 if unknown, 1 for one run), and workload, scope,
 * cores and disk. `ret` must be initialized, and the caller frees it in any case.
 */
int pipa_run_json_decode(const char *text, size_t len, struct pipa_run *ret,
			 struct pipa_error *err);

#endif
