/* Ranking of commands: ratios, verdicts, default metric, outliers. */
#include "analyze/run/run_rank.h"

#include <math.h>
#include <string.h>

#include "analyze/run/run_metrics.h"
#include "base/auto.h"
#include "lib/test.h"

/* Merge runs with these elapsed times; `each` is for n runs. */
static void merge_times(const double *times, size_t n, struct pipa_run *each, struct pipa_run *ret)
{
	size_t i;

	for (i = 0; i < n; i++) {
		pipa_run_init(&each[i]);
		each[i].values[PIPA_RUN_TIME] = times[i];
	}
	pipa_run_init(ret);
	CHECK_EQ(pipa_run_merge(each, n, ret), 0);
}

/* A run of n whose metric has this mean and standard deviation. */
static struct pipa_run run_of(enum pipa_run_key key, size_t n, double mean, double sd)
{
	struct pipa_run run;

	pipa_run_init(&run);
	run.values[key] = mean;
	run.spread[key] = (struct pipa_spread){ .n = n, .mean = mean, .sd = sd };
	return run;
}

TEST(the_ratio_to_the_fastest_has_the_uncertainty_of_hyperfine)
{
	struct pipa_run slow = run_of(PIPA_RUN_TIME, 10, 0.2, 0.004);
	struct pipa_run fast = run_of(PIPA_RUN_TIME, 10, 0.1, 0.003);
	struct pipa_run_candidate items[] = { { .run = &slow }, { .run = &fast } };
	struct pipa_run_ranking r = { .items = items, .n = 2, .key = PIPA_RUN_TIME };

	pipa_run_rank(&r);
	CHECK_EQ(r.reference, 1);
	CHECK_NEAR(items[0].ratio, 2, 1e-9);
	CHECK_NEAR(items[0].ratio_sd, 2 * sqrt(0.02 * 0.02 + 0.03 * 0.03), 1e-9);
	CHECK_STR(pipa_run_rank_text(&r, 0), "worse");
	CHECK_STR(pipa_run_rank_text(&r, 1), "reference");
	CHECK_NEAR(items[1].ratio, 1, 1e-9);
	CHECK(isnan(items[1].ratio_sd));
}

TEST(more_throughput_is_better_and_the_ratio_is_still_above_one)
{
	struct pipa_run low = run_of(PIPA_RUN_THROUGHPUT, 5, 100, 1);
	struct pipa_run high = run_of(PIPA_RUN_THROUGHPUT, 5, 400, 1);
	struct pipa_run_candidate items[] = { { .run = &low }, { .run = &high } };
	struct pipa_run_ranking r = { .items = items, .n = 2 };

	r.key = pipa_run_default_metric(items, 2);
	CHECK_EQ(r.key, PIPA_RUN_THROUGHPUT);
	pipa_run_rank(&r);
	CHECK_EQ(r.reference, 1);
	CHECK_NEAR(items[0].ratio, 4, 1e-9);
	CHECK_STR(pipa_run_rank_text(&r, 0), "worse");
	low.values[PIPA_RUN_THROUGHPUT] = NAN; /* not known of each command */
	CHECK_EQ(pipa_run_default_metric(items, 2), PIPA_RUN_TIME);
}

TEST(a_metric_without_a_better_direction_is_relative_to_the_first_command)
{
	struct pipa_run a = run_of(PIPA_RUN_CPUS_USED, 5, 2, 0.1);
	struct pipa_run b = run_of(PIPA_RUN_CPUS_USED, 5, 1, 0.1);
	struct pipa_run_candidate items[] = { { .run = &a }, { .run = &b } };
	struct pipa_run_ranking r = { .items = items, .n = 2, .key = PIPA_RUN_CPUS_USED };

	pipa_run_rank(&r);
	CHECK_EQ(r.reference, 0);
	CHECK_NEAR(items[1].ratio, 0.5, 1e-9);
	CHECK_STR(pipa_run_rank_text(&r, 1), "lower");
}

TEST(one_run_and_noise_have_no_verdict_and_a_missing_metric_no_ratio)
{
	struct pipa_run one = run_of(PIPA_RUN_TIME, 0, 1, NAN);
	struct pipa_run noisy = run_of(PIPA_RUN_TIME, 5, 1.1, 1);
	struct pipa_run calm = run_of(PIPA_RUN_TIME, 5, 0.9, 1);
	struct pipa_run none = run_of(PIPA_RUN_TIME, 0, NAN, NAN);
	struct pipa_run_candidate items[] = {
		{ .run = &none }, { .run = &one }, { .run = &noisy }, { .run = &calm }
	};
	struct pipa_run_ranking r = { .items = items, .n = 4, .key = PIPA_RUN_TIME };

	pipa_run_rank(&r);
	CHECK_EQ(r.reference, 3);
	CHECK(isnan(items[0].ratio));
	CHECK_STR(pipa_run_rank_text(&r, 1), "unknown");
	CHECK_STR(pipa_run_rank_text(&r, 2), "within noise");
	CHECK_EQ(items[1].spread.n, 1);
	CHECK_NEAR(items[1].spread.max, 1, 1e-9);
}

TEST(short_commands_run_more_often_than_long_ones)
{
	CHECK_EQ(pipa_run_repeats(0), 100);
	CHECK_EQ(pipa_run_repeats(0.001), 100);
	CHECK_EQ(pipa_run_repeats(0.1), 30);
	CHECK_EQ(pipa_run_repeats(60), 10);
	CHECK_EQ(pipa_run_repeats(NAN), 10);
}

TEST(a_slow_first_run_and_outliers_are_noted)
{
	static const double cold[] = { 2, 1.01, 1.0, 0.99, 1.02, 1.0 };
	static const double outlier[] = { 1.0, 1.01, 1.0, 0.99, 2, 1.0 };
	static const double even[] = { 1.0, 1.02, 1.0, 0.98, 1.01, 1.0 };
	static const double close[] = { 1.02, 1.0, 1.0, 1.0, 1.0, 1.0 };
	struct pipa_run each[6], run;

	merge_times(cold, 6, each, &run);
	CHECK_EQ(pipa_run_note_outliers(&run, each, 0), 0);
	CHECK_EQ(run.notes.n, 1);
	CHECK(strstr(run.notes.items[0], "the first run was slower than the others (2.000 s"));
	CHECK(strstr(run.notes.items[0], "use --warmup N"));
	pipa_run_done(&run);
	merge_times(outlier, 6, each, &run);
	CHECK_EQ(pipa_run_note_outliers(&run, each, 0), 0);
	CHECK_EQ(run.notes.n, 1);
	CHECK(strstr(run.notes.items[0], "1 of 6 elapsed times is an outlier"));
	pipa_run_done(&run);
	merge_times(even, 6, each, &run);
	CHECK_EQ(pipa_run_note_outliers(&run, each, 0), 0);
	CHECK_EQ(run.notes.n, 0);
	pipa_run_done(&run);
	merge_times(close, 6, each, &run); /* equal by chance: 2 percent are nothing */
	CHECK_EQ(pipa_run_note_outliers(&run, each, 0), 0);
	CHECK_EQ(run.notes.n, 0);
	pipa_run_done(&run);
}
