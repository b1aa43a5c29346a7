/* Table of interned strings, by index. Index 0 is the empty string. */
#ifndef PIPA_BASE_STRINGS_H
#define PIPA_BASE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"

struct pipa_string {
	const char *text;
	uint32_t len;
};

struct pipa_strings {
	struct pipa_string *items;
	size_t n, cap;
	struct pipa_index index;
	struct pipa_arena arena;
};

#define PIPA_NO_STRING UINT32_MAX

void pipa_strings_done(struct pipa_strings *strings);

/* Intern a string, copying it if it is new; PIPA_NO_STRING on allocation failure. */
uint32_t pipa_strings_add(struct pipa_strings *strings, const char *text, size_t len);

/* The same for callers that have its pipa_hash_bytes() from PIPA_HASH_SEED. */
uint32_t pipa_strings_add_hashed(struct pipa_strings *strings, const char *text, size_t len,
				 uint64_t hash);

/* The text of a number that was given out; never NULL. */
static inline const char *pipa_strings_get(const struct pipa_strings *strings, uint32_t number)
{
	return number < strings->n ? strings->items[number].text : "";
}

#endif
