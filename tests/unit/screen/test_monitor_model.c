#include "screen/monitor/monitor_model.h"

#include <math.h>

#include "lib/test.h"
#include "rows.h"

static struct pipa_monitor_model model;

TEST(the_last_tick_is_what_is_there)
{
	const struct pipa_grid *net;

	pipa_monitor_model_init(&model);
	CHECK(!pipa_monitor_model_grid(&model, "net"));
	feed_row(&model, "net", "lo", NULL);
	feed_row(&model, "net", "eth0", "net.rx", 5.0, NULL);
	feed_end(&model);
	net = pipa_monitor_model_grid(&model, "net");
	CHECK_EQ(net->n, 2);
	CHECK_STR(pipa_grid_name(net, 1), "eth0");
	CHECK_NEAR(pipa_grid_get(net, 1, "net.rx"), 5, 0);

	feed_row(&model, "net", "wlan0", NULL); /* the others went away */
	feed_end(&model);
	CHECK_EQ(net->n, 1);
	CHECK_STR(pipa_grid_name(net, 0), "wlan0");
	CHECK_EQ(pipa_grid_find(net, "eth0"), net->n);

	feed_end(&model);
	CHECK_EQ(net->n, 0);
	pipa_monitor_model_done(&model);
}

TEST(columns_are_found_by_id_or_by_sysstats_name)
{
	const struct pipa_grid *grid;

	pipa_monitor_model_init(&model);
	feed_process(&model, "1 init", 3, 4, 5, 6);
	feed_end(&model);
	grid = pipa_monitor_model_grid(&model, "processes");
	CHECK_EQ(pipa_grid_column(grid, "process.cpu", NULL), 1);
	CHECK_EQ(pipa_grid_column(grid, "another.id", "RSS"), 2);
	CHECK_EQ(pipa_grid_column(grid, "another.id", "other"), -1);
	CHECK_EQ(pipa_grid_column(grid, "another.id", NULL), -1);
	CHECK(isnan(pipa_grid_value(grid, 0, -1)));
	CHECK(isnan(pipa_grid_value(grid, 1, 1)));
	CHECK(isnan(pipa_grid_get(NULL, 0, "process.cpu")));
	pipa_monitor_model_done(&model);
}

TEST(history_looks_back_and_forgets_what_is_too_old)
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

TEST(history_holds_what_it_says)
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
	CHECK_NEAR(pipa_grid_get(pipa_monitor_model_grid(&model, "load"), 0, "load.1"), 1.25, 0);
	model.frozen = false;
	pipa_monitor_model_gap(&model);
	CHECK(isnan(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, 0)));
	CHECK_NEAR(pipa_monitor_model_history(&model, PIPA_HISTORY_CPU, 1), 55, 1e-9);
	pipa_monitor_model_done(&model);
}

/* Where the rows of a grid are kept, to see whether it moved. */
static const void *memory_of(const char *section)
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
	cpu = memory_of("cpu");
	processes = memory_of("processes");
	cap = pipa_monitor_model_grid(&model, "processes")->text.cap;
	for (i = 0; i < 100; i++) {
		feed_machine(&model, 256);
		feed_processes(&model);
		feed_end(&model);
	}
	CHECK(cpu == memory_of("cpu"));
	CHECK(processes == memory_of("processes"));
	CHECK_EQ(pipa_monitor_model_grid(&model, "processes")->text.cap, cap);
	pipa_monitor_model_done(&model);
}
