#include "ingest/ended_processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void pipa_ended_processes_done(struct pipa_ended_processes *e)
{
	free(e->items);
	*e = (struct pipa_ended_processes){ 0 };
}

int pipa_ended_processes_add(struct pipa_ended_processes *e, uint32_t pid, uint64_t order)
{
	struct pipa_ended_process *slot = PIPA_VEC_ADD(e);

	if (!slot)
		return -ENOMEM;
	*slot = (struct pipa_ended_process){ pid, order };
	return 0;
}

void pipa_ended_processes_end_round(struct pipa_ended_processes *e,
				    void (*drop)(void *ctx,
						 const struct pipa_ended_process *process),
				    void *ctx)
{
	size_t i;

	for (i = 0; i < e->old; i++)
		drop(ctx, &e->items[i]);
	e->n -= e->old;
	if (e->n)
		memmove(e->items, e->items + e->old, e->n * sizeof(*e->items));
	e->old = e->n;
}
