#include "analyze/run/run_metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/run/run_compare.h"
#include "analyze/run/run_series.h"
#include "base/auto.h"
#include "lib/test.h"
#include "model/sections.h"

static const char *shown(const struct pipa_run *run, enum pipa_run_key key, int digits)
{
	static char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, run->values[key]);
	return text;
}

/* The example that the original published, to the last digit it printed. */
TEST(published_example_comes_out_to_the_last_digit)
{
	struct pipa_run run;

	pipa_run_init(&run);
	run.values[PIPA_RUN_TRANSACTIONS] = 303318880;
	run.values[PIPA_RUN_CYCLES] = 748699758097;
	run.values[PIPA_RUN_INSTRUCTIONS] = 242066352981;
	run.values[PIPA_RUN_TIME] = 9.007558243;
	pipa_run_derive(&run);
	CHECK_STR(shown(&run, PIPA_RUN_THROUGHPUT, 2), "33673818.34");
	CHECK_STR(shown(&run, PIPA_RUN_CPI, 10), "3.0929526094");
	CHECK_STR(shown(&run, PIPA_RUN_PATH_LENGTH, 5), "798.05897");
	CHECK_STR(shown(&run, PIPA_RUN_CYCLES_PER_REQUEST, 5), "2468.35857");
	CHECK_STR(shown(&run, PIPA_RUN_CYCLES_PER_SECOND, 2), "83119058228.55");
	CHECK_STR(shown(&run, PIPA_RUN_INSTRUCTIONS_PER_SECOND, 2), "26873692786.73");
	pipa_run_done(&run);
}

TEST(metrics_with_missing_inputs_are_unknown_rather_than_zero)
{
	struct pipa_run run;

	pipa_run_init(&run);
	run.values[PIPA_RUN_TIME] = 2;
	run.values[PIPA_RUN_CYCLES] = 10;
	pipa_run_derive(&run);
	CHECK(isnan(run.values[PIPA_RUN_THROUGHPUT]));
	CHECK(isnan(run.values[PIPA_RUN_CPI]));
	CHECK(isnan(run.values[PIPA_RUN_PATH_LENGTH]));
	CHECK(run.values[PIPA_RUN_CYCLES_PER_SECOND] == 5);
	pipa_run_done(&run);
}

TEST(reported_rate_gives_the_transaction_count_by_the_run_time)
{
	struct pipa_run run;

	pipa_run_init(&run);
	run.values[PIPA_RUN_TIME] = 2;
	run.values[PIPA_RUN_REPORTED_RATE] = 1000.5;
	pipa_run_derive(&run);
	CHECK(run.values[PIPA_RUN_TRANSACTIONS] == 2001);
	CHECK(run.values[PIPA_RUN_THROUGHPUT] == 1000.5);
	pipa_run_done(&run);
}

/* The vector of two CPUs and two seconds: spellings of cycles, and the sum over the CPUs. */
TEST(counts_are_summed_over_cpus_however_the_event_is_spelled)
{
	struct pipa_stat_row rows[] = {
		{ .name = "cycles:D", .state = PIPA_COUNTED, .value = 1000 + 1100 },
		{ .name = "cpu_core/cycles/u", .state = PIPA_COUNTED, .value = 1200 },
		{ .name = "cpu-cycles", .state = PIPA_COUNTED, .value = 1300 },
		{ .name = "cycles", .state = PIPA_NOT_SUPPORTED, .value = 77 },
		{ .name = "cycles", .state = PIPA_COUNTED, .value = 99, .is_sum = true },
		{ .name = "ref-cycles:D", .state = PIPA_COUNTED, .value = 4200 },
		{ .name = "instructions:D", .state = PIPA_COUNTED, .value = 1050 },
		{ .name = "instructions:D", .state = PIPA_COUNTED, .value = 1680 },
	};
	const struct pipa_stat stat = { .rows = rows, .n_rows = PIPA_COUNT(rows) };
	struct pipa_run run;

	pipa_run_init(&run);
	CHECK(pipa_run_take_counts(&run, &stat));
	pipa_run_derive(&run);
	CHECK(run.values[PIPA_RUN_CYCLES] == 4600);
	CHECK(fabs(run.values[PIPA_RUN_CPI] - 4600.0 / 2730) < 1e-12);
	CHECK(isnan(pipa_run_count(&stat, "branches")));
	pipa_run_done(&run);
}

/* Put %usr and %idle of a CPU, or tps and %util of a disk; other columns are missing. */
static void put(struct pipa_run_series *series, enum pipa_section_id id, const char *instance,
		double a, double b)
{
	const struct pipa_tick tick = { .interval_s = 1 };
	bool is_cpu = id == PIPA_SECTION_CPU;
	double values[PIPA_COL_CPU_NR + PIPA_COL_DISK_NR];
	size_t i;

	for (i = 0; i < PIPA_COUNT(values); i++)
		values[i] = NAN;
	values[is_cpu ? PIPA_COL_CPU_USR : PIPA_COL_DISK_TPS] = a;
	values[is_cpu ? PIPA_COL_CPU_IDLE : PIPA_COL_DISK_UTIL] = b;
	CHECK_EQ(series->sink.row(&series->sink, &pipa_sections[id], &tick, instance, values), 0);
}

TEST(cpu_shares_are_means_over_the_named_cores)
{
	struct pipa_run run;
	struct pipa_run_series series;

	pipa_run_init(&run);
	CHECK_EQ(pipa_cpus_parse("1-2", &run.cores, NULL), 0);
	pipa_run_series_init(&series, &run, NULL);
	put(&series, PIPA_SECTION_CPU, "all", 99, 1);
	put(&series, PIPA_SECTION_CPU, "0", 80, 20);
	put(&series, PIPA_SECTION_CPU, "1", 10, 90);
	put(&series, PIPA_SECTION_CPU, "2", 30, 70);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK(run.values[PIPA_RUN_USR] == 20);
	CHECK(run.values[PIPA_RUN_UTIL] == 20);
	pipa_run_done(&run);
}

TEST(disk_is_the_named_one_or_the_busiest)
{
	struct pipa_run run;
	struct pipa_run_series series;

	pipa_run_init(&run);
	pipa_run_series_init(&series, &run, NULL);
	put(&series, PIPA_SECTION_DISK, "sda", 5, 10);
	put(&series, PIPA_SECTION_DISK, "sdb", 7, 50);
	put(&series, PIPA_SECTION_DISK, "sdc", 9, 20);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_STR(run.dev, "sdb");
	CHECK(run.values[PIPA_RUN_TPS] == 7);
	pipa_run_done(&run);

	pipa_run_series_init(&series, &run, "sdc");
	put(&series, PIPA_SECTION_DISK, "sda", 5, 10);
	put(&series, PIPA_SECTION_DISK, "sdc", 9, 20);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_STR(run.dev, "sdc");
	CHECK(run.values[PIPA_RUN_DISK_UTIL] == 20);
	pipa_run_done(&run);
}

TEST(several_runs_become_means_with_spread_and_outliers)
{
	struct pipa_run runs[5], all;
	const double times[] = { 10, 10.1, 9.9, 10, 20 };
	size_t i;

	for (i = 0; i < 5; i++) {
		pipa_run_init(&runs[i]);
		runs[i].values[PIPA_RUN_TIME] = times[i];
	}
	pipa_run_init(&all);
	CHECK_EQ(pipa_run_merge(runs, 5, &all), 0);
	CHECK(fabs(all.values[PIPA_RUN_TIME] - 12) < 1e-9);
	CHECK_EQ(all.spread[PIPA_RUN_TIME].n, 5);
	CHECK(pipa_run_is_outlier(runs, 5, PIPA_RUN_TIME, 4));
	CHECK(!pipa_run_is_outlier(runs, 5, PIPA_RUN_TIME, 1));
	CHECK(!pipa_run_is_outlier(runs, 3, PIPA_RUN_TIME, 1));
	pipa_run_done(&all);
	for (i = 0; i < 5; i++)
		pipa_run_done(&runs[i]);
}

static void add_hot(struct pipa_run *run, const char *symbol, double percent, uint64_t samples)
{
	run->hot[run->n_hot++] = (struct pipa_run_hot){ .symbol = strdup(symbol),
							.object = strdup("a.out"),
							.percent = percent,
							.samples = samples };
}

TEST(hot_functions_of_several_runs_are_those_of_all_samples)
{
	struct pipa_run runs[2], all;
	size_t i;

	for (i = 0; i < 2; i++)
		pipa_run_init(&runs[i]);
	runs[0].samples = 100;
	add_hot(&runs[0], "first", 60, 60);
	add_hot(&runs[0], "second", 40, 40);
	runs[1].samples = 300;
	add_hot(&runs[1], "second", 80, 240);
	add_hot(&runs[1], "third", 20, 60);
	pipa_run_init(&all);
	CHECK_EQ(pipa_run_merge(runs, 2, &all), 0);
	CHECK_EQ(all.samples, 400);
	CHECK_EQ(all.n_hot, 3);
	CHECK_STR(all.hot[0].symbol, "second");
	CHECK_EQ(all.hot[0].samples, 280);
	CHECK_NEAR(all.hot[0].percent, 70, 1e-9);
	CHECK_STR(all.hot[1].symbol, "first");
	CHECK_NEAR(all.hot[1].percent, 15, 1e-9);
	CHECK_STR(all.hot[2].symbol, "third");
	pipa_run_done(&all);
	for (i = 0; i < 2; i++)
		pipa_run_done(&runs[i]);
}

TEST(longer_time_beyond_noise_is_worse_and_more_throughput_is_not)
{
	struct pipa_run base = { 0 };
	struct pipa_run_changes changes;
	struct pipa_run run;

	pipa_run_init(&run);
	run.values[PIPA_RUN_TIME] = 12;
	run.values[PIPA_RUN_THROUGHPUT] = 110;
	base.spread[PIPA_RUN_TIME] = (struct pipa_spread){ .n = 1, .mean = 10 };
	base.spread[PIPA_RUN_THROUGHPUT] = (struct pipa_spread){ .n = 1, .mean = 100 };
	pipa_run_compare(&run, &base, &changes);
	CHECK_EQ(changes.n, 2);
	CHECK_EQ(changes.items[0].key, PIPA_RUN_THROUGHPUT);
	CHECK(!changes.items[0].worse);
	CHECK(changes.items[1].worse);
	CHECK(fabs(changes.items[1].percent - 20) < 1e-9);
	CHECK_EQ(changes.items[1].verdict, PIPA_VERDICT_UNKNOWN);
	CHECK(pipa_run_regressed(&changes.items[1], 10));
	CHECK(!pipa_run_regressed(&changes.items[1], 25));
	CHECK(!pipa_run_regressed(&changes.items[0], 0));
	changes.items[1].verdict = PIPA_VERDICT_SAME;
	CHECK(!pipa_run_regressed(&changes.items[1], 10));
	pipa_run_done(&run);
}

/* Compare one key of three runs each; the caller reads `changes`. */
static void compare_key(enum pipa_run_key key, double before, double after, double sd,
			struct pipa_run_changes *changes)
{
	struct pipa_run base = { 0 }, run;

	pipa_run_init(&run);
	run.values[key] = after;
	run.spread[key] = (struct pipa_spread){ .n = 3, .mean = after, .sd = sd };
	base.spread[key] = (struct pipa_spread){ .n = 3, .mean = before, .sd = sd };
	pipa_run_compare(&run, &base, changes);
	CHECK_EQ(changes->n, 1);
	pipa_run_done(&run);
}

TEST(a_metric_that_rounds_to_zero_on_both_sides_has_not_changed)
{
	struct pipa_run_changes changes;

	compare_key(PIPA_RUN_SOFT, 0.004, 0, 0, &changes);
	CHECK_EQ(changes.items[0].verdict, PIPA_VERDICT_SAME);
	CHECK(isnan(changes.items[0].percent));
	CHECK(!changes.items[0].notable);
	compare_key(PIPA_RUN_TIME, 0.0004, 0.0001, 0, &changes); /* printed in microseconds */
	CHECK_EQ(changes.items[0].verdict, PIPA_VERDICT_LOWER);
	CHECK_NEAR(changes.items[0].percent, -75, 1e-9);
	CHECK(changes.items[0].notable);
	compare_key(PIPA_RUN_MAJOR_FAULTS, 0, 7, 0, &changes);
	CHECK(isnan(changes.items[0].percent));
	CHECK(changes.items[0].notable);
	CHECK_STR(pipa_run_change_text(&changes.items[0]), "worse");
}

TEST(metrics_of_the_machine_are_notable_if_they_changed_much_and_its_memory_never)
{
	struct pipa_run_changes changes;

	compare_key(PIPA_RUN_SLAB, 1000, 2000, 1, &changes);
	CHECK_EQ(changes.items[0].verdict, PIPA_VERDICT_HIGHER);
	CHECK(!changes.items[0].notable);
	compare_key(PIPA_RUN_USR, 50, 54, 0.1, &changes);
	CHECK(!changes.items[0].notable);
	compare_key(PIPA_RUN_USR, 50, 60, 0.1, &changes);
	CHECK(changes.items[0].notable);
	CHECK_STR(pipa_run_change_text(&changes.items[0]), "higher");
	compare_key(PIPA_RUN_THROUGHPUT, 50, 60, 0.1, &changes);
	CHECK_STR(pipa_run_change_text(&changes.items[0]), "better");
	compare_key(PIPA_RUN_TIME, 50, 60, 0.1, &changes);
	CHECK_STR(pipa_run_change_text(&changes.items[0]), "worse");
	compare_key(PIPA_RUN_TIME, 50, 51, 10, &changes);
	CHECK_STR(pipa_run_change_text(&changes.items[0]), "within noise");
}

TEST(differences_from_the_baseline_in_setup_are_noted)
{
	struct pipa_run base, run;

	pipa_run_init(&base);
	pipa_run_init(&run);
	run.workload = strdup("wrk");
	run.scope = "command";
	CHECK_EQ(pipa_run_note_differences(&run, &base), 0);
	CHECK_EQ(run.notes.n, 0); /* unknown fields do not differ */
	base.workload = strdup("wrk");
	base.scope = "command";
	CHECK_EQ(pipa_run_note_differences(&run, &base), 0);
	CHECK_EQ(run.notes.n, 0);
	base.workload[0] = 'W';
	base.scope = "cores";
	CHECK_EQ(pipa_cpus_add(&base.cores, 1), 0);
	base.dev = strdup("sda");
	run.dev = strdup("sdb");
	CHECK_EQ(pipa_run_note_differences(&run, &base), 0);
	CHECK_EQ(run.notes.n, 4);
	CHECK_STR(run.notes.items[0], "baseline has a different workload: Wrk");
	CHECK_STR(run.notes.items[1], "baseline has different --cores");
	CHECK_STR(run.notes.items[2], "baseline counters are of the cores, these of the command");
	CHECK_STR(run.notes.items[3], "baseline disk is sda, this one is sdb");
	pipa_run_done(&base);
	pipa_run_done(&run);
}

TEST(topdown_slot_shares_survive_the_other_counters)
{
	struct pipa_derived derived[] = { { .name = "retiring", .value = 40 },
					  { .name = "backend_bound", .value = 35 } };
	struct pipa_stat_row slots[] = { { .name = "slots", .derived = derived, .n_derived = 2 } };
	struct pipa_stat_row cycles[] = {
		{ .name = "cycles", .value = 10, .state = PIPA_COUNTED }
	};
	const struct pipa_stat topdown = { .rows = slots, .n_rows = 1 };
	const struct pipa_stat own = { .rows = cycles, .n_rows = 1 };
	struct pipa_run run;

	pipa_run_init(&run);
	pipa_run_take_slots(&run, &topdown);
	CHECK(pipa_run_take_counts(&run, &own));
	CHECK(run.values[PIPA_RUN_RETIRING] == 40);
	CHECK(run.values[PIPA_RUN_BACKEND_BOUND] == 35);
	CHECK(isnan(run.values[PIPA_RUN_BAD_SPECULATION]));
	CHECK(run.values[PIPA_RUN_CYCLES] == 10);
	pipa_run_done(&run);
}

TEST(a_kernels_share_that_was_left_out_is_known)
{
	struct pipa_stat_row rows[] = { { .name = "cycles" }, { .name = "cycles:u" } };
	const struct pipa_stat stat = { .rows = rows, .n_rows = 2 };

	CHECK(!pipa_run_is_user_only(&stat));
	rows[1].user_only = true;
	CHECK(pipa_run_is_user_only(&stat));
}
