/*
 * Hash index of an array: find the index of an entry by its hash. It stores 32 bits of each hash
 * and the entry's index; the caller compares:
 *
 *	for (slot = pipa_index_start(&index, hash); slot->id; slot = pipa_index_after(&index, slot))
 *		if (slot->hash == (uint32_t)hash && is_equal(slot->id - 1, thing))
 *			return slot->id - 1;
 *
 * Entries are never removed. A zeroed index is empty and valid.
 */
#ifndef PIPA_BASE_INDEX_H
#define PIPA_BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct pipa_index_slot {
	uint32_t hash;
	uint32_t id; /* index + 1; 0: empty */
};

struct pipa_index {
	struct pipa_index_slot *slots;
	uint32_t mask; /* slots - 1 */
	uint32_t n;
};

void pipa_index_done(struct pipa_index *index);

/* Returns 0, or -ENOMEM with the index as it was. The number must not be there yet. */
int pipa_index_add(struct pipa_index *index, uint64_t hash, uint32_t number);

extern const struct pipa_index_slot pipa_index_nothing;

static inline const struct pipa_index_slot *pipa_index_start(const struct pipa_index *index,
							     uint64_t hash)
{
	return index->slots ? &index->slots[(uint32_t)hash & index->mask] : &pipa_index_nothing;
}

static inline const struct pipa_index_slot *pipa_index_after(const struct pipa_index *index,
							     const struct pipa_index_slot *slot)
{
	return &index->slots[(uint32_t)(slot - index->slots + 1) & index->mask];
}

#endif
