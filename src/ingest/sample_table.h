/*
 * Hash table from the 64-bit hash of a sample (thread, event, labels and call chain) to its index
 * in the profile.
 *
 * Open addressing with slots of 16 bytes: a lookup touches one cache line, which can be prefetched;
 * its index then allows to prefetch the sample of the profile. Samples with equal hashes are
 * counted as one: the probability that any two of a million samples collide is one in forty
 * million.
 */
#ifndef PIPA_INGEST_SAMPLE_TABLE_H
#define PIPA_INGEST_SAMPLE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct pipa_sample_slot {
	uint64_t hash; /* 0: empty */
	uint32_t id;   /* index of the sample + 1; 0: none yet */
};

/* A zeroed table is empty and valid. */
struct pipa_sample_table {
	struct pipa_sample_slot *slots;
	size_t mask; /* slots - 1 */
	size_t n;
};

void pipa_sample_table_done(struct pipa_sample_table *table);

/*
 * Find the slot of a hash, which is not 0, or add it with id 0. The pointer is valid until the next
 * call. NULL on allocation failure.
 */
struct pipa_sample_slot *pipa_sample_table_get(struct pipa_sample_table *table, uint64_t hash);

/*
 * Prefetch the slot of a hash. Always inline: gcc treats a function that only prefetches as pure
 * and drops calls of it.
 */
static inline __attribute__((always_inline)) void pipa_sample_table_prefetch(
	const struct pipa_sample_table *table, uint64_t hash)
{
	if (table->slots)
		__builtin_prefetch(&table->slots[hash & table->mask], 1);
}

/* Return the id of a hash; 0 if it is not there. */
static inline uint32_t pipa_sample_table_find(const struct pipa_sample_table *table, uint64_t hash)
{
	size_t at = hash & table->mask;

	if (!table->slots)
		return 0;
	while (table->slots[at].hash && table->slots[at].hash != hash)
		at = (at + 1) & table->mask;
	return table->slots[at].id;
}

#endif
