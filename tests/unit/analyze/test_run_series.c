#include "analyze/run/run_series.h"

#include <math.h>

#include "base/auto.h"
#include "lib/test.h"
#include "model/sections.h"

static struct pipa_run run;
static struct pipa_run_series series;

static void begin(void)
{
	pipa_run_init(&run);
	pipa_run_series_init(&series, &run, NULL);
}

static void put_row(enum pipa_section_id id, const char *instance, const int columns[3],
		    const double given[3])
{
	const struct pipa_tick tick = { .interval_s = 1 };
	double values[PIPA_COL_CPU_NR + PIPA_COL_NET_NR];
	size_t i;

	for (i = 0; i < PIPA_COUNT(values); i++)
		values[i] = NAN;
	for (i = 0; i < 3; i++)
		values[columns[i]] = given[i];
	CHECK_EQ(series.sink.row(&series.sink, &pipa_sections[id], &tick, instance, values), 0);
}

/* Put %usr, %irq and %idle, or %user, %system and %idle, or bytes of an interface; others are missing. */
static void put(enum pipa_section_id id, const char *instance, double a, double b, double c)
{
	static const int cpu[] = { PIPA_COL_CPU_USR, PIPA_COL_CPU_IRQ, PIPA_COL_CPU_IDLE };
	static const int cpu_short[] = { PIPA_COL_CPU_SHORT_USER, PIPA_COL_CPU_SHORT_SYSTEM,
					 PIPA_COL_CPU_SHORT_IDLE };
	static const int net[] = { PIPA_COL_NET_RX, PIPA_COL_NET_TX, PIPA_COL_NET_RX_PACKETS };

	put_row(id, instance,
		id == PIPA_SECTION_CPU ? cpu :
		id == PIPA_SECTION_NET ? net :
					 cpu_short,
		(const double[]){ a, b, c });
}

TEST(six_columns_of_cpu_time_stand_for_ten_where_those_are_missing)
{
	begin();
	put(PIPA_SECTION_CPU_SHORT, "all", 10, 20, 70);
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
	put(PIPA_SECTION_CPU, "all", 1, 2, 97);
	put(PIPA_SECTION_CPU_SHORT, "all", 10, 20, 70);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_NEAR(run.values[PIPA_RUN_USR], 1, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_IRQ], 2, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_IDLE], 97, 1e-9);
	pipa_run_done(&run);

	begin();
	put(PIPA_SECTION_CPU_SHORT, "all", 10, 20, 70);
	put(PIPA_SECTION_CPU, "all", 1, 2, 97);
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
	put(PIPA_SECTION_CPU_SHORT, "1", 50, 0, 50);
	put(PIPA_SECTION_CPU, "all", 9, 9, 9);
	put(PIPA_SECTION_CPU, "0", 9, 9, 9);
	put(PIPA_SECTION_CPU, "1", 1, 2, 96);
	put(PIPA_SECTION_CPU, "2", 3, 4, 94);
	CHECK_EQ(pipa_run_series_finish(&series), 0);
	CHECK_NEAR(run.values[PIPA_RUN_USR], 2, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_IRQ], 3, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_IDLE], 95, 1e-9);
	pipa_run_done(&run);
}

TEST(the_busiest_interface_is_taken_and_named)
{
	begin();
	put(PIPA_SECTION_NET, "lo", 900, 900, 0);
	put(PIPA_SECTION_NET, "idle0", 0, 0, 0);
	put(PIPA_SECTION_NET, "eth0", 1, 2, 0);
	put(PIPA_SECTION_NET, "eth1", 5, 0, 0);
	put(PIPA_SECTION_NET, "eth2", 2, 2, 0);
	put(PIPA_SECTION_NET, "idle1", 0, 0, 0);
	CHECK_STR(run.iface, "eth1");
	CHECK_NEAR(run.values[PIPA_RUN_RX], 5, 1e-9);
	pipa_run_done(&run);
}

TEST(loopback_is_chosen_if_the_other_interfaces_are_idle)
{
	begin();
	put(PIPA_SECTION_NET, "idle0", 0, 0, 0);
	put(PIPA_SECTION_NET, "lo", 7, 7, 0);
	put(PIPA_SECTION_NET, "idle1", 0, 0, 0);
	CHECK_STR(run.iface, "lo");
	CHECK_NEAR(run.values[PIPA_RUN_TX], 7, 1e-9);
	pipa_run_done(&run);
}

TEST(a_silent_interface_is_not_named)
{
	begin();
	put(PIPA_SECTION_NET, "lo", 0, 0, 0);
	put(PIPA_SECTION_NET, "eth0", 0, 0, 0);
	CHECK(!run.iface);
	CHECK_NEAR(run.values[PIPA_RUN_RX], 0, 1e-9);
	CHECK_NEAR(run.values[PIPA_RUN_TX], 0, 1e-9);
	pipa_run_done(&run);
}
