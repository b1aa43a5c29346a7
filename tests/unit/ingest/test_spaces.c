#include "ingest/spaces.h"

#include "ingest/order_span.h"
#include "ingest/threads.h"
#include "lib/test.h"

static struct pipa_spaces *spaces;

static void map(uint32_t pid, uint64_t order, uint64_t start, uint64_t end, uint32_t object)
{
	struct pipa_range range = { start, end, start, object };

	CHECK_EQ(pipa_spaces_map(spaces, pid, order, &range), 0);
}

static uint32_t at(uint32_t pid, uint64_t order, uint64_t address)
{
	const struct pipa_range *range = pipa_space_at(pipa_spaces_find(spaces, pid, order),
						       address);

	return range ? range->object : PIPA_NO_OBJECT;
}

static uint64_t key(uint32_t pid, uint64_t order)
{
	return pipa_space_key(pipa_spaces_find(spaces, pid, order));
}

TEST(an_address_is_found_in_its_mapping_and_nowhere_else)
{
	spaces = pipa_spaces_new();
	map(1, 0, 100, 200, 5);
	map(1, 0, 300, 400, 6);
	map(1, 0, 200, 250, 7);
	CHECK_EQ(at(1, 9, 99), PIPA_NO_OBJECT);
	CHECK_EQ(at(1, 9, 100), 5);
	CHECK_EQ(at(1, 9, 199), 5);
	CHECK_EQ(at(1, 9, 200), 7);
	CHECK_EQ(at(1, 9, 250), PIPA_NO_OBJECT);
	CHECK_EQ(at(1, 9, 399), 6);
	CHECK_EQ(at(1, 9, 400), PIPA_NO_OBJECT);
	CHECK_EQ(at(2, 9, 100), PIPA_NO_OBJECT);
	pipa_spaces_free(spaces);
}

TEST(earlier_mappings_are_found_for_earlier_samples)
{
	spaces = pipa_spaces_new();
	map(1, 10, 100, 200, 5);
	map(1, 20, 150, 160, 6);
	CHECK_EQ(at(1, 15, 155), 5);
	CHECK_EQ(at(1, 20, 155), 6);
	CHECK_EQ(at(1, 20, 149), 5);
	CHECK_EQ(at(1, 20, 160), 5);
	CHECK(key(1, 15) != key(1, 20));
	pipa_spaces_free(spaces);
}

TEST(the_rest_of_a_split_mapping_keeps_its_file_offsets)
{
	const struct pipa_range file = { 1000, 2000, 50, 5 };
	const struct pipa_range *range;

	spaces = pipa_spaces_new();
	CHECK_EQ(pipa_spaces_map(spaces, 1, 0, &file), 0);
	map(1, 1, 1200, 1300, 6);
	range = pipa_space_at(pipa_spaces_find(spaces, 1, 2), 1500);
	CHECK_EQ(1500 - range->start + range->file_offset, 550);
	range = pipa_space_at(pipa_spaces_find(spaces, 1, 2), 1100);
	CHECK_EQ(1100 - range->start + range->file_offset, 150);
	pipa_spaces_free(spaces);
}

TEST(a_mapping_where_nothing_was_changes_no_key)
{
	uint64_t before;

	spaces = pipa_spaces_new();
	map(1, 10, 100, 200, 5);
	before = key(1, 50);
	map(1, 20, 300, 400, 6);
	map(1, 30, 100, 200, 5); /* the same again */
	CHECK_EQ(key(1, 50), before);
	CHECK_EQ(at(1, 15, 350), 6); /* a sample that came a little early is named all the same */
	pipa_spaces_free(spaces);
}

TEST(a_child_has_the_mappings_of_its_parent_until_it_maps_or_executes)
{
	spaces = pipa_spaces_new();
	map(1, 10, 100, 200, 5);
	CHECK_EQ(pipa_spaces_fork(spaces, 1, 2, 20), 0);
	map(1, 30, 100, 200, 6);
	CHECK_EQ(at(2, 40, 150), 5);
	map(2, 50, 100, 200, 7);
	CHECK_EQ(at(2, 60, 150), 7);
	CHECK_EQ(at(1, 60, 150), 6);
	CHECK_EQ(pipa_spaces_exec(spaces, 2), 0);
	CHECK_EQ(at(2, 70, 150), 7); /* up to the first mapping of what it became */
	map(2, 80, 500, 600, 8);
	CHECK_EQ(at(2, 80, 150), PIPA_NO_OBJECT);
	CHECK_EQ(at(2, 75, 150), 7);
	pipa_spaces_free(spaces);
}

TEST(a_number_used_again_is_another_process)
{
	spaces = pipa_spaces_new();
	map(1, 10, 100, 200, 5);
	map(3, 10, 100, 200, 9);
	CHECK_EQ(pipa_spaces_fork(spaces, 3, 1, 50), 0);
	CHECK_EQ(at(1, 49, 150), 5);
	CHECK_EQ(at(1, 50, 150), 9);
	pipa_spaces_free(spaces);
}

TEST(a_new_thread_does_not_create_an_address_space)
{
	uint64_t before;

	spaces = pipa_spaces_new();
	map(1, 10, 100, 200, 5);
	before = key(1, 99);
	CHECK_EQ(pipa_spaces_fork(spaces, 1, 1, 50), 0);
	CHECK_EQ(key(1, 99), before);
	pipa_spaces_free(spaces);
}

TEST(a_process_that_maps_without_end_takes_no_memory_without_end)
{
	uint64_t i;

	spaces = pipa_spaces_new();
	for (i = 0; i < 100000; i++)
		map(1, i, 100 + i % 7, 200, (uint32_t)i);
	CHECK_EQ(at(1, UINT64_MAX, 199), 99999);
	CHECK(key(1, UINT64_MAX) != key(1, 0));
	pipa_spaces_free(spaces);
}

TEST(keep_recent_retains_few_generations_and_no_ended_processes)
{
	struct pipa_range range = { .start = 0x1000, .end = 0x2000 };
	uint32_t i;

	spaces = pipa_spaces_new();
	CHECK(spaces);
	pipa_spaces_keep_recent(spaces);
	for (i = 0; i < 100; i++) {
		range.object = i;
		CHECK_EQ(pipa_spaces_map(spaces, 7, 10 + i, &range), 0);
	}
	/* the last ones are as they were, and before them the oldest that is left */
	CHECK_EQ(pipa_space_at(pipa_spaces_find(spaces, 7, 109), 0x1000)->object, 99);
	CHECK_EQ(pipa_space_at(pipa_spaces_find(spaces, 7, 104), 0x1000)->object, 94);
	CHECK_EQ(pipa_space_at(pipa_spaces_find(spaces, 7, 20), 0x1000)->object, 92);
	/* the number was taken again since it ended */
	pipa_spaces_forget(spaces, 7, 108);
	CHECK_EQ(pipa_space_at(pipa_spaces_find(spaces, 7, 104), 0x1000)->object, 99);
	pipa_spaces_forget(spaces, 7, 200);
	CHECK(!pipa_spaces_find(spaces, 7, 300));
	pipa_spaces_forget(spaces, 8, 200);
	pipa_spaces_free(spaces);
}

TEST(a_found_address_space_is_valid_exactly_in_its_span)
{
	uint64_t order, other;

	spaces = pipa_spaces_new();
	map(1, 10, 100, 200, 5);
	map(1, 20, 100, 200, 6);
	map(1, 30, 100, 200, 7);
	for (order = 0; order < 40; order++) {
		struct pipa_order_span span = PIPA_ORDER_ALWAYS;
		const struct pipa_space *space = pipa_spaces_find_span(spaces, 1, order, &span);

		CHECK(order >= span.first && order <= span.last);
		for (other = 0; other < 40; other++)
			CHECK_EQ(pipa_spaces_find(spaces, 1, other) == space,
				 other >= span.first && other <= span.last);
	}
	pipa_spaces_free(spaces);
}

TEST(a_found_thread_name_is_valid_exactly_in_its_span)
{
	struct pipa_threads *threads = pipa_threads_new();
	uint64_t order, other;

	CHECK(threads);
	CHECK_EQ(pipa_threads_name(threads, 1, 1, 10, 5), 0);
	CHECK_EQ(pipa_threads_name(threads, 1, 1, 20, 6), 0);
	CHECK_EQ(pipa_threads_name(threads, 1, 1, 30, 7), 0);
	for (order = 0; order < 40; order++) {
		struct pipa_order_span span = PIPA_ORDER_ALWAYS;
		/* the second thread has no name of its own, and that of the process */
		uint32_t name = pipa_threads_find_span(threads, 1, 1 + order % 2, order, &span);

		CHECK(order >= span.first && order <= span.last);
		for (other = 0; other < 40; other++)
			CHECK_EQ(pipa_threads_find(threads, 1, 1 + order % 2, other) == name,
				 other >= span.first && other <= span.last);
	}
	pipa_threads_free(threads);
}
