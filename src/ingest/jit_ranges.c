#include "ingest/jit_ranges.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"

void pipa_jit_ranges_done(struct pipa_jit_ranges *jits)
{
	free(jits->items);
	*jits = (struct pipa_jit_ranges){ 0 };
}

uint32_t pipa_jit_ranges_add(struct pipa_jit_ranges *jits, const struct pipa_jit *jit)
{
	struct pipa_jit *slot;
	size_t i;

	for (i = 0; i < jits->n; i++)
		if (jits->items[i].object == jit->object && jits->items[i].below == jit->below)
			return (uint32_t)i;
	slot = PIPA_VEC_ADD(jits);
	if (!slot)
		return PIPA_NO_JIT;
	*slot = *jit;
	return (uint32_t)jits->n - 1;
}

bool pipa_jit_ranges_find(const struct pipa_jit_ranges *jits, uint32_t number, uint64_t address,
			  uint64_t time, uint32_t *ret_object, uint64_t *ret_offset)
{
	for (; number != PIPA_NO_JIT; number = jits->items[number].below) {
		const struct pipa_jit *jit = &jits->items[number];

		if (jit->code.find(jit->code.ctx, address, time, ret_offset)) {
			*ret_object = jit->object;
			return true;
		}
	}
	return false;
}

/*
 * Hash the offsets of reused addresses into the seed. Exact addresses are looked up as they are,
 * return addresses minus one.
 */
static uint64_t hash_reused_code(const struct pipa_ingest_code *code, const uint64_t *words,
				 size_t n, uint64_t time, uint64_t seed)
{
	uint64_t offset, address;
	bool caller = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (words[i] >= PIPA_CHAIN_CONTEXT) {
			caller = false;
			continue;
		}
		address = words[i] - caller;
		caller = true;
		if (address - code->reused_from >= code->reused_to - code->reused_from)
			continue;
		if (!code->find(code->ctx, address, time, &offset))
			offset = PIPA_UNKNOWN;
		seed = pipa_hash_u64(offset, seed);
	}
	return seed;
}

uint64_t pipa_jit_ranges_seed(const struct pipa_jit_ranges *jits, uint32_t number,
			      const uint64_t *words, size_t n, uint64_t time, uint64_t seed)
{
	for (; number != PIPA_NO_JIT; number = jits->items[number].below)
		if (jits->items[number].code.reused_to)
			seed = hash_reused_code(&jits->items[number].code, words, n, time, seed);
	return seed;
}
