/* Time is uint64_t nanoseconds, monotonic unless a name says wall. */
#ifndef PIPA_BASE_CLOCK_H
#define PIPA_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define PIPA_NS_PER_SEC UINT64_C(1000000000)
#define PIPA_NS_PER_MS UINT64_C(1000000)

static inline uint64_t pipa_clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * PIPA_NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

static inline uint64_t pipa_clock_ns(void)
{
	return pipa_clock_read(CLOCK_MONOTONIC);
}

static inline uint64_t pipa_clock_wall_ns(void)
{
	return pipa_clock_read(CLOCK_REALTIME);
}

#endif
