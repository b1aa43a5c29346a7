#include "ingest/sums.h"

#include "lib/test.h"

TEST(sums_are_found_again_however_many_there_are)
{
	struct pipa_sums sums = { 0 };
	struct pipa_sum *sum;
	uint32_t i, round;

	for (round = 0; round < 2; round++)
		for (i = 1; i <= 5000; i++) {
			/* every third lands where the one before does */
			sum = pipa_sums_find(&sums, (uint64_t)i << 32 | i / 3);
			CHECK(sum);
			CHECK_EQ(sum->id, round ? i : 0);
			CHECK_EQ(sum->weight, round ? 2 * i : 0);
			sum->id = i;
			sum->weight = 2 * i;
		}
	CHECK_EQ(sums.n, 5000);
	pipa_sums_done(&sums);
}
