#include "ingest/sums.h"

#include <stdbool.h>
#include <stdlib.h>

void pipa_sums_done(struct pipa_sums *sums)
{
	free(sums->slots);
	*sums = (struct pipa_sums){ 0 };
}

static struct pipa_sum *look_up(struct pipa_sum *slots, size_t mask, uint64_t hash)
{
	size_t at = hash & mask;

	while (slots[at].hash && slots[at].hash != hash)
		at = (at + 1) & mask;
	return &slots[at];
}

static bool grow(struct pipa_sums *sums)
{
	size_t n = sums->slots ? 2 * (sums->mask + 1) : 256, i;
	struct pipa_sum *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (i = 0; sums->slots && i <= sums->mask; i++)
		if (sums->slots[i].hash)
			*look_up(slots, n - 1, sums->slots[i].hash) = sums->slots[i];
	free(sums->slots);
	sums->slots = slots;
	sums->mask = n - 1;
	return true;
}

/* At most two of three slots are taken. */
struct pipa_sum *pipa_sums_find(struct pipa_sums *sums, uint64_t hash)
{
	struct pipa_sum *found = sums->slots ? look_up(sums->slots, sums->mask, hash) : NULL;

	if (found && found->hash)
		return found;
	if (!found || sums->n >= sums->mask / 3 * 2) {
		if (!grow(sums))
			return NULL;
		found = look_up(sums->slots, sums->mask, hash);
	}
	found->hash = hash;
	sums->n++;
	return found;
}
