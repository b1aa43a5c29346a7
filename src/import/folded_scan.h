/* Scan the text of folded stacks, eight bytes at a time. Private to import/. */
#ifndef PIPA_IMPORT_FOLDED_SCAN_H
#define PIPA_IMPORT_FOLDED_SCAN_H

#include <stddef.h>
#include <stdint.h>

struct pipa_strings;

/* A frame's name, to be looked for. */
struct pipa_folded_name {
	const char *text;
	size_t len;
	uint64_t hash; /* see pipa_strings_add_hashed() */
};

/* With how many bytes both begin, of `least` that they have. */
size_t pipa_folded_common(const char *a, const char *b, size_t least);

/*
 * Prefetch up to `most` frames from `frame` on, which will be looked up soon; returns the start of
 * the next one, past `end` if there is none. Reads nothing after `end`.
 */
const char *pipa_folded_scan(const struct pipa_strings *strings, const char *frame, const char *end,
			     struct pipa_folded_name *names, size_t most, size_t *ret_n);

#endif
