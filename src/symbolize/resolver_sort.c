/* Sort the lookups of a batch by address. */
#include <stdlib.h>
#include <string.h>

#include "symbolize/resolver_own.h"

enum { DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS, FEW = 512 };

static int by_address(const void *a, const void *b)
{
	const struct pipa_resolver_lookup *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static unsigned int width(uint64_t number)
{
	return number ? 64 - (unsigned int)__builtin_clzll(number) : 0;
}

/* ---- addresses of one file ------------------------------------------------------------------- */

/* Distribute the keys by one digit, from the first array to the second. */
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
 * Sort lookups that are close together: the distance from the lowest address and the index of the
 * lookup fit into one word, and only the distance is sorted by. Moves half of the memory, in the
 * minimum of passes.
 */
static void sort_near(struct pipa_resolver_lookup *lookups, uint64_t *keys, size_t n, uint64_t low,
		      unsigned int bits)
{
	unsigned int index_bits = width(n - 1), passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
	unsigned int digit = passes ? (bits + passes - 1) / passes : 0, i;
	uint64_t *from = keys, *to = keys + n, *swap;
	size_t at;

	for (at = 0; at < n; at++)
		keys[at] = (lookups[at].address - low) << index_bits | at;
	for (i = 0; i < passes; i++) {
		sort_keys(from, to, n, index_bits + i * digit, digit);
		swap = from;
		from = to;
		to = swap;
	}
	for (at = 0; at < n; at++) {
		lookups[at].address = low + (from[at] >> index_bits);
		lookups[at].index = from[at] & ((UINT64_C(1) << index_bits) - 1);
	}
}

/* ---- any addresses --------------------------------------------------------------------------- */

/*
 * Distribute the lookups by one digit, from the first array to the second; false if all have the
 * same digit.
 */
static bool sort_digit(const struct pipa_resolver_lookup *from, struct pipa_resolver_lookup *to,
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

static void sort_any(struct pipa_resolver_lookup *lookups, struct pipa_resolver_lookup *spare,
		     size_t n)
{
	struct pipa_resolver_lookup *from = lookups, *to = spare, *swap;
	unsigned int shift;

	for (shift = 0; shift < 64; shift += DIGIT_BITS)
		if (sort_digit(from, to, n, shift)) {
			swap = from;
			from = to;
			to = swap;
		}
	if (from != lookups)
		memcpy(lookups, from, n * sizeof(*lookups));
}

/* A radix sort: comparing took 5 to 15 % of pipa symbolize. */
void pipa_resolver_sort(struct pipa_resolver_lookup *lookups, struct pipa_resolver_lookup *spare,
			size_t n)
{
	uint64_t low = UINT64_MAX, high = 0;
	size_t i;

	if (n < FEW) {
		qsort(lookups, n, sizeof(*lookups), by_address);
		return;
	}
	for (i = 0; i < n; i++) {
		low = lookups[i].address < low ? lookups[i].address : low;
		high = lookups[i].address > high ? lookups[i].address : high;
	}
	_Static_assert(sizeof(*spare) == 2 * sizeof(uint64_t), "room for two arrays of keys");
	if (width(high - low) + width(n - 1) <= 64 && n <= UINT32_MAX)
		sort_near(lookups, (void *)spare, n, low, width(high - low));
	else
		sort_any(lookups, spare, n);
}
