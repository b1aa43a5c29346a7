/*
 * The key of a result: SHA-256 over the fields that are set, in the order of their numbers (docs/format/results.md has
 * the bytes). The same report has the same key, whenever and wherever it is uploaded.
 */
#ifndef PIPA_RPC_RESULT_HASH_H
#define PIPA_RPC_RESULT_HASH_H

#include "model/result.h"

enum { PIPA_RESULT_HASH_CHARS = 64 }; /* lower-case hexadecimal digits */

/* Returns the key as a string. */
const char *pipa_result_hash(const struct pipa_result *result,
			     char ret[static PIPA_RESULT_HASH_CHARS + 1]);

#endif
