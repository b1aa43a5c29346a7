#include "analyze/series/series_ops.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/counter.h"
#include "lib/test.h"
#include "model/table.h"

#define S UINT64_C(1000000000)

static const struct pipa_column disk_columns[] = {
	{ .id = "disk.read", .name = "rkB/s", .unit = PIPA_UNIT_KB_PER_SECOND },
	{ .id = "disk.util", .name = "%util", .unit = PIPA_UNIT_PERCENT },
};
static const struct pipa_column load_columns[] = { { .id = "load.1", .name = "ldavg-1" } };
static const struct pipa_section disk = { "disk", "DEV", "disks", disk_columns, 2 };
static const struct pipa_section load = { "load", NULL, "load", load_columns, 1 };

static void put(struct pipa_table *t, const struct pipa_section *section, uint64_t at_ns,
		double seconds, const char *instance, double a, double b)
{
	const struct pipa_tick tick = { .wall_ns = at_ns, .interval_s = seconds };

	CHECK_EQ(t->sink.row(&t->sink, section, &tick, instance, (const double[]){ a, b }), 0);
}

/* The whole table as text: times in milliseconds, then a line a column. */
static const char *show(const struct pipa_table *t)
{
	static char text[2048];
	size_t i, k, n = 0;

	for (i = 0; i < t->n_ticks; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%llu", i ? " " : "",
				      (unsigned long long)(t->wall_ns[i] / 1000000));
	n += (size_t)snprintf(text + n, sizeof(text) - n, "\n");
	for (k = 0; k < t->n; k++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s/%s:", t->items[k].id,
				      t->items[k].instance);
		for (i = 0; i < t->n_ticks; i++) {
			double value = pipa_table_number(t, k, i);

			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      isnan(value) ? " -" : " %.6g", value);
		}
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\n");
	}
	return text;
}

static struct pipa_table from, ret;

static void fill(void)
{
	uint64_t i;

	pipa_table_init(&from);
	pipa_table_init(&ret);
	for (i = 1; i <= 3; i++) {
		put(&from, &disk, i * S, 1, "sda", (double)i, (double)i * 10);
		put(&from, &disk, i * S, 1, "sdb", (double)i + 5, i == 2 ? NAN : 1);
		put(&from, &load, i * S, 1, "", (double)i / 2, 0);
	}
}

static const char *select_of(const char *columns, const char *sections, const char *instances,
			     uint64_t from_ns, uint64_t until_ns)
{
	const struct pipa_selection selection = { columns, sections, instances, from_ns, until_ns };

	pipa_table_done(&ret);
	pipa_table_init(&ret);
	CHECK_EQ(pipa_series_select(&from, &selection, &ret), 0);
	return show(&ret);
}

TEST(all_series_are_selected_by_default)
{
	fill();
	CHECK_STR(select_of(NULL, NULL, NULL, 0, 0), "1000 2000 3000\n"
						     "disk.read/sda: 1 2 3\n"
						     "disk.util/sda: 10 20 30\n"
						     "disk.read/sdb: 6 7 8\n"
						     "disk.util/sdb: 1 - 1\n"
						     "load.1/: 0.5 1 1.5\n");
	CHECK_EQ(ret.items[1].unit, PIPA_UNIT_PERCENT);
	pipa_table_done(&from);
	pipa_table_done(&ret);
}

TEST(columns_are_selected_by_id_glob_name_and_alias)
{
	fill();
	CHECK_STR(select_of("disk.util,load.1", NULL, "sda", 0, 0), "1000 2000 3000\n"
								    "disk.util/sda: 10 20 30\n");
	CHECK_STR(select_of("%util", NULL, NULL, 0, 0), "1000 2000 3000\n"
							"disk.util/sda: 10 20 30\n"
							"disk.util/sdb: 1 - 1\n");
	CHECK_STR(select_of("load.*,rkB_s", NULL, "?da,", 0, 0), "1000 2000 3000\n"
								 "disk.read/sda: 1 2 3\n");
	CHECK_STR(select_of("percent_disk_util", NULL, "*b", 0, 0), "1000 2000 3000\n"
								    "disk.util/sdb: 1 - 1\n");
	CHECK_STR(select_of(NULL, "load", NULL, 0, 0), "1000 2000 3000\nload.1/: 0.5 1 1.5\n");
	CHECK_STR(select_of("nothing", NULL, NULL, 0, 0), "1000 2000 3000\n");
	pipa_table_done(&from);
	pipa_table_done(&ret);
}

TEST(a_window_of_time_has_both_its_ends)
{
	fill();
	CHECK_STR(select_of("load.1", NULL, NULL, 2 * S, 0), "2000 3000\nload.1/: 1 1.5\n");
	CHECK_STR(select_of("load.1", NULL, NULL, 0, 2 * S), "1000 2000\nload.1/: 0.5 1\n");
	CHECK_STR(select_of("load.1", NULL, NULL, 2 * S, 2 * S), "2000\nload.1/: 1\n");
	CHECK_STR(select_of("load.1", NULL, NULL, 4 * S, 0), "\nload.1/:\n");
	pipa_table_done(&from);
	pipa_table_done(&ret);
}

static const char *resample_to(uint64_t interval_ns)
{
	pipa_table_done(&ret);
	pipa_table_init(&ret);
	CHECK_EQ(pipa_series_resample(&from, interval_ns, &ret), 0);
	return show(&ret);
}

TEST(resampling_to_longer_intervals_takes_the_time_weighted_mean)
{
	pipa_table_init(&from);
	pipa_table_init(&ret);
	put(&from, &load, 1 * S, 1, "", 10, 0);
	put(&from, &load, 2 * S, 1, "", 20, 0);
	put(&from, &load, 3 * S, 1, "", 60, 0);
	put(&from, &load, 5 * S, 2, "", 3, 0); /* a tick was missed: it weighs twice */
	/* (0, 2]: 10 20; (2, 4]: 60 and half of the long one; (4, 6]: its other half */
	CHECK_STR(resample_to(2 * S), "2000 4000 6000\nload.1/: 15 31.5 3\n");
	CHECK_NEAR(ret.interval_s[0], 2, 0);
	CHECK_STR(resample_to(5 * S), "5000\nload.1/: 19.2\n"); /* (10 + 20 + 60 + 2 x 3) / 5 */
	pipa_table_done(&from);
	pipa_table_done(&ret);
}

TEST(resampling_to_shorter_intervals_repeats_values)
{
	pipa_table_init(&from);
	pipa_table_init(&ret);
	put(&from, &load, 1 * S, 1, "", 10, 0);
	put(&from, &load, 2 * S, 1, "", 20, 0);
	CHECK_STR(resample_to(S / 2), "500 1000 1500 2000\nload.1/: 10 10 20 20\n");
	pipa_table_done(&from);
	pipa_table_done(&ret);
}

TEST(gaps_stay_missing)
{
	pipa_table_init(&from);
	pipa_table_init(&ret);
	put(&from, &load, 1 * S, 1, "", 10, 0);
	put(&from, &load, 2 * S, 1, "", NAN, 0);
	put(&from, &load, 3 * S, 1, "", 30, 0);
	put(&from, &load, 8 * S, 1, "", 40, 0);
	CHECK_STR(resample_to(S), "1000 2000 3000 4000 5000 6000 7000 8000\n"
				  "load.1/: 10 - 30 - - - - 40\n");
	CHECK_STR(resample_to(2 * S), "2000 4000 6000 8000\nload.1/: 10 30 - 40\n");
	pipa_table_done(&from);
	pipa_table_done(&ret);
}

TEST(ticks_of_unknown_length_reach_back_to_the_one_before)
{
	pipa_table_init(&from);
	pipa_table_init(&ret);
	put(&from, &load, 10 * S, 0, "", 1, 0);
	put(&from, &load, 13 * S, 0, "", 4, 0);
	CHECK_STR(resample_to(2 * S), "10000 12000 14000\nload.1/: 1 4 4\n");
	pipa_table_done(&from);
	pipa_table_done(&ret);
}

TEST(an_empty_table_resamples_to_an_empty_one_and_no_interval_is_refused)
{
	pipa_table_init(&from);
	pipa_table_init(&ret);
	CHECK_STR(resample_to(S), "\n");
	CHECK_EQ(pipa_series_resample(&from, 0, &ret), -EINVAL);
	put(&from, &load, 10 * S, 1, "", 1, 0);
	put(&from, &load, INT64_MAX, 1, "", 1, 0);
	ret.max_bytes = 1 << 20;
	CHECK_EQ(pipa_series_resample(&from, 1000, &ret), -EFBIG); /* not until memory is out */
	pipa_table_done(&from);
	pipa_table_done(&ret);
}

TEST(two_tables_join_at_the_nearest_time)
{
	struct pipa_table right;

	pipa_table_init(&from);
	pipa_table_init(&right);
	pipa_table_init(&ret);
	put(&from, &load, 1 * S, 1, "", 1, 0);
	put(&from, &load, 2 * S, 1, "", 2, 0);
	put(&from, &load, 3 * S, 1, "", 3, 0);
	put(&from, &load, 9 * S, 1, "", 9, 0);
	put(&right, &disk, 1 * S + S / 10, 1, "sda", 11, 1);
	put(&right, &disk, 2 * S - S / 4, 1, "sda", 18, 2);
	put(&right, &disk, 2 * S + S / 4, 1, "sda", 22, NAN);
	put(&right, &disk, 3 * S + S / 2, 1, "sda", 35, 4);
	CHECK_EQ(pipa_series_join(&from, &right, S / 2, &ret), 0);
	CHECK_STR(show(&ret), "1000 2000 3000 9000\n"
			      "load.1/: 1 2 3 9\n"
			      "disk.read/sda: 11 18 35 -\n"
			      "disk.util/sda: 1 2 4 -\n");
	pipa_table_done(&ret);
	pipa_table_init(&ret);
	CHECK_EQ(pipa_series_join(&from, &right, S / 10, &ret), 0);
	CHECK_HAS(show(&ret), "disk.read/sda: 11 - - -\n");
	pipa_table_done(&ret);
	pipa_table_done(&right);
	pipa_table_init(&right);
	pipa_table_init(&ret);
	CHECK_EQ(pipa_series_join(&from, &right, S, &ret), 0); /* with nothing */
	CHECK_STR(show(&ret), "1000 2000 3000 9000\nload.1/: 1 2 3 9\n");
	pipa_table_done(&from);
	pipa_table_done(&ret);
}

static void count(uint64_t at_ns, double seconds, uint64_t total)
{
	ptrdiff_t at = pipa_table_add_tick(&from, at_ns, seconds);

	CHECK(at >= 0);
	from.items[0].counters[at] = total;
}

static void begin_counter(void)
{
	const struct pipa_table_column like = {
		.id = "total", .name = "total", .type = PIPA_TYPE_COUNTER, .unit = PIPA_UNIT_KB
	};

	pipa_table_init(&from);
	pipa_table_init(&ret);
	CHECK_EQ(pipa_table_add_column(&from, &like), 0);
}

TEST(a_rate_is_growth_a_second_over_wraps_starts_and_gaps)
{
	begin_counter();
	count(1 * S, 1, 100);
	count(2 * S, 1, 150);
	count(4 * S, 2, 250);
	count(5 * S, 1, PIPA_COUNTER_MISSING);
	count(6 * S, 1, 290);
	count(7 * S, 1, 30); /* it restarted */
	count(8 * S, 1, UINT32_MAX);
	count(9 * S, 1, 9); /* it wrapped */
	CHECK_EQ(pipa_series_rate(&from, 0), 1);
	CHECK_HAS(show(&from), "total/: - 50 50 - 20 30 4.29497e+09 10\n");
	CHECK_EQ(from.items[1].unit, PIPA_UNIT_KB_PER_SECOND);
	CHECK_EQ(pipa_series_rate(&from, 1), -EINVAL); /* that one is not a counter */
	CHECK_EQ(pipa_series_rate(&from, 7), -EINVAL);
	pipa_table_done(&from);
}

TEST(sleep_is_not_in_a_rate_and_unknown_lengths_go_by_the_clock)
{
	begin_counter();
	count(10 * S, 1, 100);
	count(100 * S, 2, 150); /* slept for 88 seconds */
	count(104 * S, 0, 170);
	CHECK_EQ(pipa_series_rate(&from, 0), 1);
	CHECK_HAS(show(&from), "total/: - 25 5\n");
	pipa_table_done(&from);
}

TEST(a_counter_resampled_is_its_last_reading)
{
	begin_counter();
	count(1 * S, 1, 100);
	count(2 * S, 1, 150);
	count(3 * S, 1, 170);
	count(4 * S, 1, PIPA_COUNTER_MISSING);
	count(9 * S, 1, 200);
	CHECK_STR(resample_to(2 * S), "2000 4000 6000 8000 10000\ntotal/: 150 170 - - 200\n");
	pipa_table_done(&from);
	pipa_table_done(&ret);
}
