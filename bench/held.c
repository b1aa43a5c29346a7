/*
 * How long a program is held up each time that it is sampled: for SECONDS, at the end of DEPTH calls, it
 * does nothing but read the clock, and a step of the clock that is longer than a read and shorter than another
 * program's turn is an interrupt. Prints their number and, in ns, their median and mean. This stands out of
 * a noise in which a percent of CPU time cannot be seen; what it leaves out is the caches that the
 * sample has emptied.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_NS = 700, MOST_NS = 100000, ROOM = 1 << 21 };

static uint32_t steps[ROOM];
static size_t n_steps;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) void watch(double seconds)
{
	uint64_t last = now_ns(), end = last + (uint64_t)(seconds * 1e9), now;

	for (; last < end; last = now) {
		now = now_ns();
		if (now - last > LEAST_NS && now - last < MOST_NS && n_steps < ROOM)
			steps[n_steps++] = (uint32_t)(now - last);
	}
}

/* The calls use their frames, so that the stack is there. */
static __attribute__((noinline)) int descend(int depth, double seconds)
{
	volatile char frame[64];
	size_t i;

	for (i = 0; i < sizeof(frame); i++)
		frame[i] = (char)depth;
	if (depth)
		return descend(depth - 1, seconds) + frame[depth % 64];
	watch(seconds);
	return frame[0];
}

static int by_length(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	double sum = 0;
	size_t i;

	if (argc != 3) {
		fprintf(stderr, "usage: held DEPTH SECONDS\n");
		return 2;
	}
	descend(atoi(argv[1]), atof(argv[2]));
	for (i = 0; i < n_steps; i++)
		sum += steps[i];
	qsort(steps, n_steps, sizeof(*steps), by_length);
	printf("%zu %u %.0f\n", n_steps, n_steps ? steps[n_steps / 2] : 0,
	       n_steps ? sum / (double)n_steps : 0);
	return 0;
}
