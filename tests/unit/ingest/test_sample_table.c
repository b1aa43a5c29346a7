#include "ingest/sample_table.h"

#include "lib/test.h"

TEST(sums_are_found_again_after_the_table_grew)
{
	struct pipa_sample_table table = { 0 };
	struct pipa_sample_sum *sum;
	uint32_t i, round;

	for (round = 0; round < 2; round++)
		for (i = 1; i <= 5000; i++) {
			/* three each have the same slot and the same 32 bits */
			sum = pipa_sample_table_get(&table, (uint64_t)i << 32 | i / 3);
			CHECK(sum);
			CHECK_EQ(sum->id, round ? i : 0);
			CHECK_EQ(sum->weight, round ? 2 * i : 0);
			sum->id = i;
			sum->weight = 2 * i;
		}
	CHECK_EQ(table.n, 5000);
	for (i = 0; i < table.n; i++)
		CHECK_EQ(table.items[i].id, i + 1);
	pipa_sample_table_done(&table);
}

TEST(prefetching_tells_new_hashes_apart_and_needs_no_table)
{
	struct pipa_sample_table table = { 0 };

	pipa_sample_table_prefetch(&table, 5);
	CHECK(!pipa_sample_table_prefetch_sum(&table, 5));
	CHECK(pipa_sample_table_get(&table, 5));
	pipa_sample_table_prefetch(&table, 5);
	CHECK(pipa_sample_table_prefetch_sum(&table, 5));
	CHECK(!pipa_sample_table_prefetch_sum(&table, 6));
	/* its first slot is that of 5 */
	CHECK(!pipa_sample_table_prefetch_sum(&table, 5 + (UINT64_C(1) << 31)));
	pipa_sample_table_done(&table);
}
