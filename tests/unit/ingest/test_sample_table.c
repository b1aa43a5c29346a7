#include "ingest/sample_table.h"

#include "lib/test.h"

TEST(samples_are_found_again_after_the_table_grew)
{
	struct pipa_sample_table table = { 0 };
	struct pipa_sample_slot *slot;
	uint32_t i, round;

	for (round = 0; round < 2; round++)
		for (i = 1; i <= 5000; i++) {
			/* three each have the same slot and the same 32 bits */
			uint64_t hash = (uint64_t)i << 32 | i / 3;

			CHECK_EQ(pipa_sample_table_find(&table, hash), round ? i : 0);
			slot = pipa_sample_table_get(&table, hash);
			CHECK(slot);
			CHECK_EQ(slot->id, round ? i : 0);
			slot->id = i;
		}
	CHECK_EQ(table.n, 5000);
	pipa_sample_table_done(&table);
}

TEST(a_hash_without_a_sample_has_a_slot_and_no_id)
{
	struct pipa_sample_table table = { 0 };

	pipa_sample_table_prefetch(&table, 5);
	CHECK_EQ(pipa_sample_table_find(&table, 5), 0);
	CHECK(pipa_sample_table_get(&table, 5));
	pipa_sample_table_prefetch(&table, 5);
	CHECK_EQ(pipa_sample_table_find(&table, 5), 0);
	pipa_sample_table_get(&table, 5)->id = 7;
	CHECK_EQ(pipa_sample_table_find(&table, 5), 7);
	/* its first slot is that of 5 */
	CHECK_EQ(pipa_sample_table_find(&table, 5 + (UINT64_C(1) << 31)), 0);
	CHECK_EQ(table.n, 1);
	pipa_sample_table_done(&table);
}
