/*
 * The key of a result: SHA-256 over the fields that are set, in the order of their numbers (docs/format/results.md has
 * the bytes). Equal reports have equal keys.
 */
#ifndef PIPA_RPC_RESULT_HASH_H
#define PIPA_RPC_RESULT_HASH_H

#include "model/result.h"

enum { PIPA_RESULT_HASH_CHARS = 64 }; /* lower-case hexadecimal digits */

/* Return the key as a string, in `ret`. */
const char *pipa_result_hash(const struct pipa_result *result,
			     char ret[static PIPA_RESULT_HASH_CHARS + 1]);

#endif
