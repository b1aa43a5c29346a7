#include "base/counter.h"

#include <math.h>

uint64_t pipa_counter_delta(uint64_t previous, uint64_t now)
{
	if (now == PIPA_COUNTER_MISSING || previous == PIPA_COUNTER_MISSING)
		return PIPA_COUNTER_MISSING;
	if (now >= previous)
		return now - previous;
	if (previous <= UINT32_MAX && previous - now > UINT32_MAX / 2)
		return now + (UINT64_C(1) << 32) - previous;
	return now;
}

double pipa_counter_growth(uint64_t previous, uint64_t now)
{
	uint64_t delta = pipa_counter_delta(previous, now);

	return delta == PIPA_COUNTER_MISSING ? NAN : (double)delta;
}
