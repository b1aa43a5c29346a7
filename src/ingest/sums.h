/*
 * Sums by hash: what is added up for every sample, so its slots hold the sums themselves and one look at
 * memory is enough. 64 bits of hash are taken for the thing: two of a million share them once in forty
 * million recordings.
 */
#ifndef PIPA_INGEST_SUMS_H
#define PIPA_INGEST_SUMS_H

#include <stddef.h>
#include <stdint.h>

struct pipa_sum {
	uint64_t hash; /* 0: nothing here */
	uint64_t weight;
	uint32_t count;
	uint32_t id; /* whatever the caller knows it by */
};

struct pipa_sums {
	struct pipa_sum *slots;
	size_t mask; /* slots - 1 */
	size_t n;
};

void pipa_sums_done(struct pipa_sums *sums);

/*
 * The sum with that hash, which must not be 0; a new one has count 0 and the id that the caller now gives
 * it. A loan until the next call. NULL without memory.
 */
struct pipa_sum *pipa_sums_find(struct pipa_sums *sums, uint64_t hash);

/* It will be asked for soon: memory may begin to come. */
static inline void pipa_sums_expect(const struct pipa_sums *sums, uint64_t hash)
{
	if (sums->slots)
		__builtin_prefetch(&sums->slots[hash & sums->mask], 1);
}

#endif
