/* Percentiles, reduction, filters, phases and loads of CPUs and disks. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "analyze/series/align.h"
#include "analyze/series/cpu_load.h"
#include "analyze/series/disk_load.h"
#include "analyze/series/downsample.h"
#include "analyze/series/instance_filter.h"
#include "analyze/series/percentile.h"
#include "analyze/series/phases.h"
#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"
#include "model/facts.h"
#include "model/hardware.h"
#include "model/sections.h"

#define S UINT64_C(1000000000)

static struct pipa_series_set set;
static struct pipa_series_feed feed;

static void begin(void)
{
	ptrdiff_t source = pipa_series_set_add_source(&set, "test", PIPA_CLOCK_UTC);

	CHECK(source >= 0);
	pipa_series_feed_init(&feed, &set, (size_t)source);
}

static void put(enum pipa_section_id id, uint64_t second, const char *instance,
		const double *values)
{
	const struct pipa_tick tick = { .wall_ns = second * S, .interval_s = 1 };

	CHECK_EQ(feed.sink.row(&feed.sink, &pipa_sections[id], &tick, instance, values), 0);
}

static void put_cpu(uint64_t second, const char *cpu, double user, double system)
{
	const double values[PIPA_COL_CPU_SHORT_NR] = { user, 0, system, 0, 0, 100 - user - system };

	put(PIPA_SECTION_CPU_SHORT, second, cpu, values);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

TEST(percentiles_are_interpolated_like_numpys)
{
	double five[] = { 3, 1, 5, 2, 4 }, same[] = { 7, 7, 7, 7 }, one[] = { 2 };

	CHECK(near(pipa_percentile(five, 5, 95), 4.8));
	CHECK(pipa_percentile(five, 5, 0) == 1 && pipa_percentile(five, 5, 100) == 5);
	CHECK(pipa_percentile(five, 5, 50) == 3 && pipa_percentile(five, 5, 200) == 5);
	CHECK(pipa_percentile(same, 4, 33) == 7 && pipa_percentile(one, 1, 95) == 2);
	CHECK(isnan(pipa_percentile(one, 0, 50)) && isnan(pipa_percentile(one, 1, NAN)));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

TEST(percentiles_of_any_order_equal_those_of_sorted_values)
{
	double values[200], sorted[200];
	uint64_t seed = 7;

	for (size_t n = 1; n <= 200; n++)
		for (int distinct = 1; distinct < 200; distinct *= 4) {
			for (size_t i = 0; i < n; i++) {
				seed = seed * 6364136223846793005U + 1442695040888963407U;
				values[i] = sorted[i] = (double)((seed >> 33) % (uint64_t)distinct);
			}
			qsort(sorted, n, sizeof(*sorted), compare);
			for (int p = 0; p <= 100; p += 19) {
				double place = (double)(n - 1) * p / 100;
				size_t below = (size_t)place;
				double want = sorted[below];

				if (below + 1 < n)
					want += (sorted[below + 1] - want) *
						(place - (double)below);
				CHECK(near(pipa_percentile(values, n, p), want));
			}
		}
}

/* Values of a form: noise, waves, two levels, nearly all equal, sorted, and reversed. */
static double value_of_form(int form, size_t i, size_t n, uint64_t seed)
{
	const double noise = (double)(seed >> 40) / 1e5;

	switch (form) {
	case 0: return noise;
	case 1: return 50 * sin((double)i / 600) + noise / 100;
	case 2: return seed >> 63 ? 100 : 0;
	case 3: return seed >> 59 ? 0 : noise;
	case 4: return (double)i;
	case 5: return (double)(n - i);
	default: return i + 1 == n ? 1e9 : 7;
	}
}

TEST(percentiles_of_many_values_equal_those_of_sorted_values)
{
	enum { MOST = 9000 };
	static double values[MOST], sorted[MOST];
	uint64_t seed = 9;

	for (size_t n = 1000; n <= MOST; n += 667)
		for (int form = 0; form <= 6; form++)
			for (int p = 0; p <= 100; p += 5) {
				size_t below = (size_t)((double)(n - 1) * p / 100);
				double want;

				for (size_t i = 0; i < n; i++) {
					seed = seed * 6364136223846793005U + 1442695040888963407U;
					values[i] = sorted[i] = value_of_form(form, i, n, seed);
				}
				qsort(sorted, n, sizeof(*sorted), compare);
				want = sorted[below];
				if (below + 1 < n)
					want += (sorted[below + 1] - want) *
						((double)(n - 1) * p / 100 - (double)below);
				CHECK(pipa_percentile(values, n, p) == want);
				qsort(values, n, sizeof(*values), compare);
				CHECK(memcmp(values, sorted, n * sizeof(*values)) == 0);
			}
}

TEST(reduced_series_keep_first_last_and_peaks)
{
	enum { N = 10000, BUCKETS = 50 };
	static uint64_t at[N];
	static double values[N];
	static struct pipa_point points[BUCKETS * PIPA_DOWNSAMPLE_PER_BUCKET];
	bool high = false, low = false, gap = false;
	size_t i, n;

	for (i = 0; i < N; i++) {
		at[i] = (i + 1) * S;
		values[i] = sin((double)i / 300);
	}
	values[4321] = 99;
	values[8765] = -99;
	values[1234] = NAN;
	n = pipa_downsample(at, values, N, BUCKETS, points);
	CHECK(n <= PIPA_COUNT(points) && n > BUCKETS);
	CHECK(points[0].wall_ns == S && points[n - 1].wall_ns == N * S);
	for (i = 0; i < n; i++) {
		CHECK(!i || points[i].wall_ns > points[i - 1].wall_ns);
		high |= points[i].value == 99;
		low |= points[i].value == -99;
		gap |= isnan(points[i].value);
	}
	CHECK(high && low && gap);
	CHECK_EQ(pipa_downsample(at, values, 3, 50, points), 3);
	CHECK_EQ(pipa_downsample(at, values, 0, 50, points), 0);
	for (i = 0; i < N; i++) /* far apart: products must not overflow */
		at[i] = UINT64_MAX / N * i;
	CHECK(pipa_downsample(at, values, N, BUCKETS, points) > BUCKETS);
}

TEST(runs_of_values_are_reduced_to_their_extents)
{
	const double values[] = { 1, 3, NAN, NAN, NAN, NAN, 5 };
	struct pipa_extent extents[3];

	CHECK_EQ(pipa_reduce(values, 7, 3, extents), 3);
	CHECK(extents[0].min == 1 && extents[0].mean == 2 && extents[0].max == 3);
	CHECK(isnan(extents[1].mean) && extents[2].max == 5);
	CHECK_EQ(pipa_reduce(values, 7, 0, extents), 0);
}

TEST(filters_select_as_pipas_do)
{
	struct pipa_cpus node_cpus = { 0 };
	struct pipa_hardware_node node = { .node = 1 };
	struct pipa_hardware hardware = { .nodes = { &node, 1, 1 } };

	CHECK_EQ(pipa_cpus_parse("4-7", &node_cpus, NULL), 0);
	node.cpus = node_cpus;
	CHECK(pipa_instance_selected("", "sda", NULL) &&
	      pipa_instance_selected(" , ", "sda", NULL));
	CHECK(pipa_instance_selected("sd", "sda", NULL) &&
	      pipa_instance_selected("SD", "sda", NULL));
	CHECK(pipa_instance_selected("^sda", "sda", NULL));
	CHECK(!pipa_instance_selected("^sd", "sda", NULL));
	CHECK(pipa_instance_selected("0-2, 5", "5", NULL) &&
	      !pipa_instance_selected("0-2,5", "3", NULL));
	CHECK(pipa_instance_selected("1", "1", NULL) && !pipa_instance_selected("1", "10", NULL));
	CHECK(!pipa_instance_selected("0-2", "all", NULL));
	CHECK(pipa_instance_selected("numa_node_1", "5", &hardware));
	CHECK(!pipa_instance_selected("numa_node_1", "3", &hardware));
	CHECK(!pipa_instance_selected("numa_node_1", "5", NULL));
	CHECK(pipa_instance_selected("workload_avg,all", PIPA_WORKLOAD_AVG, &hardware));
	CHECK(!pipa_instance_selected("2-1", "1", NULL));
	pipa_cpus_done(&node_cpus);
}

TEST(lists_are_sorted_and_compressed)
{
	static const char *const cpus[] = { "7", "0", "1", "2", "4", "5" };
	static const char *const mixed[] = { "0", "1", "2", "all", "numa_0" };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	CHECK_EQ(pipa_instance_list(cpus, 6, &out), 0);
	CHECK_STR(pipa_buf_str(&out), "0-2,4-5,7");
	pipa_buf_reset(&out);
	CHECK_EQ(pipa_instance_list(mixed, 5, &out), 0);
	CHECK_STR(pipa_buf_str(&out), "all,numa_0,0-2");
	pipa_buf_reset(&out);
	CHECK_EQ(pipa_instance_list(NULL, 0, &out), 0);
	CHECK_STR(pipa_buf_str(&out), "None");
	CHECK(pipa_instance_compare("2", "10") < 0 && pipa_instance_compare("10", "a") < 0);
	CHECK(pipa_instance_compare("a", "b") < 0 && pipa_instance_compare("3", "3") == 0);
}

/* PIPA's vector: %user 1,20,5,50 and %system 1,5,3,10 with thresholds 5 and 25. */
TEST(cpus_are_classified_as_pipa_does)
{
	static const double user[] = { 1, 20, 5, 50 }, system[] = { 1, 5, 3, 10 };
	PIPA_AUTO(pipa_cpu_loads_done) struct pipa_cpu_loads loads = { 0 };

	begin();
	for (int i = 0; i < 4; i++)
		put_cpu(1, (const char *[]){ "0", "1", "2", "3" }[i], user[i], system[i]);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_cpu_loads_init(&loads, &set, NULL, &(struct pipa_cpu_thresholds){ 5, 25 }),
		 0);
	CHECK_EQ(loads.n, 4);
	CHECK_EQ(loads.items[0].class, PIPA_CPU_IDLE);
	CHECK_EQ(loads.items[1].class, PIPA_CPU_ACTIVE);
	CHECK_EQ(loads.items[2].class, PIPA_CPU_ACTIVE);
	CHECK_EQ(loads.items[3].class, PIPA_CPU_BUSY);
	CHECK_EQ(loads.classes, 3);
	CHECK_EQ(loads.all.user.n, 0);
	CHECK_STR(pipa_cpu_class_name(PIPA_CPU_BUSY), "Busy (High Load)");
	pipa_series_set_done(&set);
}

TEST(few_cpus_have_no_classes)
{
	PIPA_AUTO(pipa_cpu_loads_done) struct pipa_cpu_loads loads = { 0 };

	CHECK_EQ(pipa_cpu_loads_init(&loads, &set, NULL, NULL), 0);
	CHECK_EQ(loads.n, 0);
	begin();
	put_cpu(1, "all", 25, 5);
	put_cpu(1, "0", 25, 5);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_cpu_loads_init(&loads, &set, NULL, NULL), 0);
	CHECK_EQ(loads.n, 1);
	CHECK_EQ(loads.classes, 0);
	CHECK_EQ(loads.n_groups, 0);
	CHECK(near(loads.all.total, 30));
	pipa_series_set_done(&set);
}

TEST(groups_of_cpus_are_found_in_the_data)
{
	PIPA_AUTO(pipa_cpu_loads_done) struct pipa_cpu_loads loads = { 0 };
	char cpu[8];

	begin();
	for (uint64_t second = 1; second <= 3; second++)
		for (int i = 0; i < 64; i++) {
			snprintf(cpu, sizeof(cpu), "%d", i);
			put_cpu(second, cpu, (i < 4 ? 90 : i < 20 ? 45 : 3) + i % 3, 1);
		}
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_cpu_loads_init(&loads, &set, NULL, NULL), 0);
	CHECK_EQ(loads.n_groups, 3);
	CHECK_EQ(loads.groups[0].cpus, 44);
	CHECK_EQ(loads.groups[1].cpus, 16);
	CHECK_EQ(loads.groups[2].cpus, 4);
	CHECK_EQ(loads.items[0].group, 2);
	CHECK_EQ(loads.items[63].group, 0);
	CHECK(loads.groups[2].low >= 91 && loads.groups[0].high < 7);
	pipa_series_set_done(&set);
}

TEST(groups_of_many_cpus_are_those_of_an_exhaustive_search)
{
	enum { N = 60, MANY = 4096 };
	static double values[MANY];
	size_t first[PIPA_CPU_GROUPS_MAX], i, k, best = 0;
	double least = INFINITY;

	for (i = 0; i < N; i++) /* two groups whose border is not obvious */
		values[i] = (double)(i * i % 37) / 4 + (i < 37 ? 0 : 40);
	for (i = 1; i < N; i++) /* sort by insertion */
		for (k = i; k && values[k - 1] > values[k]; k--) {
			double other = values[k];

			values[k] = values[k - 1];
			values[k - 1] = other;
		}
	for (i = 1; i < N; i++) {
		double sums[2] = { 0 }, squares = 0;

		for (k = 0; k < N; k++)
			sums[k >= i] += values[k];
		for (k = 0; k < N; k++)
			squares += pow(values[k] - sums[k >= i] / (double)(k < i ? i : N - i), 2);
		if (squares < least) {
			least = squares;
			best = i;
		}
	}
	CHECK_EQ(pipa_natural_groups(values, N, 5, first), 2);
	CHECK_EQ(first[1], best);
	for (i = 0; i < MANY; i++)
		values[i] = (double)(i / 1024) * 25 + (double)(i % 1024) / 1024;
	CHECK_EQ(pipa_natural_groups(values, MANY, 5, first), 4);
	for (i = 0; i < 4; i++)
		CHECK_EQ(first[i], 1024 * i);
}

TEST(equal_loads_are_one_group)
{
	const double values[] = { 50, 51, 52, 53 }, none[] = { 0 };
	size_t first[PIPA_CPU_GROUPS_MAX];

	CHECK_EQ(pipa_natural_groups(values, 4, 5, first), 1);
	CHECK_EQ(pipa_natural_groups(none, 0, 5, first), 0);
	CHECK_EQ(pipa_natural_groups(values, 4, 1, first), 4);
}

TEST(loads_of_nodes_are_means_of_their_cpus)
{
	struct pipa_hardware_node nodes[3] = { { .node = 0 }, { .node = 1 }, { .node = 2 } };
	struct pipa_hardware hardware = { .nodes = { nodes, 3, 3 } };
	PIPA_AUTO(pipa_cpu_loads_done) struct pipa_cpu_loads loads = { 0 };
	struct pipa_node_load ret[4];
	double difference;

	CHECK_EQ(pipa_cpus_parse("0-1", &nodes[0].cpus, NULL), 0);
	CHECK_EQ(pipa_cpus_parse("2-3", &nodes[1].cpus, NULL), 0);
	begin();
	put_cpu(1, "0", 80, 10);
	put_cpu(1, "1", 60, 10);
	put_cpu(1, "2", 5, 5);
	put_cpu(1, "3", 15, 5);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_cpu_loads_init(&loads, &set, NULL, NULL), 0);
	CHECK_EQ(pipa_node_loads(&loads, &hardware, ret, 4, &difference), 2);
	CHECK(near(ret[0].total, 80) && near(ret[1].total, 15) && near(difference, 65));
	pipa_cpus_done(&nodes[0].cpus);
	pipa_cpus_done(&nodes[1].cpus);
	pipa_series_set_done(&set);
}

TEST(the_busiest_disk_is_found_and_judged_by_its_medium)
{
	struct pipa_hardware_disk disks[] = {
		{ .name = "sda", .medium = PIPA_MEDIUM_SATA_SSD, .used_percent = 92 },
		{ .name = "sdb", .medium = PIPA_MEDIUM_HDD, .used_percent = 85 },
	};
	struct pipa_hardware hardware = { .disks = { disks, 2, 2 } };
	PIPA_AUTO(pipa_disk_loads_done) struct pipa_disk_loads loads = { 0 };
	const double busy[PIPA_COL_DISK_NR] = { 10, 1, 2, 0, 16, 1, 6, 50, 0, 0 };
	const double calm[PIPA_COL_DISK_NR] = { 10, 1, 2, 0, 16, 1, 6, 10, 0, 0 };

	begin();
	put(PIPA_SECTION_DISK, 1, "sdb", calm);
	put(PIPA_SECTION_DISK, 1, "sda", busy);
	put(PIPA_SECTION_DISK, 1, "loop0", busy);
	put(PIPA_SECTION_DISK, 1, "zram0", busy);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_disk_loads_init(&loads, &set, &hardware, NULL), 0);
	CHECK_EQ(loads.n, 2);
	CHECK_STR(loads.items[loads.busiest].name, "sda");
	CHECK(loads.items[1].await_limit_ms == 5 && loads.items[1].is_saturated);
	CHECK(loads.items[0].await_limit_ms == 30 && !loads.items[0].is_saturated);
	CHECK_EQ(pipa_disk_capacity(&disks[0]), PIPA_CAPACITY_CRITICAL);
	CHECK_EQ(pipa_disk_capacity(&disks[1]), PIPA_CAPACITY_WARNING);
	CHECK(pipa_disk_await_limit(PIPA_MEDIUM_NVME_SSD) == 1);
	pipa_series_set_done(&set);
}

TEST(windows_select_intervals_by_their_end)
{
	const struct pipa_time_window window = { 2 * S, 4 * S };
	struct pipa_series_summary summary;
	struct pipa_series_ref ref;

	begin();
	for (uint64_t i = 1; i <= 6; i++)
		put_cpu(i, "all", (double)i, 0);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_series_find(&set, "cpu.user", "all", &ref), 0);
	CHECK_EQ(pipa_series_summarize(&set, ref, &window, &summary), 0);
	CHECK_EQ(summary.n, 2);
	CHECK(summary.mean == 3.5 && summary.min == 3 && summary.max == 4);
	CHECK_EQ(pipa_series_summarize(&set, ref, NULL, &summary), 0);
	CHECK_EQ(summary.n, 6);
	pipa_series_set_done(&set);
}

/* Add a source with one row of CPU statistics per second and return the group's index. */
static size_t put_source(enum pipa_series_clock clock, uint64_t first, uint64_t seconds,
			 double interval_s)
{
	ptrdiff_t source = pipa_series_set_add_source(&set, "other", clock);
	uint64_t i;

	CHECK(source >= 0);
	pipa_series_feed_init(&feed, &set, (size_t)source);
	for (i = 0; i < seconds; i++) {
		const double values[PIPA_COL_CPU_SHORT_NR] = { 7, 0, 0, 0, 0, 93 };
		const struct pipa_tick tick = { .wall_ns = (first + i) * S,
						.interval_s = i ? 1 : interval_s };

		CHECK_EQ(feed.sink.row(&feed.sink, &pipa_sections[PIPA_SECTION_CPU_SHORT], &tick,
				       "all", values),
			 0);
	}
	return set.groups.n - 1;
}

/* Return the number of values of a group in the steady phase. */
static size_t steady_values(size_t group)
{
	struct pipa_phases phases;
	struct pipa_series_summary summary;

	CHECK_EQ(pipa_phases_find(&set, &phases), 0);
	CHECK_EQ(pipa_series_summarize(
			 &set, (struct pipa_series_ref){ group, 0, PIPA_COL_CPU_SHORT_USER },
			 &phases.steady, &summary),
		 0);
	return summary.n;
}

TEST(totals_and_series_of_another_clock_are_used_whole)
{
	size_t statistics, total, elapsed;

	statistics = put_source(PIPA_CLOCK_UTC, 1001, 5, 1);
	total = put_source(PIPA_CLOCK_ASSUMED, 1000, 1, 0);
	elapsed = put_source(PIPA_CLOCK_ELAPSED, 1, 4, 1);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(steady_values(statistics), 5);
	CHECK_EQ(steady_values(total), 1);
	CHECK_EQ(steady_values(elapsed), 4);
	pipa_series_set_done(&set);
}

TEST(a_first_interval_of_unknown_length_is_in_the_steady_phase)
{
	size_t group = put_source(PIPA_CLOCK_UTC, 1001, 5, 0);

	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(steady_values(group), 5);
	pipa_series_set_done(&set);
}

TEST(impossible_values_do_not_count)
{
	struct pipa_series_summary summary;
	struct pipa_series_ref ref;

	begin();
	put_cpu(1, "all", 50, 0);
	put_cpu(2, "all", -3, 0);
	put_cpu(3, "all", 250, 0);
	put_cpu(4, "all", 100.5, 0);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_series_find(&set, "cpu.user", "all", &ref), 0);
	CHECK_EQ(pipa_series_summarize(&set, ref, NULL, &summary), 0);
	CHECK_EQ(summary.n, 2);
	CHECK_EQ(summary.bad, 2);
	CHECK(summary.max == 100 && summary.mean == 75);
	pipa_series_set_done(&set);
}

TEST(impossible_values_are_found_at_any_index)
{
	const struct pipa_column *share =
		&pipa_sections[PIPA_SECTION_CPU_SHORT].columns[PIPA_COL_CPU_SHORT_USER];
	const struct pipa_column *rate =
		&pipa_sections[PIPA_SECTION_DISK].columns[PIPA_COL_DISK_READ];
	double values[19];

	for (size_t at = 0; at < PIPA_COUNT(values); at++) {
		for (size_t i = 0; i < PIPA_COUNT(values); i++)
			values[i] = at % 2 && i == 4 ? NAN : 99.99;
		values[at] = 100.5;
		CHECK_EQ(pipa_series_repair(share, values, PIPA_COUNT(values)), 0);
		CHECK(values[at] == 100);
		values[at] = 101.5;
		CHECK_EQ(pipa_series_repair(rate, values, PIPA_COUNT(values)), 0);
		CHECK(values[at] == 101.5);
		CHECK_EQ(pipa_series_repair(share, values, PIPA_COUNT(values)), 1);
		CHECK(isnan(values[at]));
		values[at] = -0.01;
		CHECK_EQ(pipa_series_repair(rate, values, PIPA_COUNT(values)), 1);
		CHECK(isnan(values[at]));
		values[at] = -250; /* its bits exceed those of the limit by more than the sign */
		CHECK_EQ(pipa_series_repair(share, values, PIPA_COUNT(values)), 1);
		CHECK(isnan(values[at]));
		values[at] = INFINITY;
		CHECK_EQ(pipa_series_repair(rate, values, PIPA_COUNT(values)), 1);
		CHECK(isnan(values[at]));
		values[at] = -0.0;
		CHECK_EQ(pipa_series_repair(share, values, PIPA_COUNT(values)), 0);
		CHECK(values[at] == 0 && signbit(values[at]));
	}
}

TEST(warm_up_and_cool_down_are_divided_from_the_steady_phase)
{
	struct pipa_phases phases;
	uint64_t seed = 3;

	begin();
	for (uint64_t i = 1; i <= 200; i++) {
		double level = i <= 20 ? 4.0 * (double)i : i > 180 ? 10 : 85;

		seed = seed * 6364136223846793005U + 1442695040888963407U;
		put_cpu(i, "all", level + (double)(seed >> 62), 5);
	}
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_phases_find(&set, &phases), 0);
	CHECK_EQ(phases.reason, PIPA_PHASES_FOUND);
	CHECK(phases.steady.from_ns >= 15 * S && phases.steady.from_ns <= 22 * S);
	CHECK(phases.steady.until_ns >= 178 * S && phases.steady.until_ns <= 182 * S);
	CHECK(phases.begin_ns == 0 && phases.end_ns == 200 * S);
	pipa_series_set_done(&set);
}

TEST(constant_short_and_unsteady_loads_have_no_phases)
{
	struct pipa_phases phases;
	double values[100];
	size_t first, last, i;

	for (i = 0; i < 100; i++)
		values[i] = 50 + (double)(i % 3);
	CHECK_EQ(pipa_phases_divide(values, 100, &first, &last, &phases), 0);
	CHECK_EQ(phases.reason, PIPA_PHASES_ALL_STEADY);
	CHECK_EQ(pipa_phases_divide(values, 10, &first, &last, &phases), 0);
	CHECK_EQ(phases.reason, PIPA_PHASES_TOO_SHORT);
	CHECK_EQ(last, 9);
	for (i = 0; i < 100; i++)
		values[i] = (double)i;
	CHECK_EQ(pipa_phases_divide(values, 100, &first, &last, &phases), 0);
	CHECK_EQ(phases.reason, PIPA_PHASES_NO_LEVEL);
	for (i = 0; i < 100; i++)
		values[i] = NAN;
	CHECK_EQ(pipa_phases_divide(values, 100, &first, &last, &phases), 0);
	CHECK_EQ(phases.reason, PIPA_PHASES_NO_LEVEL);
	CHECK_EQ(first, 0);
	CHECK_EQ(last, 99);
}

TEST(series_of_other_intervals_are_aligned_on_a_grid)
{
	const double values[PIPA_COL_LOAD_NR] = { 1, 2, 8, 1, 1, 0 };
	struct pipa_time_grid grid = pipa_time_grid_make(10 * S, 16 * S, 2 * S, 100);
	struct pipa_series_ref ref;
	double ret[3];

	begin();
	for (uint64_t i = 11; i <= 14; i++)
		put_cpu(i, "all", (double)i, 0);
	put(PIPA_SECTION_LOAD, 12, "", values); /* covers 11 to 12 */
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(grid.n, 3);
	CHECK_EQ(pipa_series_find(&set, "cpu.user", "all", &ref), 0);
	CHECK_EQ(pipa_series_align(&set, ref, &grid, ret), 0);
	CHECK(near(ret[0], 11.5) && near(ret[1], 13.5) && isnan(ret[2]));
	CHECK_EQ(pipa_series_find(&set, "load.1", "", &ref), 0);
	CHECK_EQ(pipa_series_align(&set, ref, &grid, ret), 0);
	CHECK(near(ret[0], 8) && isnan(ret[1]));
	grid = pipa_time_grid_make(10 * S, 14 * S, 4 * S, 100); /* halves of the values count */
	CHECK_EQ(pipa_series_find(&set, "cpu.user", "all", &ref), 0);
	grid.from_ns += S / 2;
	CHECK_EQ(pipa_series_align(&set, ref, &grid, ret), 0);
	CHECK(near(ret[0], (11 * 0.5 + 12 + 13 + 14) / 3.5));
	pipa_series_set_done(&set);
}

TEST(grids_are_enlarged_to_fit)
{
	CHECK_EQ(pipa_time_grid_make(0, 86400 * S, S, 1000).n, 994);
	CHECK_EQ(pipa_time_grid_make(0, 86400 * S, S, 1000).interval_ns, 87 * S);
	CHECK_EQ(pipa_time_grid_make(0, 10 * S, S, 1000).n, 10);
	CHECK_EQ(pipa_time_grid_make(5, 5, S, 10).n, 0);
	CHECK_EQ(pipa_time_grid_make(0, UINT64_MAX, 1, 0).n, 1);
}

TEST(the_mean_of_a_workload_is_that_of_its_cpus)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	struct pipa_series_ref ref;
	double ret[2];

	CHECK_EQ(pipa_cpus_parse("0-1,9", &cpus, NULL), 0);
	begin();
	put_cpu(1, "0", 10, 0);
	put_cpu(1, "1", 30, 0);
	put_cpu(1, "2", 99, 0);
	put_cpu(2, "0", 50, 0);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_series_find(&set, "cpu.user", "2", &ref), 0);
	CHECK_EQ(pipa_series_cpu_mean(&set, ref, &cpus, 0, 2, ret), 0);
	CHECK(near(ret[0], 20) && near(ret[1], 50));
	pipa_series_set_done(&set);
}
