/* Counters of the kernel: monotonic, wrapping at 32 bits, reset at times, and possibly missing. */
#ifndef PIPA_BASE_COUNTER_H
#define PIPA_BASE_COUNTER_H

#include <stdint.h>

#define PIPA_COUNTER_MISSING UINT64_MAX

/*
 * Return the delta of two readings, missing if either is. A decrease of more than half of 2^32 is a
 * 32-bit wrap; any other decrease is a reset and counts from zero.
 */
uint64_t pipa_counter_delta(uint64_t previous, uint64_t now);

/* The same as a number: NaN when it is missing. */
double pipa_counter_growth(uint64_t previous, uint64_t now);

#endif
