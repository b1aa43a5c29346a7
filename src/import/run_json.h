/* Read a report of `pipa run -f json` as the baseline of a comparison. */
#ifndef PIPA_IMPORT_RUN_JSON_H
#define PIPA_IMPORT_RUN_JSON_H

#include <stddef.h>

#include "model/run.h"

struct pipa_error;

/*
 * What the report knows of each key, as spread: n is 0 where it knows nothing, 1 for one run; and what it
 * was measured on: workload, scope, cores and disk. ret is initialised, and done by the caller in any case.
 */
int pipa_run_json_decode(const char *text, size_t len, struct pipa_run *ret,
			 struct pipa_error *err);

#endif
