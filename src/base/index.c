#include "base/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"

const struct pipa_index_slot pipa_index_nothing;

void pipa_index_done(struct pipa_index *index)
{
	free(index->slots);
	*index = (struct pipa_index){ 0 };
}

static void put(struct pipa_index_slot *slots, uint32_t mask, struct pipa_index_slot new)
{
	uint32_t at = new.hash &mask;

	while (slots[at].id)
		at = (at + 1) & mask;
	slots[at] = new;
}

/* At most three of four slots are taken: a search ends soon, and always ends. */
static int grow(struct pipa_index *index)
{
	enum { FIRST = 64, SMALL = 1 << 16 };
	size_t now = index->slots ? (size_t)index->mask + 1 : 0;
	size_t slots = !now ? FIRST : now < SMALL ? 4 * now : 2 * now;
	struct pipa_index_slot *bigger;
	size_t i;

	if (slots > UINT32_MAX / 2)
		return -ENOMEM;
	bigger = pipa_large_alloc(slots * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	/* not calloc(): a page that is read before it is written costs two faults */
	memset(bigger, 0, slots * sizeof(*bigger));
	for (i = 0; index->slots && i <= index->mask; i++)
		if (index->slots[i].id)
			put(bigger, (uint32_t)slots - 1, index->slots[i]);
	free(index->slots);
	index->slots = bigger;
	index->mask = (uint32_t)slots - 1;
	return 0;
}

int pipa_index_add(struct pipa_index *index, uint64_t hash, uint32_t number)
{
	if (!index->slots || index->n >= (index->mask + 1) / 4 * 3) {
		int rc = grow(index);

		if (rc < 0)
			return rc;
	}
	put(index->slots, index->mask,
	    (struct pipa_index_slot){ .hash = (uint32_t)hash, .id = number + 1 });
	index->n++;
	return 0;
}
