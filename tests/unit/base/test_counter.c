#include "base/counter.h"

#include <math.h>

#include "lib/test.h"

TEST(a_counter_grows_by_the_difference)
{
	CHECK_NEAR(pipa_counter_growth(5, 12), 7, 0);
	CHECK_NEAR(pipa_counter_growth(UINT64_MAX - 9, UINT64_MAX - 2), 7, 0);
}

TEST(a_wrapped_counter_of_32_bits_continues)
{
	CHECK_NEAR(pipa_counter_growth(UINT32_MAX - 1, 3), 5, 0);
}

TEST(a_restarted_counter_counts_from_zero)
{
	CHECK_NEAR(pipa_counter_growth(1000, 3), 3, 0);
	CHECK_NEAR(pipa_counter_growth(UINT64_C(1) << 40, 3), 3, 0);
}

TEST(delta_from_or_to_a_missing_reading_is_missing)
{
	CHECK(isnan(pipa_counter_growth(PIPA_COUNTER_MISSING, 3)));
	CHECK(isnan(pipa_counter_growth(3, PIPA_COUNTER_MISSING)));
}
