#include "ingest/sample_table.h"

#include <stdlib.h>

#include "base/vec.h"

void pipa_sample_table_done(struct pipa_sample_table *table)
{
	free(table->items);
	pipa_index_done(&table->index);
	*table = (struct pipa_sample_table){ 0 };
}

struct pipa_sample_sum *pipa_sample_table_get(struct pipa_sample_table *table, uint64_t hash)
{
	const struct pipa_index_slot *slot = pipa_index_start(&table->index, hash);
	struct pipa_sample_sum *sum;

	for (; slot->id; slot = pipa_index_after(&table->index, slot))
		if (slot->hash == (uint32_t)hash && table->items[slot->id - 1].hash == hash)
			return &table->items[slot->id - 1];
	sum = table->n < UINT32_MAX - 1 ? PIPA_VEC_ADD(table) : NULL;
	if (!sum)
		return NULL;
	sum->hash = hash;
	if (pipa_index_add(&table->index, hash, (uint32_t)table->n - 1) == 0)
		return sum;
	table->n--;
	return NULL;
}
