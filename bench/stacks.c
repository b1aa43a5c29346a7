/*
 * A program that lives on many call stacks: two threads walk a tree of calls at random, some twenty frames
 * deep, and work a little at each leaf. Built with frame pointers, so that a sampler that follows them sees
 * it all.
 *
 *	stacks [SECONDS [PATHS]]
 *
 * Runs for SECONDS (default 5). PATHS is the number of call paths, each as likely as the others (default
 * 4096). They differ in their innermost calls.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CALLS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

enum { DEPTH = 11 };

struct walk {
	uint64_t state, sum;
	uint64_t path;
};

typedef void (*call_fn)(struct walk *w, int depth);

static uint32_t next(struct walk *w)
{
	w->state = w->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(w->state >> 33);
}

static __attribute__((noinline)) void work(struct walk *w)
{
	int i;

	for (i = 0; i < 3000; i++)
		w->sum += w->sum << 7 ^ (uint64_t)i * w->state;
}

/* Each octal digit of the path chooses a call; the outermost ones are zero. */
static void descend(struct walk *w, int depth);

#define X(n)                                                                                       \
	static __attribute__((noinline)) void call##n(struct walk *w, int depth)                   \
	{                                                                                          \
		descend(w, depth + 1);                                                             \
		w->sum += (n);                                                                     \
	}
CALLS(X)
#undef X

#define X(n) call##n,
static const call_fn calls[] = { CALLS(X) };
#undef X

static __attribute__((noinline)) void descend(struct walk *w, int depth)
{
	if (depth >= DEPTH)
		work(w);
	else
		calls[((w->path >> 3 * (DEPTH - 1 - depth)) + (unsigned int)depth) % 8](w, depth);
	w->sum++;
}

static double seconds_left;
static uint32_t paths = 4096;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void *run(void *seed)
{
	struct walk w = { .state = (uintptr_t)seed };
	double end = now() + seconds_left;

	while (now() < end) {
		w.path = next(&w) % paths;
		descend(&w, 0);
	}
	return (void *)(uintptr_t)w.sum;
}

int main(int argc, char **argv)
{
	pthread_t other;

	seconds_left = argc > 1 ? strtod(argv[1], NULL) : 5;
	if (argc > 2)
		paths = (uint32_t)strtoul(argv[2], NULL, 10);
	if (!paths)
		return 2;
	if (pthread_create(&other, NULL, run, (void *)1) != 0)
		return 1;
	run((void *)2);
	pthread_join(other, NULL);
	return 0;
}
