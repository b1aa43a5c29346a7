#include "symbol/dwarf/intervals.h"

#include "lib/test.h"

static uint32_t at(const struct pipa_intervals *map, uint64_t addr)
{
	size_t fresh = 0;

	return pipa_intervals_find(map, addr, &fresh);
}

TEST(the_shortest_interval_wins)
{
	struct pipa_intervals map = { 0 };

	CHECK_EQ(pipa_intervals_add(&map, 10, 50, 1), 0);
	CHECK_EQ(pipa_intervals_add(&map, 20, 30, 2), 0);
	CHECK_EQ(pipa_intervals_add(&map, 22, 24, 3), 0);
	CHECK_EQ(pipa_intervals_add(&map, 40, 70, 4), 0);
	CHECK_EQ(pipa_intervals_finish(&map), 0);
	CHECK_EQ(at(&map, 9), PIPA_NO_INTERVAL);
	CHECK_EQ(at(&map, 10), 1);
	CHECK_EQ(at(&map, 20), 2);
	CHECK_EQ(at(&map, 23), 3);
	CHECK_EQ(at(&map, 24), 2);
	CHECK_EQ(at(&map, 30), 1);
	CHECK_EQ(at(&map, 45), 4);
	CHECK_EQ(at(&map, 69), 4);
	CHECK_EQ(at(&map, 70), PIPA_NO_INTERVAL);
	pipa_intervals_done(&map);
}

TEST(of_equal_intervals_the_last_wins)
{
	struct pipa_intervals map = { 0 };

	CHECK_EQ(pipa_intervals_add(&map, 10, 20, 1), 0);
	CHECK_EQ(pipa_intervals_add(&map, 10, 20, 2), 0);
	CHECK_EQ(pipa_intervals_add(&map, 30, 30, 3), 0); /* nothing */
	CHECK_EQ(pipa_intervals_finish(&map), 0);
	CHECK_EQ(at(&map, 15), 2);
	CHECK_EQ(at(&map, 30), PIPA_NO_INTERVAL);
	pipa_intervals_done(&map);
}

/* Against asking every interval, for many of them, in any order and with any hint. */
TEST(many_intervals_answer_as_each_one_would)
{
	struct pipa_intervals map = { 0 };
	struct pipa_interval kept[200];
	uint32_t seed = 7, i, best;
	uint64_t addr, low, size;
	size_t hint = 0, fresh;

	for (i = 0; i < 200; i++) {
		seed = seed * 1664525 + 1013904223;
		low = seed >> 22;
		size = (seed >> 8 & 63) + 1;
		kept[i] = (struct pipa_interval){ low, low + size, i, i };
		CHECK_EQ(pipa_intervals_add(&map, low, low + size, i), 0);
	}
	CHECK_EQ(pipa_intervals_finish(&map), 0);
	for (addr = 0; addr < 1200; addr++) {
		best = PIPA_NO_INTERVAL;
		for (i = 0; i < 200; i++)
			if (kept[i].low <= addr && addr < kept[i].high &&
			    (best == PIPA_NO_INTERVAL ||
			     kept[i].high - kept[i].low <= kept[best].high - kept[best].low))
				best = i;
		fresh = (size_t)(addr * 37 % 400);
		CHECK_EQ(pipa_intervals_find(&map, addr, &hint), best);
		CHECK_EQ(pipa_intervals_find(&map, addr, &fresh), best);
	}
	pipa_intervals_done(&map);
}

TEST(maps_that_are_made_one_after_the_other_share_nothing)
{
	struct pipa_intervals map = { 0 };
	uint64_t low;
	uint32_t i;

	for (i = 0, low = 400; i < 40; i++, low -= 10)
		CHECK_EQ(pipa_intervals_add(&map, low, low + 5, i), 0);
	CHECK_EQ(pipa_intervals_make(&map), 0);
	CHECK_EQ(at(&map, 10), 39);
	CHECK_EQ(at(&map, 404), 0);
	CHECK_EQ(pipa_intervals_add(&map, 100, 200, 7), 0);
	CHECK_EQ(pipa_intervals_make(&map), 0);
	CHECK_EQ(at(&map, 10), PIPA_NO_INTERVAL);
	CHECK_EQ(at(&map, 150), 7);
	CHECK_EQ(at(&map, 404), PIPA_NO_INTERVAL);
	CHECK_EQ(pipa_intervals_make(&map), 0);
	CHECK_EQ(at(&map, 150), PIPA_NO_INTERVAL);
	for (i = 0; i < 400; i++)
		CHECK_EQ(pipa_intervals_add(&map, i, i + 1, i), 0);
	CHECK_EQ(pipa_intervals_make(&map), 0);
	CHECK_EQ(at(&map, 399), 399);
	pipa_intervals_done(&map);
}
