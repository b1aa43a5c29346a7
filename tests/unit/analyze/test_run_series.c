#include "analyze/run_series.h"

#include <math.h>

#include "lib/test.h"

static const struct pipa_column long_columns[] = {
	{ .id = "cpu.usr", .name = "%usr" },
	{ .id = "cpu.irq", .name = "%irq" },
	{ .id = "cpu.idle", .name = "%idle" },
};
static const struct pipa_column short_columns[] = {
	{ .id = "cpu.user", .name = "%user" },
	{ .id = "cpu.system", .name = "%system" },
	{ .id = "cpu.idle", .name = "%idle" },
};
static const struct pipa_section in_all = { "cpu", "CPU", "CPU", long_columns, 3 };
static const struct pipa_section in_six = { "cpu-short", "CPU", "CPU", short_columns, 3 };

static struct pipa_run run;
static struct pipa_run_series series;

static void begin(void)
{
	pipa_run_init(&run);
	pipa_run_series_init(&series, &run, NULL);
}

static void put(const struct pipa_section *section, const char *instance, double a, double b,
		double idle)
{
	const struct pipa_tick tick = { .interval_s = 1 };
	const double values[] = { a, b, idle };

	CHECK_EQ(series.sink.row(&series.sink, section, &tick, instance, values), 0);
}

TEST(six_columns_of_cpu_time_stand_for_ten_where_those_are_missing)
{
	begin();
	put(&in_six, "all", 10, 20, 70);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_EQ(run.values[PIPA_RUN_USR], 10);
	CHECK_EQ(run.values[PIPA_RUN_SYS], 20);
	CHECK_EQ(run.values[PIPA_RUN_UTIL], 30);
	CHECK(isnan(run.values[PIPA_RUN_IRQ]));
	pipa_run_done(&run);
}

TEST(ten_columns_of_cpu_time_beat_six_whichever_comes_first)
{
	begin();
	put(&in_all, "all", 1, 2, 97);
	put(&in_six, "all", 10, 20, 70);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_EQ(run.values[PIPA_RUN_USR], 1);
	CHECK_EQ(run.values[PIPA_RUN_IRQ], 2);
	CHECK_EQ(run.values[PIPA_RUN_IDLE], 97);
	pipa_run_done(&run);

	begin();
	put(&in_six, "all", 10, 20, 70);
	put(&in_all, "all", 1, 2, 97);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_EQ(run.values[PIPA_RUN_USR], 1);
	CHECK_EQ(run.values[PIPA_RUN_IDLE], 97);
	pipa_run_done(&run);
}

TEST(chosen_cpus_are_averaged_and_those_of_six_columns_forgotten)
{
	begin();
	CHECK_EQ(pipa_cpus_add(&run.cores, 1), 0);
	CHECK_EQ(pipa_cpus_add(&run.cores, 2), 0);
	put(&in_six, "1", 50, 0, 50);
	put(&in_all, "all", 9, 9, 9);
	put(&in_all, "0", 9, 9, 9);
	put(&in_all, "1", 1, 2, 96);
	put(&in_all, "2", 3, 4, 94);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_EQ(run.values[PIPA_RUN_USR], 2);
	CHECK_EQ(run.values[PIPA_RUN_IRQ], 3);
	CHECK_EQ(run.values[PIPA_RUN_IDLE], 95);
	pipa_run_done(&run);
}
