/*
 * Hash table from the 64-bit hash of a sample (thread, event, labels and call chain) to its weight
 * and count.
 *
 * The sums are a dense array in insertion order; slots of 8 bytes hold 32 bits of the hash and the
 * index of a sum. A lookup touches two cache lines, and both can be prefetched: first the slot,
 * then the sum. Two samples with equal hashes are counted as one: among a million samples that
 * happens once in forty million recordings.
 */
#ifndef PIPA_INGEST_SAMPLE_TABLE_H
#define PIPA_INGEST_SAMPLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"

struct pipa_sample_sum {
	uint64_t hash;
	uint64_t weight;
	uint32_t count;
	uint32_t id; /* for the caller */
};

struct pipa_sample_table {
	struct pipa_sample_sum *items; /* in insertion order */
	size_t n, cap;
	struct pipa_index index;
};

void pipa_sample_table_done(struct pipa_sample_table *table);

/*
 * Find the sum of a hash, or add one with weight, count and id 0. The pointer is valid until the
 * next call. NULL on allocation failure.
 */
struct pipa_sample_sum *pipa_sample_table_get(struct pipa_sample_table *table, uint64_t hash);

/*
 * Prefetch the slot of a hash. Always inline, like the next function: gcc treats a function that
 * only prefetches as pure and drops calls of it.
 */
static inline __attribute__((always_inline)) void pipa_sample_table_prefetch(
	const struct pipa_sample_table *table, uint64_t hash)
{
	if (table->index.slots)
		__builtin_prefetch(pipa_index_start(&table->index, hash), 1);
}

/* Prefetch the sum of a hash whose slot was prefetched. Returns false if there is none: it is new. */
static inline __attribute__((always_inline)) bool pipa_sample_table_prefetch_sum(
	const struct pipa_sample_table *table, uint64_t hash)
{
	const struct pipa_index_slot *slot = pipa_index_start(&table->index, hash);

	for (; slot->id; slot = pipa_index_after(&table->index, slot))
		if (slot->hash == (uint32_t)hash) {
			__builtin_prefetch(&table->items[slot->id - 1], 1);
			return true;
		}
	return false;
}

#endif
