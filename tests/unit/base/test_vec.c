#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

#include "lib/test.h"

struct numbers {
	int *items;
	size_t n, cap;
};

TEST(new_elements_are_zero_and_old_ones_stay)
{
	struct numbers v = { 0 };
	int i;

	for (i = 0; i < 100; i++) {
		int *slot = PIPA_VEC_ADD(&v);

		CHECK(slot);
		CHECK_EQ(*slot, 0);
		*slot = i;
	}
	CHECK_EQ(v.n, 100);
	for (i = 0; i < 100; i++)
		CHECK_EQ(v.items[i], i);
	free(v.items);
}

TEST(element_is_zeroed_again_when_its_place_is_reused)
{
	struct numbers v = { 0 };

	*PIPA_VEC_ADD(&v) = 7;
	v.n--;
	CHECK_EQ(*PIPA_VEC_ADD(&v), 0);
	free(v.items);
}

TEST(array_past_the_address_space_is_refused)
{
	size_t cap = SIZE_MAX / 8;

	CHECK(!pipa_vec_grow(NULL, &cap, cap, 8));
	CHECK_EQ(cap, SIZE_MAX / 8);
}
