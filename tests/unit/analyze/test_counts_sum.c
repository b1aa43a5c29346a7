#include "analyze/count/counts_sum.h"

#include <math.h>
#include <string.h>

#include "analyze/run/run_metrics.h"
#include "base/vec.h"
#include "lib/test.h"

static struct pipa_counts counts;

static void add(double time, int cpu, const char *event, double value, uint64_t running,
		double percent)
{
	struct pipa_counts_row *row = PIPA_VEC_ADD(&counts);

	CHECK(row);
	*row = (struct pipa_counts_row){
		.time_s = time,
		.cpu = cpu,
		.event = pipa_strings_add(&counts.texts, event, strlen(event)),
		.value = value,
		.running_ns = running,
		.percent = percent,
	};
}

static void add_both(double time, int cpu, double cycles, double instructions)
{
	add(time, cpu, "cycles:D", cycles, 1000, 100);
	add(time, cpu, "instructions:D", instructions, 1000, 100);
}

static void add_vector(void)
{
	add_both(1, 0, 1000, 500);
	add_both(1, 1, 1200, 800);
	add_both(2, 0, 1100, 550);
	add_both(2, 1, 1300, 880);
}

TEST(sums_of_the_originals_vector_are_right_for_all_and_for_chosen_cpus)
{
	struct pipa_cpus one = { 0 };
	struct pipa_counts_sum sum;

	add_vector();
	CHECK_EQ(pipa_counts_sum(&counts, NULL, &sum), 0);
	CHECK(sum.by_cpu && !sum.least);
	CHECK_EQ(sum.stat.n_rows, 4);
	CHECK_NEAR(pipa_run_count(&sum.stat, "cycles"), 4600, 1e-9);
	CHECK_NEAR(pipa_run_count(&sum.stat, "instructions"), 2730, 1e-9);
	pipa_counts_sum_done(&sum);

	CHECK_EQ(pipa_cpus_add(&one, 1), 0);
	CHECK_EQ(pipa_counts_sum(&counts, &one, &sum), 0);
	CHECK_NEAR(pipa_run_count(&sum.stat, "cycles"), 2500, 1e-9);
	CHECK_NEAR(pipa_run_count(&sum.stat, "instructions"), 1680, 1e-9);
	CHECK(pipa_counts_sum_has(&sum, 1) && !pipa_counts_sum_has(&sum, 0));
	pipa_counts_sum_done(&sum);
	pipa_cpus_done(&one);
}

TEST(cpu_list_has_no_effect_on_counts_without_cpus)
{
	struct pipa_cpus one = { 0 };
	struct pipa_counts_sum sum;

	add_both(1, -1, 2200, 1300);
	add_both(2, -1, 2400, 1430);
	CHECK_EQ(pipa_cpus_add(&one, 1), 0);
	CHECK_EQ(pipa_counts_sum(&counts, &one, &sum), 0);
	CHECK(!sum.by_cpu);
	CHECK_NEAR(pipa_run_count(&sum.stat, "cycles"), 4600, 1e-9);
	pipa_counts_sum_done(&sum);
	pipa_cpus_done(&one);
}

TEST(the_most_multiplexed_event_is_reported)
{
	struct pipa_counts_sum sum;

	add(1, 0, "cycles", 100, 1000, 100);
	add(1, 0, "branches", 100, 500, 50);
	add(2, 0, "branches", 100, 250, 25);
	CHECK_EQ(pipa_counts_sum(&counts, NULL, &sum), 0);
	CHECK_STR(sum.least, "branches");
	CHECK_NEAR(sum.least_percent, 37.5, 0.01);
	pipa_counts_sum_done(&sum);
}

TEST(an_unsupported_event_is_not_a_number_rather_than_zero)
{
	struct pipa_counts_sum sum;

	add(1, 0, "cycles", NAN, 0, 0);
	counts.items[0].state = PIPA_NOT_SUPPORTED;
	CHECK_EQ(pipa_counts_sum(&counts, NULL, &sum), 0);
	CHECK(isnan(pipa_run_count(&sum.stat, "cycles")));
	pipa_counts_sum_done(&sum);
}

TEST(the_first_interval_is_part_of_the_time)
{
	CHECK(isnan(pipa_counts_seconds(&counts)));
	add_both(1.001, 0, 1, 1);
	CHECK_NEAR(pipa_counts_seconds(&counts), 1.001, 1e-9);
	add_both(1.25, 0, 1, 1); /* the last one is as short as it happens to be */
	CHECK_NEAR(pipa_counts_seconds(&counts), 1.25, 1e-9);
}

TEST(times_that_lost_their_beginning_count_from_one_interval_before)
{
	add_both(50, 0, 1, 1);
	add_both(51, 0, 1, 1);
	add_both(52.5, 0, 1, 1);
	CHECK_NEAR(pipa_counts_seconds(&counts), 3.5, 1e-9);
}

TEST(times_that_start_again_are_added)
{
	add_both(1, 0, 1, 1);
	add_both(2, 0, 1, 1);
	add_both(1, 0, 1, 1);
	add_both(2.5, 0, 1, 1);
	CHECK_NEAR(pipa_counts_seconds(&counts), 4.5, 1e-9);
}

TEST(counts_without_times_have_no_length)
{
	add_both(NAN, -1, 1, 1);
	CHECK(isnan(pipa_counts_seconds(&counts)));
}
