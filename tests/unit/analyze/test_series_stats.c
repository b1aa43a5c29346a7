#include "analyze/series/series_stats.h"

#include <math.h>

#include "base/auto.h"
#include "lib/test.h"
#include "model/table.h"

static struct pipa_table table;

static const struct pipa_column column = { .id = "load.1", .name = "ldavg-1" };
static const struct pipa_section load = { "load", NULL, "load", &column, 1 };

/* One value a tick, each a second long. */
static void fill(const double *values, size_t n)
{
	size_t i;

	pipa_table_init(&table);
	for (i = 0; i < n; i++) {
		const struct pipa_tick tick = { .wall_ns = i + 1, .interval_s = 1 };

		CHECK_EQ(table.sink.row(&table.sink, &load, &tick, "", &values[i]), 0);
	}
}

static double percentile(double percent)
{
	double value = -1;

	CHECK_EQ(pipa_series_percentile(&table, 0, percent, &value), 0);
	return value;
}

TEST(means_weigh_by_interval_and_omit_missing_values)
{
	const double values[] = { 10, NAN, 2 };

	fill(values, 3);
	CHECK_NEAR(pipa_series_mean(&table, 0), 6, 1e-12);
	table.interval_s[2] = 3;
	CHECK_NEAR(pipa_series_mean(&table, 0), 4, 1e-12);
	CHECK_EQ(pipa_series_count(&table, 0), 2);
	CHECK_NEAR(pipa_series_min(&table, 0), 2, 0);
	CHECK_NEAR(pipa_series_max(&table, 0), 10, 0);
	pipa_table_done(&table);
}

/* numpy.percentile([15, 20, 35, 40, 50], [5, 30, 40, 95, 100]) is 16, 23, 29, 48, 50. */
TEST(percentiles_are_on_the_line_between_neighbours)
{
	const double values[] = { 50, 15, NAN, 40, 20, 35 };

	fill(values, 6);
	CHECK_NEAR(percentile(0), 15, 0);
	CHECK_NEAR(percentile(5), 16, 1e-12);
	CHECK_NEAR(percentile(30), 23, 1e-12);
	CHECK_NEAR(percentile(40), 29, 1e-12);
	CHECK_NEAR(percentile(50), 35, 0);
	CHECK_NEAR(percentile(95), 48, 1e-12);
	CHECK_NEAR(percentile(100), 50, 0);
	CHECK_NEAR(percentile(-3), 15, 0);
	CHECK_NEAR(percentile(300), 50, 0);
	pipa_table_done(&table);
}

TEST(one_value_is_every_percentile)
{
	const double values[] = { NAN, 7 };

	fill(values, 2);
	CHECK_NEAR(percentile(1), 7, 0);
	CHECK_NEAR(percentile(99), 7, 0);
	pipa_table_done(&table);
}

TEST(nothing_has_no_mean)
{
	const double values[] = { NAN, NAN };

	fill(values, 2);
	CHECK(isnan(pipa_series_mean(&table, 0)));
	CHECK(isnan(pipa_series_min(&table, 0)));
	CHECK(isnan(pipa_series_max(&table, 0)));
	CHECK(isnan(percentile(50)));
	CHECK_EQ(pipa_series_count(&table, 0), 0);
	pipa_table_done(&table);
}
