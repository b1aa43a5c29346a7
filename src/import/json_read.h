/* Read numbers from JSON that jansson has parsed, for the readers of pipa's own reports. */
#ifndef PIPA_IMPORT_JSON_READ_H
#define PIPA_IMPORT_JSON_READ_H

#include <jansson.h>

#include "model/stat.h"

/* Return the number of a key, NaN if it is missing or not a number. */
double pipa_json_number(const json_t *object, const char *key);

/* Read a spread as pipa's reports write it; without one, a single value. */
void pipa_json_spread(const json_t *spread, double value, struct pipa_spread *ret);

static inline void json_decref_auto(json_t **json)
{
	json_decref(*json);
}

#endif
