/* Read a report of `pipa run -f json` back, as the baseline of a comparison. */
#ifndef PIPA_IMPORT_RUN_JSON_H
#define PIPA_IMPORT_RUN_JSON_H

#include <stddef.h>

#include "model/run.h"

struct pipa_error;

/* What the report knows of each key: n is 0 where it knows nothing, 1 for one run. */
int pipa_run_json_decode(const char *text, size_t len, struct pipa_spread ret[static PIPA_RUN_KEYS],
			 struct pipa_error *err);

#endif
