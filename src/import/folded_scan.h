/* Scan the text of folded stacks, eight bytes at a time. Private to import/. */
#ifndef PIPA_IMPORT_FOLDED_SCAN_H
#define PIPA_IMPORT_FOLDED_SCAN_H

#include <stddef.h>
#include <stdint.h>

struct pipa_strings;

/* The name of a frame, before its lookup. */
struct pipa_folded_name {
	const char *text;
	size_t len;
	uint64_t hash; /* see pipa_strings_add_hashed() */
};

/* Return the length of the common prefix, at most `least`, which both strings have. */
size_t pipa_folded_common(const char *a, const char *b, size_t least);

/*
 * Hash and prefetch up to `most` frames from `frame` on, which will be looked up soon. Returns the
 * start of the next one, after `end` if there is none. Reads nothing after `end`.
 */
const char *pipa_folded_scan(const struct pipa_strings *strings, const char *frame, const char *end,
			     struct pipa_folded_name *names, size_t most, size_t *ret_n);

#endif
