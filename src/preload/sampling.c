#include "preload/sampling.h"

/* xorshift64*, by Vigna */
static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

enum { LOG_BITS = 32 };

/* -log2(u / 2^64) with LOG_BITS bits after the point; u > 0. The fraction bit by bit: x^2 >= 2 is a one. */
static uint64_t negative_log2(uint64_t u)
{
	unsigned int zeros = (unsigned int)__builtin_clzll(u), i;
	uint64_t x = u << zeros; /* [1, 2), 63 bits after the point */
	uint64_t fraction = 0;

	for (i = 0; i < LOG_BITS; i++) {
		unsigned __int128 square = (unsigned __int128)x * x; /* 126 bits after the point */
		unsigned int one = (unsigned int)(square >> 127);

		x = (uint64_t)(square >> (63 + one));
		fraction = fraction << 1 | one;
	}
	return ((uint64_t)(zeros + 1) << LOG_BITS) - fraction;
}

#define LN2 UINT64_C(2977044472) /* * 2^32 */

uint64_t pipa_heap_draw(uint64_t *random, uint64_t rate)
{
	unsigned __int128 distance;
	uint64_t u;

	if (rate <= 1)
		return 0;
	if (rate > PIPA_HEAP_RATE_MAX)
		rate = PIPA_HEAP_RATE_MAX;
	do
		u = next_random(random);
	while (!u);
	distance = (unsigned __int128)negative_log2(u) * LN2 >> LOG_BITS;
	return (uint64_t)(distance * rate >> LOG_BITS) + 1;
}

enum { Q = 20 }; /* bits after the point while computing */

/* 1 / (1 - exp(-x)) = 1/x + 1/2 + x/12 - x^3/720 + x^5/30240 for x = size / rate <= 1 */
static uint64_t small_weight(uint64_t size, uint64_t rate, unsigned int halvings)
{
	unsigned __int128 divisor = (unsigned __int128)rate << halvings;
	uint64_t x = (uint64_t)(((unsigned __int128)size << 32) / divisor); /* 32 bits */
	uint64_t x2 = (uint64_t)((unsigned __int128)x * x >> 32);
	uint64_t x3 = (uint64_t)((unsigned __int128)x2 * x >> 32);
	uint64_t x5 = (uint64_t)((unsigned __int128)x3 * x2 >> 32);
	uint64_t inverse = (uint64_t)((divisor << Q) / size);

	return inverse + (UINT64_C(1) << (Q - 1)) + ((x / 12 - x3 / 720 + x5 / 30240) >> (32 - Q));
}

uint64_t pipa_heap_weight(uint64_t size, uint64_t rate)
{
	unsigned int halvings = 0, i;
	uint64_t f;

	if (rate <= 1 || !size)
		return UINT64_C(1) << PIPA_HEAP_FRACTION;
	if (rate > PIPA_HEAP_RATE_MAX)
		rate = PIPA_HEAP_RATE_MAX;
	if (size / rate >= 32) /* exp(-32) is less than the last bit */
		return UINT64_C(1) << PIPA_HEAP_FRACTION;
	while (size > rate << halvings)
		halvings++;
	f = small_weight(size, rate, halvings);
	/* f(2x) = f(x)^2 / (2 f(x) - 1) */
	for (i = 0; i < halvings; i++)
		f = (uint64_t)((unsigned __int128)f * f / (2 * f - (UINT64_C(1) << Q)));
	return (f + (1 << (Q - PIPA_HEAP_FRACTION - 1))) >> (Q - PIPA_HEAP_FRACTION);
}
