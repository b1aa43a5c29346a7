#include "screen/monitor/monitor_model.h"

#include <errno.h>
#include <math.h>

#include "lib/test.h"
#include "rows.h"

static struct pipa_monitor_model model;

TEST(the_grid_has_only_the_rows_of_the_last_interval)
{
	const struct pipa_grid *net;

	pipa_monitor_model_init(&model);
	CHECK(!pipa_monitor_model_grid(&model, PIPA_SECTION_NET));
	feed_row(&model, "net", "lo", NULL);
	feed_row(&model, "net", "eth0", "net.rx", 5.0, NULL);
	feed_end(&model);
	net = pipa_monitor_model_grid(&model, PIPA_SECTION_NET);
	CHECK_EQ(net->n, 2);
	CHECK_STR(pipa_grid_name(net, 1), "eth0");
	CHECK_NEAR(pipa_grid_value(net, 1, PIPA_COL_NET_RX), 5, 0);

	feed_row(&model, "net", "wlan0", NULL); /* the others went away */
	feed_end(&model);
	CHECK_EQ(net->n, 1);
	CHECK_STR(pipa_grid_name(net, 0), "wlan0");
	CHECK_EQ(pipa_grid_find(net, "eth0"), net->n);

	feed_end(&model);
	CHECK_EQ(net->n, 0);
	pipa_monitor_model_done(&model);
}

TEST(values_and_words_are_found_by_column)
{
	const struct pipa_grid *grid;

	pipa_monitor_model_init(&model);
	feed_process(&model, "1 init", 3, 4, 5, 6);
	feed_end(&model);
	grid = pipa_monitor_model_grid(&model, PIPA_SECTION_PROCESSES);
	CHECK_NEAR(pipa_grid_value(grid, 0, PIPA_COL_PROCESSES_TOTAL), 3, 0);
	CHECK_NEAR(pipa_grid_value(grid, 0, PIPA_COL_PROCESSES_RSS), 4, 0);
	CHECK_STR(pipa_grid_word(grid, 0, PIPA_COL_PROCESSES_STATE), "S");
	CHECK_STR(pipa_grid_word(grid, 0, PIPA_COL_PROCESSES_COMMAND), "init");
	CHECK(!pipa_grid_word(grid, 0, PIPA_COL_PROCESSES_RSS));
	CHECK(isnan(pipa_grid_value(grid, 0, -1)));
	CHECK(isnan(pipa_grid_value(grid, 0, PIPA_COL_PROCESSES_NR)));
	CHECK(isnan(pipa_grid_value(grid, 1, PIPA_COL_PROCESSES_TOTAL)));
	CHECK(isnan(pipa_grid_value(NULL, 0, PIPA_COL_PROCESSES_TOTAL)));
	grid = pipa_monitor_model_grid(&model, PIPA_SECTION_PROCESS_IO);
	CHECK_NEAR(pipa_grid_value(grid, 0, PIPA_COL_PROCESS_IO_RD), 5, 0);
	pipa_monitor_model_done(&model);
}

TEST(a_section_that_is_not_in_the_dictionary_is_refused)
{
	static const struct pipa_section odd = { .name = "cpu" };
	const struct pipa_tick tick = { .interval_s = 1 };

	pipa_monitor_model_init(&model);
	CHECK_EQ(model.sink.row(&model.sink, &odd, &tick, "", NULL), -EINVAL);
	pipa_monitor_model_done(&model);
}

TEST(history_keeps_a_limited_number_of_intervals)
{
	int i;

	pipa_monitor_model_init(&model);
	CHECK(isnan(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, 0)));
	for (i = 0; i < PIPA_HISTORY_MAX + 10; i++) {
		feed_row(&model, "cpu", "all", "cpu.usr", (double)i, NULL);
		feed_end(&model);
	}
	CHECK_NEAR(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, 0), PIPA_HISTORY_MAX + 9,
		   0);
	CHECK_NEAR(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, PIPA_HISTORY_MAX - 1), 10,
		   0);
	CHECK(isnan(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, PIPA_HISTORY_MAX)));
	pipa_monitor_model_done(&model);
}

TEST(history_has_the_values_of_its_series)
{
	pipa_monitor_model_init(&model);
	feed_machine(&model, 2);
	feed_end(&model);
	CHECK_NEAR(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, 0), 55, 1e-9);
	CHECK_NEAR(pipa_monitor_model_history(&model, PIPA_HISTORY_MEMORY, 0), 25, 1e-9);
	CHECK_NEAR(pipa_monitor_model_history(&model, PIPA_HISTORY_DISK, 0), 3072, 1e-9);
	CHECK_NEAR(pipa_monitor_model_history(&model, PIPA_HISTORY_NET, 0), 2048, 1e-9);
	feed_row(&model, "net", "lo", "net.rx", 1e6, NULL); /* talks to itself */
	feed_end(&model);
	CHECK(isnan(pipa_monitor_model_history(&model, PIPA_HISTORY_NET, 0)));
	CHECK(isnan(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, 0)));
	pipa_monitor_model_done(&model);
}

TEST(a_frozen_model_stays_as_it_is)
{
	pipa_monitor_model_init(&model);
	feed_machine(&model, 2);
	feed_end(&model);
	model.frozen = true;
	feed_row(&model, "load", NULL, "load.1", 77.0, NULL);
	feed_end(&model);
	CHECK_EQ(model.ticks, 1);
	CHECK_NEAR(pipa_grid_value(pipa_monitor_model_grid(&model, PIPA_SECTION_LOAD), 0,
				   PIPA_COL_LOAD_1),
		   1.25, 0);
	model.frozen = false;
	pipa_monitor_model_gap(&model);
	CHECK(isnan(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, 0)));
	CHECK_NEAR(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, 1), 55, 1e-9);
	pipa_monitor_model_done(&model);
}

/* Where the rows of a grid are kept, to see whether it moved. */
static const void *memory_of(enum pipa_section_id section)
{
	return pipa_monitor_model_grid(&model, section)->values;
}

TEST(ticks_like_the_first_need_no_memory)
{
	const void *cpu, *processes;
	size_t cap;
	int i;

	pipa_monitor_model_init(&model);
	feed_machine(&model, 256);
	feed_processes(&model);
	feed_end(&model);
	cpu = memory_of(PIPA_SECTION_CPU);
	processes = memory_of(PIPA_SECTION_PROCESSES);
	cap = pipa_monitor_model_grid(&model, PIPA_SECTION_PROCESSES)->text.cap;
	for (i = 0; i < 100; i++) {
		feed_machine(&model, 256);
		feed_processes(&model);
		feed_end(&model);
	}
	CHECK(cpu == memory_of(PIPA_SECTION_CPU));
	CHECK(processes == memory_of(PIPA_SECTION_PROCESSES));
	CHECK_EQ(pipa_monitor_model_grid(&model, PIPA_SECTION_PROCESSES)->text.cap, cap);
	pipa_monitor_model_done(&model);
}
