#include "model/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/counter.h"
#include "lib/test.h"

static const struct pipa_column disk_columns[] = {
	{ .id = "disk.tps", .name = "tps", .unit = PIPA_UNIT_PER_SECOND, .digits = 2 },
	{ .id = "disk.util", .name = "%util", .unit = PIPA_UNIT_PERCENT, .digits = 2 },
};
static const struct pipa_column load_columns[] = { { .id = "load.1", .name = "ldavg-1" } };
static const struct pipa_section disk = { "disk", "DEV", "disks", disk_columns, 2 };
static const struct pipa_section load = { "load", NULL, "load", load_columns, 1 };

static struct pipa_table table;

static int put(const struct pipa_section *section, uint64_t at, const char *instance, double a,
	       double b)
{
	const struct pipa_tick tick = { .wall_ns = at, .interval_s = 1 };

	return table.sink.row(&table.sink, section, &tick, instance, (const double[]){ a, b });
}

/* "1 - 3": a column's values in order of time */
static const char *values(const char *id, const char *instance)
{
	static char text[256];
	ptrdiff_t column = pipa_table_find(&table, id, instance);
	size_t i, n = 0;

	text[0] = '\0';
	if (column < 0)
		return "none";
	for (i = 0; i < table.n_ticks; i++) {
		double value = pipa_table_number(&table, (size_t)column, i);

		n += (size_t)snprintf(text + n, sizeof(text) - n, isnan(value) ? "%s-" : "%s%g",
				      i ? " " : "", value);
	}
	return text;
}

TEST(rows_become_columns_with_their_units_and_labels)
{
	ptrdiff_t util;

	pipa_table_init(&table);
	CHECK_EQ(put(&disk, 10, "sda", 1, 2), 0);
	CHECK_EQ(put(&disk, 10, "sdb", 3, 4), 0);
	CHECK_EQ(put(&load, 10, "", 5, 0), 0);
	CHECK_EQ(put(&disk, 20, "sda", 6, 7), 0);
	CHECK_EQ(put(&disk, 20, "sdb", 8, 9), 0);
	CHECK_EQ(put(&load, 20, "", 10, 0), 0);
	CHECK_EQ(table.n, 5);
	CHECK_EQ(table.n_ticks, 2);
	CHECK_EQ(table.wall_ns[1], 20);
	CHECK_NEAR(table.interval_s[1], 1, 0);
	CHECK_STR(values("disk.tps", "sda"), "1 6");
	CHECK_STR(values("%util", "sdb"), "4 9");
	CHECK_STR(values("load.1", ""), "5 10");
	CHECK_STR(values("load.1", "sda"), "none");
	util = pipa_table_find(&table, "disk.util", "sdb");
	CHECK_EQ(table.items[util].unit, PIPA_UNIT_PERCENT);
	CHECK_EQ(table.items[util].section == &disk, true);
	pipa_table_done(&table);
}

TEST(rows_that_appear_or_vanish_have_missing_values)
{
	pipa_table_init(&table);
	put(&disk, 10, "sda", 1, 1);
	put(&disk, 20, "sda", 2, 2);
	put(&disk, 20, "sdb", 3, 3);
	put(&disk, 30, "sdb", 4, NAN);
	CHECK_STR(values("disk.tps", "sda"), "1 2 -");
	CHECK_STR(values("disk.tps", "sdb"), "- 3 4");
	CHECK_STR(values("disk.util", "sdb"), "- 3 -");
	pipa_table_done(&table);
}

TEST(sections_one_after_the_other_share_their_ticks)
{
	pipa_table_init(&table);
	put(&disk, 10, "sda", 1, 1);
	put(&disk, 30, "sda", 3, 3);
	put(&load, 10, "", 5, 0);
	put(&load, 20, "", 6, 0);
	put(&load, 30, "", 7, 0);
	put(&load, 5, "", 4, 0);
	CHECK_EQ(table.n_ticks, 4);
	CHECK_STR(values("disk.tps", "sda"), "- 1 - 3");
	CHECK_STR(values("load.1", ""), "4 5 6 7");
	pipa_table_done(&table);
}

TEST(a_table_grows_with_its_ticks)
{
	size_t i;

	pipa_table_init(&table);
	for (i = 1; i <= 1000; i++) {
		CHECK_EQ(put(&disk, i, "sda", (double)i, 0), 0);
		CHECK_EQ(put(&load, i, "", -(double)i, 0), 0);
	}
	CHECK_EQ(table.n_ticks, 1000);
	CHECK(table.cap_ticks <= 2000);
	for (i = 0; i < 1000; i++) {
		CHECK_NEAR(pipa_table_number(&table, 0, i), (double)i + 1, 0);
		CHECK_NEAR(pipa_table_number(&table, 2, i), -(double)i - 1, 0);
	}
	pipa_table_done(&table);
}

TEST(beyond_its_bound_of_ticks_it_forgets_the_oldest)
{
	size_t i;

	pipa_table_init(&table);
	table.max_ticks = 8;
	put(&disk, 1, "gone", 1, 1);
	for (i = 1; i <= 100; i++) {
		CHECK_EQ(put(&disk, i, "sda", (double)i, 0), 0);
		CHECK(table.n_ticks <= 8 && table.n_ticks >= (i < 6 ? i : 6));
	}
	CHECK_EQ(table.wall_ns[table.n_ticks - 1], 100);
	CHECK_EQ(table.forgotten + table.n_ticks, 100);
	CHECK_NEAR(pipa_table_number(&table, 0, table.n_ticks - 1), 100, 0);
	CHECK_EQ(table.n, 2); /* nothing is left of what vanished long ago */
	CHECK_EQ(table.cap_ticks, 16);
	pipa_table_done(&table);
}

TEST(a_row_with_one_value_left_is_kept_whole)
{
	size_t i;

	pipa_table_init(&table);
	table.max_ticks = 4;
	for (i = 1; i <= 20; i++)
		CHECK_EQ(put(&disk, i, "sda", NAN, (double)i), 0);
	CHECK_EQ(table.n, 2);
	CHECK_EQ(put(&disk, 20, "sda", 5, 6), 0);
	CHECK_EQ(table.n, 2);
	CHECK_NEAR(pipa_table_number(&table, 0, table.n_ticks - 1), 5, 0);
	pipa_table_done(&table);
}

TEST(rows_beyond_the_memory_limit_are_refused_and_the_rest_is_kept)
{
	size_t i;
	int rc = 0;

	pipa_table_init(&table);
	table.max_bytes = 4096;
	for (i = 1; !rc && i < 1000; i++)
		rc = put(&disk, i, "sda", (double)i, 0);
	CHECK_EQ(rc, -EFBIG);
	CHECK_EQ(table.n_ticks, 128); /* four columns with the times, of 8 bytes */
	CHECK_NEAR(pipa_table_number(&table, 0, 127), 128, 0);
	CHECK_EQ(put(&disk, 5, "sdb", 1, 2), -EFBIG);
	CHECK_EQ(table.n, 2); /* no half row */
	pipa_table_done(&table);
}

TEST(a_running_total_is_missing_until_it_is_set)
{
	const struct pipa_table_column like = { .id = "total",
						.name = "total",
						.type = PIPA_TYPE_COUNTER };

	pipa_table_init(&table);
	CHECK_EQ(pipa_table_add_tick(&table, 10, 1), 0);
	CHECK_EQ(pipa_table_add_column(&table, &like), 0);
	CHECK_EQ(pipa_table_add_tick(&table, 20, 1), 1);
	CHECK_EQ(table.items[0].counters[0], PIPA_COUNTER_MISSING);
	table.items[0].counters[1] = 7;
	CHECK_STR(values("total", ""), "- 7");
	CHECK_EQ(pipa_table_add_tick(&table, 15, 1), 1);
	CHECK_STR(values("total", ""), "- - 7");
	pipa_table_done(&table);
}
