#include "base/parallel.h"

#include <sched.h>
#include <signal.h>

struct part {
	void (*fn)(void *ctx, unsigned int part);
	void *ctx;
	unsigned int number;
	pthread_t thread;
	bool started;
};

unsigned int pipa_parallel_width(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < 1 ? 1 : n < PIPA_PARALLEL_MAX ? (unsigned int)n : PIPA_PARALLEL_MAX;
}

static void *run(void *ctx)
{
	const struct part *part = ctx;

	part->fn(part->ctx, part->number);
	return NULL;
}

bool pipa_parallel_start(pthread_t *ret, void *(*fn)(void *ctx), void *ctx)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all); /* signals are for the thread that was there before */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(ret, NULL, fn, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc == 0;
}

void pipa_parallel(unsigned int n, void (*fn)(void *ctx, unsigned int part), void *ctx)
{
	struct part parts[PIPA_PARALLEL_MAX];
	unsigned int i;

	for (i = 0; i < n; i++) {
		parts[i] = (struct part){ .fn = fn, .ctx = ctx, .number = i };
		if (i + 1 < n)
			parts[i].started = pipa_parallel_start(&parts[i].thread, run, &parts[i]);
	}
	for (i = n; i-- > 0;)
		if (!parts[i].started)
			run(&parts[i]);
	for (i = 0; i < n; i++)
		if (parts[i].started)
			pthread_join(parts[i].thread, NULL);
}
