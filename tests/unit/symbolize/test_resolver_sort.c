#include <stdint.h>
#include <stdlib.h>

#include "lib/test.h"
#include "symbolize/resolver_own.h"

static int by_address(const void *a, const void *b)
{
	const struct pipa_resolver_lookup *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* Few and many, of few bits and of all, with repeats. */
TEST(questions_are_sorted_by_address_and_repeats_stay_in_order)
{
	enum { MOST = 5000 };
	static struct pipa_resolver_lookup lookups[MOST], want[MOST], spare[MOST];
	static const uint64_t masks[] = { 0, 0xff, 0xfffff, UINT64_MAX, 0xffff0000ffff0000 };
	static const size_t counts[] = { 0, 1, 100, 511, 512, MOST };
	uint64_t seed = 7;
	size_t m, c, i;

	for (m = 0; m < sizeof(masks) / sizeof(masks[0]); m++)
		for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			for (i = 0; i < counts[c]; i++) {
				seed = seed * UINT64_C(6364136223846793005) + 1;
				lookups[i].address = (seed ^ seed >> 31) & masks[m];
				lookups[i].index = i;
				want[i] = lookups[i];
			}
			qsort(want, counts[c], sizeof(want[0]), by_address);
			pipa_resolver_sort(lookups, spare, counts[c]);
			for (i = 0; i < counts[c]; i++) {
				CHECK_EQ(lookups[i].address, want[i].address);
				CHECK_EQ(lookups[i].index, want[i].index);
			}
		}
}
