/* The questions of a batch by rising address. */
#include <stdlib.h>
#include <string.h>

#include "symbolize/resolver_own.h"

enum { DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS, FEW = 512 };

static int by_address(const void *a, const void *b)
{
	const struct pipa_resolver_question *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static unsigned int width(uint64_t number)
{
	return number ? 64 - (unsigned int)__builtin_clzll(number) : 0;
}

/* ---- addresses near each other --------------------------------------------------------------------------- */

/* One pass by one digit, from the first array to the second. */
static void sort_keys(const uint64_t *from, uint64_t *to, size_t n, unsigned int shift,
		      unsigned int bits)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1;
	uint32_t at[DIGITS], sum = 0, count;
	size_t i;

	memset(at, 0, (mask + 1) * sizeof(*at));
	for (i = 0; i < n; i++)
		at[from[i] >> shift & mask]++;
	for (i = 0; i <= mask; i++) {
		count = at[i];
		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		to[at[from[i] >> shift & mask]++] = from[i];
}

/*
 * Those of one file: the distance from the lowest address and the question's number make one word, of which
 * only the distance has to be sorted by. Half of what is moved otherwise, in as few passes as it takes.
 */
static void sort_near(struct pipa_resolver_question *asked, uint64_t *keys, size_t n, uint64_t low,
		      unsigned int bits)
{
	unsigned int index_bits = width(n - 1), passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
	unsigned int digit = passes ? (bits + passes - 1) / passes : 0, i;
	uint64_t *from = keys, *to = keys + n, *swap;
	size_t at;

	for (at = 0; at < n; at++)
		keys[at] = (asked[at].address - low) << index_bits | at;
	for (i = 0; i < passes; i++) {
		sort_keys(from, to, n, index_bits + i * digit, digit);
		swap = from;
		from = to;
		to = swap;
	}
	for (at = 0; at < n; at++) {
		asked[at].address = low + (from[at] >> index_bits);
		asked[at].index = from[at] & ((UINT64_C(1) << index_bits) - 1);
	}
}

/* ---- any ------------------------------------------------------------------------------------------------- */

/* One pass by one digit, from the first array to the second; false when all have the same digit. */
static bool sort_digit(const struct pipa_resolver_question *from, struct pipa_resolver_question *to,
		       size_t n, unsigned int shift)
{
	size_t at[DIGITS] = { 0 }, sum = 0, count, i;

	for (i = 0; i < n; i++)
		at[from[i].address >> shift & (DIGITS - 1)]++;
	for (i = 0; i < DIGITS; i++) {
		count = at[i];
		if (count == n)
			return false;
		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		to[at[from[i].address >> shift & (DIGITS - 1)]++] = from[i];
	return true;
}

static void sort_any(struct pipa_resolver_question *asked, struct pipa_resolver_question *spare,
		     size_t n)
{
	struct pipa_resolver_question *from = asked, *to = spare, *swap;
	unsigned int shift;

	for (shift = 0; shift < 64; shift += DIGIT_BITS)
		if (sort_digit(from, to, n, shift)) {
			swap = from;
			from = to;
			to = swap;
		}
	if (from != asked)
		memcpy(asked, from, n * sizeof(*asked));
}

/* By digits, from the lowest on: comparing was 5 to 15 % of pipa symbolize. */
void pipa_resolver_sort(struct pipa_resolver_question *asked, struct pipa_resolver_question *spare,
			size_t n)
{
	uint64_t low = UINT64_MAX, high = 0;
	size_t i;

	if (n < FEW) {
		qsort(asked, n, sizeof(*asked), by_address);
		return;
	}
	for (i = 0; i < n; i++) {
		low = asked[i].address < low ? asked[i].address : low;
		high = asked[i].address > high ? asked[i].address : high;
	}
	_Static_assert(sizeof(*spare) == 2 * sizeof(uint64_t), "room for two arrays of keys");
	if (width(high - low) + width(n - 1) <= 64 && n <= UINT32_MAX)
		sort_near(asked, (void *)spare, n, low, width(high - low));
	else
		sort_any(asked, spare, n);
}
