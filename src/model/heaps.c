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

bool pipa_heaps_has_frees(const struct pipa_heaps *heaps)
{
	size_t i;

	for (i = 0; i < heaps->processes.n; i++)
		if (!heaps->processes.items[i].no_frees)
			return true;
	return !heaps->processes.n;
}

void pipa_heaps_replace(struct pipa_heaps *heaps, struct pipa_heaps_process *process,
			uint64_t end_ns)
{
	uint32_t i;

	process->end = PIPA_HEAPS_REPLACED;
	process->end_ns = end_ns;
	for (i = process->stacks; i < process->stacks + process->n_stacks; i++)
		heaps->stacks.items[i].inuse = (struct pipa_heaps_amount){ 0 };
}

bool pipa_heaps_is_complete(const struct pipa_heaps_process *process)
{
	const struct pipa_heaps_losses *l = &process->losses;

	return !(process->bypassed || l->samples || l->reentries || l->blocks || l->modules ||
		 l->children || l->storage || l->corrupt);
}

struct change {
	uint64_t time_ns;
	int64_t bytes;
};

/* By time; at the same time what is added first. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->bytes < 0) - (y->bytes < 0);
}

uint64_t pipa_heaps_peak_at_once(const struct pipa_heaps *heaps)
{
	size_t n = heaps->processes.n, i;
	struct change *changes = calloc(2 * n + 1, sizeof(*changes));
	int64_t sum = 0, most = 0;

	for (i = 0; changes && i < n; i++) {
		const struct pipa_heaps_process *p = &heaps->processes.items[i];
		int64_t bytes = p->peak.bytes > INT64_MAX ? INT64_MAX : (int64_t)p->peak.bytes;
		uint64_t end_ns = p->end_ns;

		if (p->end == PIPA_HEAPS_KILLED || end_ns < p->start_ns)
			end_ns = UINT64_MAX; /* when a killed process has ended is not known */
		else if (p->end == PIPA_HEAPS_REPLACED && end_ns > p->start_ns)
			end_ns--; /* its end is the start of the program that replaced it */
		changes[2 * i] = (struct change){ p->start_ns, bytes };
		changes[2 * i + 1] = (struct change){ end_ns, -bytes };
	}
	if (changes)
		qsort(changes, 2 * n, sizeof(*changes), compare_changes);
	for (i = 0; changes && i < 2 * n; i++) {
		if (__builtin_add_overflow(sum, changes[i].bytes, &sum))
			sum = INT64_MAX;
		most = sum > most ? sum : most;
	}
	free(changes);
	return (uint64_t)most;
}
