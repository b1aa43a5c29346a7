/* The profile of pprof.sh, made by both programs: samples of FRAMES frames each, locations by a random walk. */
#ifndef PIPA_BENCH_PPROF_H
#define PIPA_BENCH_PPROF_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { SAMPLES = 300000, FRAMES = 24, LOCATIONS = 20000, FUNCTIONS = 5000 };

static uint64_t bench_state = 88172645463325252;

static inline uint32_t bench_random(uint32_t below)
{
	bench_state ^= bench_state << 13;
	bench_state ^= bench_state >> 7;
	bench_state ^= bench_state << 17;
	return (uint32_t)(bench_state >> 32) % below;
}

/* Return the location of frame `depth` of a sample, 0 the outermost: stacks share their outer frames. */
static inline uint32_t bench_location(uint32_t sample, uint32_t depth)
{
	uint32_t choice = depth < 12 ? sample % (1u << depth / 3) : bench_random(LOCATIONS);

	return (depth * 777 + choice * 131) % LOCATIONS;
}

static inline uint64_t bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
