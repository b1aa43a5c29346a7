#include "model/heaps.h"

#include <stdlib.h>

void pipa_heaps_done(struct pipa_heaps *heaps)
{
	pipa_strings_done(&heaps->strings);
	free(heaps->frames.items);
	free(heaps->modules.items);
	free(heaps->stacks.items);
	free(heaps->blocks.items);
	free(heaps->processes.items);
	*heaps = (struct pipa_heaps){ 0 };
}

uint64_t pipa_heaps_size_limit(unsigned int class)
{
	return class < PIPA_HEAPS_CLASSES - 1 ? UINT64_C(2) << class : 0;
}

uint64_t pipa_heaps_lifetime_limit(unsigned int class)
{
	return class < PIPA_HEAPS_CLASSES - 1 ? UINT64_C(1024) << class : 0;
}

const struct pipa_heaps_module *pipa_heaps_module_at(const struct pipa_heaps *heaps,
						     const struct pipa_heaps_process *process,
						     uint32_t generation, uint64_t address)
{
	uint32_t i;

	for (i = process->n_modules; i-- > 0;) {
		const struct pipa_heaps_module *m = &heaps->modules.items[process->modules + i];

		if (address >= m->start && address < m->end && generation >= m->first_generation &&
		    generation <= m->last_generation)
			return m;
	}
	return NULL;
}

bool pipa_heaps_is_complete(const struct pipa_heaps_process *process)
{
	const struct pipa_heaps_losses *l = &process->losses;

	return !(process->bypassed || l->samples || l->blocks || l->modules || l->children ||
		 l->storage || l->corrupt);
}
