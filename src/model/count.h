/* Value of a counter, and the CPU or thread it counts on. */
#ifndef PIPA_MODEL_COUNT_H
#define PIPA_MODEL_COUNT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The CPU (tid -1) or thread (cpu -1) of a counter. */
struct pipa_slot {
	int cpu;
	pid_t tid;
	size_t task; /* index into the target's threads unless tid is -1 */
};

/* A counter's value, with the times it was enabled and running. */
struct pipa_count {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns; /* less than enabled_ns if the event was multiplexed */
};

static inline struct pipa_count pipa_count_sub(struct pipa_count a, struct pipa_count b)
{
	return (struct pipa_count){ a.value - b.value, a.enabled_ns - b.enabled_ns,
				    a.running_ns - b.running_ns };
}

/* Estimate the count for the whole enabled time. */
static inline double pipa_count_scaled(struct pipa_count c)
{
	if (c.running_ns == 0 || c.running_ns >= c.enabled_ns)
		return (double)c.value;
	return (double)c.value * ((double)c.enabled_ns / (double)c.running_ns);
}

#endif
