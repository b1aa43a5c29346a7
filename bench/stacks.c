/*
 * A program that lives on many call stacks: for SECONDS, two threads walk a tree of calls at random, some
 * twenty frames deep, and work a little at each end. Built with frame pointers, so that a sampler that
 * follows them sees it all.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CALLS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

struct walk {
	uint64_t state, sum;
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

/* Most of the way down is the same for all: some thousands of ways lead to the end. */
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
	if (depth >= 11)
		work(w);
	else if (depth < 7)
		calls[depth % 8](w, depth);
	else
		calls[next(w) % 8](w, depth);
	w->sum++;
}

static double seconds_left;

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

	while (now() < end)
		descend(&w, 0);
	return (void *)(uintptr_t)w.sum;
}

int main(int argc, char **argv)
{
	pthread_t other;

	seconds_left = argc > 1 ? strtod(argv[1], NULL) : 5;
	if (pthread_create(&other, NULL, run, (void *)1) != 0)
		return 1;
	run((void *)2);
	pthread_join(other, NULL);
	return 0;
}
