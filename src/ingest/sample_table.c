#include "ingest/sample_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"

void pipa_sample_table_done(struct pipa_sample_table *table)
{
	free(table->slots);
	*table = (struct pipa_sample_table){ 0 };
}

static struct pipa_sample_slot *find_slot(struct pipa_sample_slot *slots, size_t mask,
					  uint64_t hash)
{
	size_t at = hash & mask;

	while (slots[at].hash && slots[at].hash != hash)
		at = (at + 1) & mask;
	return &slots[at];
}

/* Enlarge the table, so that at most three of four slots are in use. Returns 0 or -ENOMEM. */
static int grow(struct pipa_sample_table *table)
{
	enum { FIRST = 64, SMALL = 1 << 16 };
	size_t now = table->slots ? table->mask + 1 : 0, i;
	size_t n = !now ? FIRST : now < SMALL ? 4 * now : 2 * now;
	struct pipa_sample_slot *slots = n <= UINT32_MAX ? pipa_large_alloc(n * sizeof(*slots)) :
							   NULL;

	if (!slots)
		return -ENOMEM;
	/* not calloc(): a page that is read before it is written costs two faults */
	memset(slots, 0, n * sizeof(*slots));
	for (i = 0; i < now; i++)
		if (table->slots[i].hash)
			*find_slot(slots, n - 1, table->slots[i].hash) = table->slots[i];
	free(table->slots);
	table->slots = slots;
	table->mask = n - 1;
	return 0;
}

struct pipa_sample_slot *pipa_sample_table_get(struct pipa_sample_table *table, uint64_t hash)
{
	struct pipa_sample_slot *slot;

	if (!table->slots && grow(table) < 0)
		return NULL;
	slot = find_slot(table->slots, table->mask, hash);
	if (slot->hash)
		return slot;
	if (table->n >= (table->mask + 1) / 4 * 3) {
		if (grow(table) < 0)
			return NULL;
		slot = find_slot(table->slots, table->mask, hash);
	}
	slot->hash = hash;
	table->n++;
	return slot;
}
