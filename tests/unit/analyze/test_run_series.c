#include "analyze/run/run_series.h"

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
	CHECK_NEAR(run.values[PIPA_RUN_USR], 10, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_SYS], 20, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_UTIL], 30, 1e-9);
	CHECK(isnan(run.values[PIPA_RUN_IRQ]));
	pipa_run_done(&run);
}

TEST(ten_columns_of_cpu_time_beat_six_whichever_comes_first)
{
	begin();
	put(&in_all, "all", 1, 2, 97);
	put(&in_six, "all", 10, 20, 70);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_NEAR(run.values[PIPA_RUN_USR], 1, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_IRQ], 2, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_IDLE], 97, 1e-9);
	pipa_run_done(&run);

	begin();
	put(&in_six, "all", 10, 20, 70);
	put(&in_all, "all", 1, 2, 97);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_NEAR(run.values[PIPA_RUN_USR], 1, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_IDLE], 97, 1e-9);
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
	CHECK_NEAR(run.values[PIPA_RUN_USR], 2, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_IRQ], 3, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_IDLE], 95, 1e-9);
	pipa_run_done(&run);
}

static const struct pipa_column net_columns[] = {
	{ .id = "net.rx", .name = "rxkB/s" },
	{ .id = "net.tx", .name = "txkB/s" },
	{ .id = "net.other", .name = "other" },
};
static const struct pipa_section net = { "net", "IFACE", "network", net_columns, 3 };

TEST(the_busiest_interface_is_taken_and_named)
{
	begin();
	put(&net, "lo", 900, 900, 0);
	put(&net, "idle0", 0, 0, 0);
	put(&net, "eth0", 1, 2, 0);
	put(&net, "eth1", 5, 0, 0);
	put(&net, "eth2", 2, 2, 0);
	put(&net, "idle1", 0, 0, 0);
	CHECK_STR(run.iface, "eth1");
	CHECK_NEAR(run.values[PIPA_RUN_RX], 5, 1e-9);
	pipa_run_done(&run);
}

TEST(what_the_machine_says_to_itself_is_taken_where_others_are_silent)
{
	begin();
	put(&net, "idle0", 0, 0, 0);
	put(&net, "lo", 7, 7, 0);
	put(&net, "idle1", 0, 0, 0);
	CHECK_STR(run.iface, "lo");
	CHECK_NEAR(run.values[PIPA_RUN_TX], 7, 1e-9);
	pipa_run_done(&run);
}

TEST(a_silent_interface_is_not_named)
{
	begin();
	put(&net, "lo", 0, 0, 0);
	put(&net, "eth0", 0, 0, 0);
	CHECK(!run.iface);
	CHECK_NEAR(run.values[PIPA_RUN_RX], 0, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_TX], 0, 1e-9);
	pipa_run_done(&run);
}
