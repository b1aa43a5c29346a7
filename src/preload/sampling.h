/*
 * Poisson sampling of allocated bytes: the distance between two samples is exponentially
 * distributed with mean `rate`, so an allocation of `size` bytes is sampled with probability
 * 1 - exp(-size / rate), and stands for the reciprocal. Integer arithmetic: the floating-point state
 * of the program stays as it is. Pure.
 */
#ifndef PIPA_PRELOAD_SAMPLING_H
#define PIPA_PRELOAD_SAMPLING_H

#include <stdint.h>

#include "preload/abi.h"

#define PIPA_HEAP_RATE_MAX (UINT64_C(1) << 40)

/* Draw the number of bytes up to and with the next sample. Advances *random, which must not be 0. */
uint64_t pipa_heap_draw(uint64_t *random, uint64_t rate);

/*
 * The number of allocations that a sample of `size` bytes stands for, with PIPA_HEAP_FRACTION
 * bits after the point; 1 if the rate is 0 or 1. size > 0 unless the rate is.
 */
uint64_t pipa_heap_weight(uint64_t size, uint64_t rate);

/* size * weight, rounded. */
static inline uint64_t pipa_heap_scale(uint64_t size, uint64_t weight)
{
	unsigned __int128 scaled = (unsigned __int128)size * weight;

	return (uint64_t)((scaled + (1 << (PIPA_HEAP_FRACTION - 1))) >> PIPA_HEAP_FRACTION);
}

#endif
