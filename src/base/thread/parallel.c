#include "base/thread/parallel.h"

#include <sched.h>

#include "base/thread/worker.h"

struct part {
	void (*fn)(void *ctx, unsigned int part);
	void *ctx;
	unsigned int number;
	struct pipa_worker thread;
};

unsigned int pipa_parallel_width(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < 1 ? 1 : n < PIPA_PARALLEL_MAX ? (unsigned int)n : PIPA_PARALLEL_MAX;
}

static void run_part(void *ctx)
{
	const struct part *part = ctx;

	part->fn(part->ctx, part->number);
}

void pipa_parallel(unsigned int n, void (*fn)(void *ctx, unsigned int part), void *ctx)
{
	struct part parts[PIPA_PARALLEL_MAX];
	unsigned int i;

	for (i = 0; i < n; i++) {
		parts[i] = (struct part){ .fn = fn, .ctx = ctx, .number = i };
		if (i + 1 < n)
			pipa_worker_start(&parts[i].thread, "pipa-parallel",
					  PIPA_WORKER_STACK_PARSE, run_part, &parts[i]);
	}
	for (i = n; i-- > 0;)
		if (!parts[i].thread.running)
			run_part(&parts[i]);
	for (i = 0; i < n; i++)
		pipa_worker_join(&parts[i].thread);
}
