/* Read numbers from JSON that jansson has parsed, for the readers of pipa's own reports. */
#ifndef PIPA_IMPORT_JSON_READ_H
#define PIPA_IMPORT_JSON_READ_H

#include <jansson.h>

#include "model/stat.h"

/* The number of that key, NaN when it is none. */
double pipa_json_number(const json_t *object, const char *key);

/* A spread as our reports write it; what is none is one value. */
void pipa_json_spread(const json_t *spread, double value, struct pipa_spread *ret);

static inline void json_decref_auto(json_t **json)
{
	json_decref(*json);
}

#endif
