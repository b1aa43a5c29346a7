#include "base/strings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

void pipa_strings_done(struct pipa_strings *strings)
{
	free(strings->items);
	pipa_index_done(&strings->index);
	pipa_arena_done(&strings->arena);
	*strings = (struct pipa_strings){ 0 };
}

static uint32_t append(struct pipa_strings *strings, uint64_t hash, const char *text, size_t len)
{
	char *copy = pipa_arena_text(&strings->arena, text, len);
	struct pipa_string *string = copy ? PIPA_VEC_ADD(strings) : NULL;

	if (!string)
		return PIPA_NO_STRING;
	*string = (struct pipa_string){ .text = copy, .len = (uint32_t)len };
	if (pipa_index_add(&strings->index, hash, (uint32_t)(strings->n - 1)) < 0) {
		strings->n--;
		return PIPA_NO_STRING;
	}
	return (uint32_t)(strings->n - 1);
}

/* Names are mostly short: a call would take longer than to compare them. */
static bool is_equal(const char *a, const char *b, size_t len)
{
	enum { SHORT = 32 };
	uint64_t x, y;

	if (len > SHORT)
		return memcmp(a, b, len) == 0;
	for (; len >= sizeof(x); len -= sizeof(x), a += sizeof(x), b += sizeof(x)) {
		memcpy(&x, a, sizeof(x));
		memcpy(&y, b, sizeof(y));
		if (x != y)
			return false;
	}
	return pipa_hash_rest(a, len) == pipa_hash_rest(b, len);
}

static uint32_t find_or_append(struct pipa_strings *strings, const char *text, size_t len,
			       uint64_t hash)
{
	const struct pipa_index_slot *slot = pipa_index_start(&strings->index, hash);

	for (; slot->id; slot = pipa_index_after(&strings->index, slot)) {
		const struct pipa_string *string = &strings->items[slot->id - 1];

		if (slot->hash == (uint32_t)hash && string->len == len &&
		    is_equal(string->text, text, len))
			return slot->id - 1;
	}
	return append(strings, hash, text, len);
}

uint32_t pipa_strings_add_hashed(struct pipa_strings *strings, const char *text, size_t len,
				 uint64_t hash)
{
	if (len >= UINT32_MAX || strings->n >= UINT32_MAX - 1)
		return PIPA_NO_STRING;
	if (!strings->n &&
	    append(strings, pipa_hash_bytes("", 0, PIPA_HASH_SEED), "", 0) == PIPA_NO_STRING)
		return PIPA_NO_STRING;
	return find_or_append(strings, text, len, hash);
}

uint32_t pipa_strings_add(struct pipa_strings *strings, const char *text, size_t len)
{
	return pipa_strings_add_hashed(strings, text, len,
				       pipa_hash_bytes(text, len, PIPA_HASH_SEED));
}
