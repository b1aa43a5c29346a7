#include "kernel/text/raw.h"

#include <stdio.h>

#include "lib/test.h"

static void put(struct pipa_raw *raw, const char *name, uint64_t a, uint64_t b)
{
	uint64_t *fields = pipa_raw_put(raw, name, strlen(name));

	CHECK(fields);
	fields[0] = a;
	fields[1] = b;
}

/* Names of all rows in their order, concatenated. */
static const char *names(const struct pipa_raw *raw)
{
	static char text[512];
	size_t i;

	text[0] = '\0';
	for (i = 0; i < raw->n; i++) {
		strcat(text, raw->rows[i].name);
		strcat(text, " ");
	}
	return text;
}

TEST(two_readings_of_a_row_stand_side_by_side)
{
	struct pipa_raw raw;

	pipa_raw_init(&raw, 2);
	pipa_raw_begin(&raw);
	put(&raw, "sda", 1, 2);
	put(&raw, "sdb", 3, 4);
	pipa_raw_end(&raw);
	CHECK(!raw.rows[0].known && !raw.rows[1].known);
	pipa_raw_begin(&raw);
	put(&raw, "sda", 10, 20);
	put(&raw, "sdb", 30, 40);
	pipa_raw_end(&raw);

	CHECK_EQ(raw.n, 2);
	CHECK(raw.rows[0].known && raw.rows[1].known);
	CHECK_EQ(pipa_raw_now(&raw, 1)[1], 40);
	CHECK_EQ(pipa_raw_previous(&raw, 1)[1], 4);
	CHECK_EQ(pipa_raw_now(&raw, 0)[0], 10);
	CHECK_EQ(pipa_raw_previous(&raw, 0)[0], 1);
	pipa_raw_done(&raw);
	CHECK_EQ(raw.n, 0);
}

TEST(unset_fields_are_missing_and_do_not_show_an_older_reading)
{
	struct pipa_raw raw;
	int i;

	pipa_raw_init(&raw, 3);
	for (i = 0; i < 3; i++) {
		pipa_raw_begin(&raw);
		put(&raw, "", 1, 2);
		if (i == 0)
			pipa_raw_put(&raw, "", 0)[2] = 3;
		pipa_raw_end(&raw);
	}
	CHECK(pipa_raw_now(&raw, 0)[2] == PIPA_RAW_MISSING);
	CHECK_EQ(pipa_raw_now(&raw, 0)[1], 2);
	CHECK(pipa_raw_total(&raw, 0)[2] == PIPA_RAW_MISSING);
	CHECK_EQ(pipa_raw_total(&raw, 0)[1], 0);
	pipa_raw_done(&raw);
}

TEST(several_files_fill_one_row)
{
	struct pipa_raw raw;

	pipa_raw_init(&raw, 2);
	pipa_raw_begin(&raw);
	pipa_raw_put(&raw, "", 0)[0] = 5;
	pipa_raw_put(&raw, "", 0)[1] = 6;
	pipa_raw_end(&raw);
	CHECK_EQ(raw.n, 1);
	CHECK_EQ(pipa_raw_now(&raw, 0)[0], 5);
	CHECK_EQ(pipa_raw_now(&raw, 0)[1], 6);
	pipa_raw_done(&raw);
}

TEST(a_row_that_vanishes_is_dropped_and_the_others_keep_their_numbers)
{
	struct pipa_raw raw;

	pipa_raw_init(&raw, 2);
	pipa_raw_begin(&raw);
	put(&raw, "a", 1, 1);
	put(&raw, "b", 2, 2);
	put(&raw, "c", 3, 3);
	pipa_raw_end(&raw);
	raw.rows[2].mark = 7;
	pipa_raw_begin(&raw);
	put(&raw, "a", 11, 11);
	put(&raw, "c", 33, 33);
	pipa_raw_end(&raw);

	CHECK_STR(names(&raw), "a c ");
	CHECK_EQ(pipa_raw_now(&raw, 1)[0], 33);
	CHECK_EQ(pipa_raw_previous(&raw, 1)[0], 3);
	CHECK_EQ(pipa_raw_delta(&raw, 1)[0], 30);
	CHECK_EQ(pipa_raw_total(&raw, 1)[0], 30);
	CHECK_EQ(raw.rows[1].mark, 7);
	CHECK(raw.rows[1].known);
	pipa_raw_done(&raw);
}

TEST(a_row_that_comes_back_is_a_new_one)
{
	struct pipa_raw raw;
	int i;

	pipa_raw_init(&raw, 2);
	for (i = 0; i < 3; i++) {
		pipa_raw_begin(&raw);
		if (i != 1)
			put(&raw, "x", 100 + (uint64_t)i, 0);
		put(&raw, "y", 1, 1);
		pipa_raw_end(&raw);
		if (i == 0)
			raw.rows[0].mark = 1;
	}
	CHECK_STR(names(&raw), "y x ");
	CHECK(raw.rows[0].known && !raw.rows[1].known);
	CHECK_EQ(raw.rows[1].mark, 0);
	CHECK_EQ(pipa_raw_previous(&raw, 1)[0], 0);
	CHECK_EQ(pipa_raw_now(&raw, 1)[0], 102);
	pipa_raw_done(&raw);
}

TEST(growth_is_the_difference)
{
	CHECK_EQ(pipa_counter_delta(10, 10), 0);
	CHECK_EQ(pipa_counter_delta(10, 25), 15);
	CHECK_EQ(pipa_counter_delta(UINT64_MAX - 10, UINT64_MAX - 1), 9);
}

TEST(a_counter_of_32_bits_wraps)
{
	CHECK_EQ(pipa_counter_delta(UINT32_MAX, 0), 1);
	CHECK_EQ(pipa_counter_delta(UINT32_MAX - 99, 100), 200);
	CHECK_EQ(pipa_counter_delta(UINT32_MAX, (uint64_t)UINT32_MAX + 5), 5);
}

TEST(a_restarted_counter_counts_from_zero)
{
	CHECK_EQ(pipa_counter_delta(1000, 7), 7);
	CHECK_EQ(pipa_counter_delta(UINT64_C(1) << 40, 7), 7);
	CHECK_EQ(pipa_counter_delta((UINT64_C(1) << 32) + 5, 3), 3);
}

TEST(growth_from_or_to_a_missing_number_is_missing)
{
	CHECK(pipa_counter_delta(PIPA_RAW_MISSING, 7) == PIPA_RAW_MISSING);
	CHECK(pipa_counter_delta(7, PIPA_RAW_MISSING) == PIPA_RAW_MISSING);
	CHECK(pipa_counter_delta(PIPA_RAW_MISSING, PIPA_RAW_MISSING) == PIPA_RAW_MISSING);
}

TEST(the_total_is_the_sum_of_the_deltas)
{
	static const uint64_t readings[] = { 4294967000, 4294967290, 4, 50, 10, 30 };
	struct pipa_raw raw;
	size_t i;

	pipa_raw_init(&raw, 2);
	for (i = 0; i < sizeof(readings) / sizeof(*readings); i++) {
		pipa_raw_begin(&raw);
		put(&raw, "wraps and starts anew", readings[i], i == 2 ? PIPA_RAW_MISSING : i);
		pipa_raw_end(&raw);
	}
	CHECK_EQ(pipa_raw_delta(&raw, 0)[0], 20);
	CHECK_EQ(pipa_raw_total(&raw, 0)[0], 290 + 10 + 46 + 10 + 20);
	CHECK_EQ(pipa_raw_delta(&raw, 0)[1], 1);
	CHECK(pipa_raw_total(&raw, 0)[1] == PIPA_RAW_MISSING);
	pipa_raw_done(&raw);
}

TEST(the_delta_of_a_new_row_is_from_zero_unless_it_is_a_cpu)
{
	int cpus;

	for (cpus = 0; cpus < 2; cpus++) {
		struct pipa_raw raw;

		pipa_raw_init(&raw, 2);
		raw.cpus = cpus;
		pipa_raw_begin(&raw);
		put(&raw, "old", 50, 0);
		pipa_raw_end(&raw);
		CHECK_EQ(pipa_raw_total(&raw, 0)[0], 0);
		pipa_raw_begin(&raw);
		put(&raw, "old", 60, 0);
		put(&raw, "new", 70, 0);
		pipa_raw_end(&raw);
		CHECK_EQ(pipa_raw_delta(&raw, 0)[0], 10);
		CHECK_EQ(pipa_raw_total(&raw, 0)[0], 10);
		CHECK(pipa_raw_delta(&raw, 1)[0] == (cpus ? PIPA_RAW_MISSING : 70));
		CHECK_EQ(pipa_raw_total(&raw, 1)[0], cpus ? 0 : 70);
		pipa_raw_done(&raw);
	}
}

TEST(an_offline_cpu_keeps_its_reading_until_it_is_back)
{
	struct pipa_raw raw;
	uint64_t i;

	pipa_raw_init(&raw, 2);
	raw.cpus = true;
	for (i = 0; i < 5; i++) {
		pipa_raw_begin(&raw);
		put(&raw, "0", 10 * i, 0);
		if (i < 1 || i > 2)
			put(&raw, "1", 700 + i, 0);
		pipa_raw_end(&raw);
		CHECK_STR(names(&raw), "0 1 ");
		CHECK_EQ(pipa_raw_is_here(&raw, 1), i < 1 || i > 2);
		if (i == 3)
			CHECK_EQ(pipa_raw_delta(&raw, 1)[0], 3);
	}
	CHECK_EQ(pipa_raw_delta(&raw, 1)[0], 1);
	CHECK_EQ(pipa_raw_total(&raw, 1)[0], 4);
	CHECK_EQ(pipa_raw_total(&raw, 0)[0], 40);
	pipa_raw_done(&raw);
}

TEST(the_delta_of_all_cpus_is_the_sum_of_present_ones)
{
	struct pipa_raw raw;
	uint64_t i;

	pipa_raw_init(&raw, 2);
	raw.cpus = true;
	for (i = 0; i < 3; i++) {
		pipa_raw_begin(&raw);
		/* the kernel's own sum jumps when CPU 1 goes; CPU 0 lacks the second field */
		put(&raw, "all", i < 1 ? 1000 : 400 + i, 100 * i);
		put(&raw, "0", 300 + 7 * i, PIPA_RAW_MISSING);
		if (i < 1)
			put(&raw, "1", 700, i);
		if (i > 0)
			put(&raw, "2", 100 + 5 * i, i);
		pipa_raw_end(&raw);
		if (i == 1)
			CHECK_EQ(pipa_raw_delta(&raw, 0)[0], 7);
	}
	CHECK_EQ(pipa_raw_delta(&raw, 0)[0], 12);
	CHECK_EQ(pipa_raw_delta(&raw, 0)[1], 100);
	CHECK_EQ(pipa_raw_total(&raw, 0)[0], 19);
	pipa_raw_done(&raw);
}

TEST(rows_are_found_in_any_order)
{
	static const char *const turns[] = { "abcd", "dcba", "badc", "abcd" };
	struct pipa_raw raw;
	size_t i, k;

	pipa_raw_init(&raw, 2);
	for (i = 0; i < 4; i++) {
		pipa_raw_begin(&raw);
		for (k = 0; k < 4; k++) {
			char name[2] = { turns[i][k], '\0' };

			put(&raw, name, (uint64_t)name[0] * 10 + i, 0);
		}
		pipa_raw_end(&raw);
	}
	CHECK_STR(names(&raw), "a b c d ");
	for (k = 0; k < 4; k++) {
		CHECK_EQ(pipa_raw_now(&raw, k)[0], ('a' + k) * 10 + 3);
		CHECK_EQ(pipa_raw_previous(&raw, k)[0], ('a' + k) * 10 + 2);
	}
	pipa_raw_done(&raw);
}

TEST(a_name_that_begins_like_another_is_another)
{
	struct pipa_raw raw;

	pipa_raw_init(&raw, 2);
	pipa_raw_begin(&raw);
	put(&raw, "sda1", 1, 1);
	put(&raw, "sda", 2, 2);
	put(&raw, "", 3, 3);
	pipa_raw_end(&raw);
	CHECK_STR(names(&raw), "sda1 sda  ");
	pipa_raw_done(&raw);
}

TEST(a_too_long_name_is_truncated_and_found_again)
{
	char name[PIPA_RAW_NAME * 2];
	struct pipa_raw raw;

	memset(name, 'n', sizeof(name));
	pipa_raw_init(&raw, 1);
	pipa_raw_begin(&raw);
	*pipa_raw_put(&raw, name, sizeof(name)) = 1;
	*pipa_raw_put(&raw, name, sizeof(name)) = 2;
	pipa_raw_end(&raw);
	CHECK_EQ(raw.n, 1);
	CHECK_EQ(strlen(raw.rows[0].name), PIPA_RAW_NAME - 1);
	CHECK_EQ(pipa_raw_now(&raw, 0)[0], 2);
	pipa_raw_done(&raw);
}

TEST(thousands_of_rows_keep_their_numbers_while_room_is_made)
{
	struct pipa_raw raw;
	char name[24];
	uint64_t i;
	int tick;

	pipa_raw_init(&raw, 2);
	for (tick = 0; tick < 2; tick++) {
		pipa_raw_begin(&raw);
		for (i = 0; i < 2000; i++) {
			snprintf(name, sizeof(name), "disk%u", (unsigned int)i);
			put(&raw, name, i, i * 3 + (uint64_t)tick);
		}
		pipa_raw_end(&raw);
	}
	CHECK_EQ(raw.n, 2000);
	for (i = 0; i < 2000; i++) {
		CHECK_EQ(pipa_raw_now(&raw, i)[1], i * 3 + 1);
		CHECK_EQ(pipa_raw_previous(&raw, i)[1], i * 3);
		CHECK_EQ(pipa_raw_delta(&raw, i)[1], 1);
	}
	pipa_raw_done(&raw);
}

TEST(nothing_is_allocated_once_every_row_was_seen)
{
	struct pipa_raw raw, before = { 0 };
	int i;

	pipa_raw_init(&raw, 2);
	for (i = 0; i < 10; i++) {
		pipa_raw_begin(&raw);
		put(&raw, "a", 1, 1);
		put(&raw, "b", 1, 1);
		pipa_raw_end(&raw);
		if (i == 1)
			before = raw;
	}
	CHECK(raw.rows == before.rows && raw.total == before.total && raw.sum == before.sum);
	CHECK(raw.now == before.now && raw.previous == before.previous);
	CHECK_EQ(raw.cap, before.cap);
	pipa_raw_done(&raw);
}

TEST(a_mean_leaves_out_the_first_reading_and_is_rounded)
{
	struct pipa_raw raw;
	uint64_t mean[2];

	pipa_raw_init(&raw, 2);
	pipa_raw_begin(&raw);
	put(&raw, "", 1000, 1);
	pipa_raw_end(&raw);
	pipa_raw_mean(&raw, 0, mean);
	CHECK(mean[0] == PIPA_RAW_MISSING);
	pipa_raw_begin(&raw);
	put(&raw, "", 10, 1);
	pipa_raw_end(&raw);
	pipa_raw_begin(&raw);
	put(&raw, "", 21, 2);
	pipa_raw_end(&raw);
	pipa_raw_mean(&raw, 0, mean);
	CHECK_EQ(mean[0], 16);
	CHECK_EQ(mean[1], 2);
	pipa_raw_done(&raw);
}

TEST(a_mean_over_a_missing_reading_is_missing)
{
	struct pipa_raw raw;
	uint64_t mean[2];
	int i;

	pipa_raw_init(&raw, 2);
	for (i = 0; i < 4; i++) {
		pipa_raw_begin(&raw);
		put(&raw, "", 4, i == 2 ? PIPA_RAW_MISSING : 4);
		pipa_raw_end(&raw);
	}
	pipa_raw_mean(&raw, 0, mean);
	CHECK_EQ(mean[0], 4);
	CHECK(mean[1] == PIPA_RAW_MISSING);
	pipa_raw_done(&raw);
}
