#include "analyze/count/aggregate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/metrics.h"
#include "base/auto.h"
#include "lib/test.h"

/*
 * A set of counters under test: events are added with their slots, counts are set, and the table
 * made over them is asked for its rows.
 */
enum { MAX_EVENTS = 8, MAX_SLOTS = 8 };

static struct pipa_events events;
static struct pipa_event_counts banks[MAX_EVENTS];
static struct pipa_slot slots[MAX_EVENTS][MAX_SLOTS];
static struct pipa_count counts[MAX_EVENTS][MAX_SLOTS];
static struct pipa_metric_uses no_metrics = { .asked = true };
static const struct pipa_times one_second = { 1, NAN, NAN };

/* Two packages of two cores of two threads; the siblings of CPU 0 and 1 are 2 and 3, and so on. */
static const struct pipa_stat_place cpus[] = {
	{ PIPA_AGGR_CPU, .cpu = 0, .core = 0, .die = 0, .socket = 0, .node = 0, .tid = -1 },
	{ PIPA_AGGR_CPU, .cpu = 1, .core = 1, .die = 0, .socket = 0, .node = 0, .tid = -1 },
	{ PIPA_AGGR_CPU, .cpu = 2, .core = 0, .die = 0, .socket = 0, .node = 0, .tid = -1 },
	{ PIPA_AGGR_CPU, .cpu = 3, .core = 1, .die = 0, .socket = 0, .node = 0, .tid = -1 },
	{ PIPA_AGGR_CPU, .cpu = 4, .core = 0, .die = 0, .socket = 1, .node = 1, .tid = -1 },
	{ PIPA_AGGR_CPU, .cpu = 5, .core = 1, .die = 1, .socket = 1, .node = 1, .tid = -1 },
	{ PIPA_AGGR_CPU, .cpu = 6, .core = 0, .die = 0, .socket = 1, .node = 1, .tid = -1 },
	{ PIPA_AGGR_CPU, .cpu = 7, .core = 1, .die = 1, .socket = 1, .node = 1, .tid = -1 },
};

static const struct pipa_stat_place tasks[] = {
	{ PIPA_AGGR_THREAD, -1, -1, -1, -1, -1, .tid = 100, .comm = "server" },
	{ PIPA_AGGR_THREAD, -1, -1, -1, -1, -1, .tid = 101, .comm = "worker" },
};

static const char *const cgroups[] = { "one.slice", "two.slice" };

static struct pipa_event *add_event(char *name)
{
	struct pipa_event from = { .name = name, .key = name, .scale = 1, .cgroup = -1 };
	size_t e = events.n;
	struct pipa_event *event = pipa_events_add_copy(&events, &from);

	CHECK(event && e < MAX_EVENTS);
	banks[e] = (struct pipa_event_counts){ slots[e], counts[e], 0, true };
	return event;
}

/* A counter of the last event on a CPU or thread, which ran all of its `ns`. */
static void add_slot(struct pipa_slot slot, uint64_t value, uint64_t ns)
{
	size_t e = events.n - 1, i = banks[e].n++;

	slots[e][i] = slot;
	counts[e][i] = (struct pipa_count){ value, ns, ns };
}

static void add_cpu(int cpu, uint64_t value)
{
	add_slot((struct pipa_slot){ .cpu = cpu, .tid = -1 }, value, 1000);
}

static void add_task(size_t task, uint64_t value)
{
	add_slot((struct pipa_slot){ .cpu = -1, .tid = tasks[task].tid, .task = task }, value,
		 1000);
}

static struct pipa_aggr_table *make_table(enum pipa_aggr by, const struct pipa_metric_uses *uses)
{
	struct pipa_aggr_input in = {
		.events = &events,
		.banks = banks,
		.by = by,
		.cpus = cpus,
		.n_cpus = PIPA_COUNT(cpus),
		.tasks = tasks,
		.cgroups = cgroups,
		.metrics = uses ? uses : &no_metrics,
	};
	struct pipa_aggr_table *table = NULL;

	CHECK_EQ(pipa_aggr_new(&in, &table, NULL), 0);
	return table;
}

/* The table after one update, with the rows as "name@place=value " each. */
static const char *report(enum pipa_aggr by)
{
	static char text[1000];
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = make_table(by, NULL);
	const struct pipa_stat *stat = pipa_aggr_stat(table);
	size_t i, len = 0;

	pipa_aggr_update(table, banks, false, &one_second);
	CHECK_EQ(stat->by, by);
	text[0] = '\0';
	for (i = 0; i < stat->n_rows; i++) {
		const struct pipa_stat_place *p = &stat->places[stat->rows[i].place];
		char place[64] = "";

		if (p->by == PIPA_AGGR_CPU)
			snprintf(place, sizeof(place), "@%d", p->cpu);
		if (p->by == PIPA_AGGR_CORE)
			snprintf(place, sizeof(place), "@S%d-D%d-C%d", p->socket, p->die, p->core);
		if (p->by == PIPA_AGGR_DIE)
			snprintf(place, sizeof(place), "@S%d-D%d", p->socket, p->die);
		if (p->by == PIPA_AGGR_SOCKET)
			snprintf(place, sizeof(place), "@S%d", p->socket);
		if (p->by == PIPA_AGGR_NODE)
			snprintf(place, sizeof(place), "@N%d", p->node);
		if (p->by == PIPA_AGGR_THREAD)
			snprintf(place, sizeof(place), "@%s-%d", p->comm, p->tid);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=%g ",
					stat->rows[i].name, place, stat->rows[i].value);
	}
	return text;
}

/* One event on all eight CPUs, counting 1, 10, 100... on CPU 0, 1, 2... */
static void count_on_all_cpus(char *name)
{
	uint64_t value = 1;
	int cpu;

	add_event(name);
	for (cpu = 0; cpu < 8; cpu++, value *= 10)
		add_cpu(cpu, value);
}

TEST(global_aggregation_sums_cpus_and_threads)
{
	count_on_all_cpus("cs");
	add_event("faults");
	add_task(0, 3);
	add_task(1, 4);
	CHECK_STR(report(PIPA_AGGR_GLOBAL), "cs=1.11111e+07 faults=7 ");
}

TEST(each_cpu_has_its_row_event_by_event)
{
	add_event("a");
	add_cpu(0, 1);
	add_cpu(5, 2);
	add_event("b");
	add_cpu(0, 3);
	add_cpu(5, 4);
	CHECK_STR(report(PIPA_AGGR_CPU), "a@0=1 a@5=2 b@0=3 b@5=4 ");
}

TEST(siblings_are_summed_by_core)
{
	count_on_all_cpus("cs");
	CHECK_STR(report(PIPA_AGGR_CORE), "cs@S0-D0-C0=101 cs@S0-D0-C1=1010 "
					  "cs@S1-D0-C0=1.01e+06 cs@S1-D1-C1=1.01e+07 ");
}

TEST(cpus_are_summed_by_die)
{
	count_on_all_cpus("cs");
	CHECK_STR(report(PIPA_AGGR_DIE), "cs@S0-D0=1111 cs@S1-D0=1.01e+06 cs@S1-D1=1.01e+07 ");
}

TEST(cpus_are_summed_by_package_and_events_stand_together)
{
	add_event("a");
	add_cpu(0, 1);
	add_cpu(1, 2);
	add_cpu(4, 4);
	add_event("b");
	add_cpu(0, 10);
	add_cpu(4, 20);
	CHECK_STR(report(PIPA_AGGR_SOCKET), "a@S0=3 b@S0=10 a@S1=4 b@S1=20 ");
}

TEST(cpus_are_summed_by_node)
{
	count_on_all_cpus("cs");
	CHECK_STR(report(PIPA_AGGR_NODE), "cs@N0=1111 cs@N1=1.111e+07 ");
}

TEST(each_thread_has_its_row)
{
	add_event("a");
	add_task(0, 1);
	add_task(1, 2);
	add_event("b");
	add_task(0, 3);
	add_task(1, 4);
	CHECK_STR(report(PIPA_AGGR_THREAD),
		  "a@server-100=1 a@worker-101=2 b@server-100=3 b@worker-101=4 ");
}

TEST(event_has_rows_only_where_it_counts)
{
	count_on_all_cpus("cs");
	add_event("energy"); /* one counter for the first package */
	add_cpu(0, 5);
	CHECK_STR(report(PIPA_AGGR_SOCKET), "cs@S0=1111 energy@S0=5 cs@S1=1.111e+07 ");
}

TEST(row_knows_how_many_are_summed_in_it)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;

	count_on_all_cpus("cs");
	table = make_table(PIPA_AGGR_SOCKET, NULL);
	CHECK_EQ(pipa_aggr_stat(table)->n_places, 2);
	CHECK_EQ(pipa_aggr_stat(table)->rows[0].members, 4);
	CHECK_EQ(pipa_aggr_stat(table)->rows[1].place, 1);
}

TEST(cpu_of_unknown_topology_is_summed_globally)
{
	add_event("cs");
	add_cpu(77, 5);
	CHECK_STR(report(PIPA_AGGR_SOCKET), "cs=5 ");
}

TEST(counts_are_shown_in_their_unit)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	struct pipa_event *event = add_event("task-clock");
	const struct pipa_stat_row *row;

	event->scale = 1e-6;
	strcpy(event->unit, "msec");
	event->user_only = true;
	event->cgroup = 1;
	add_cpu(0, 2500000);
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	pipa_aggr_update(table, banks, false, &one_second);
	row = &pipa_aggr_stat(table)->rows[0];
	CHECK_NEAR(row->value, 2.5, 1e-12);
	CHECK_STR(row->unit, "msec");
	CHECK_STR(row->cgroup, "two.slice");
	CHECK(row->user_only);
	CHECK(!row->is_sum);
	CHECK_EQ(row->spread.n, 0);
}

TEST(shared_counter_is_scaled_up_on_each_cpu)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat_row *row;

	add_event("cycles");
	add_cpu(0, 1000);
	add_cpu(1, 1000);
	counts[0][0] = (struct pipa_count){ 1000, 400, 100 }; /* a quarter of the time: 4000 */
	counts[0][1] = (struct pipa_count){ 1000, 400, 400 };
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	pipa_aggr_update(table, banks, false, &one_second);
	row = &pipa_aggr_stat(table)->rows[0];
	CHECK_NEAR(row->value, 5000, 1e-9);
	CHECK_EQ(row->enabled_ns, 800);
	CHECK_EQ(row->running_ns, 500);
	CHECK_EQ(row->state, PIPA_COUNTED);
}

TEST(event_this_machine_lacks_is_not_supported)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;

	add_event("cycles");
	add_cpu(0, 0);
	counts[0][0] = (struct pipa_count){ 0, 0, 0 };
	banks[0].supported = false;
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	pipa_aggr_update(table, banks, false, &one_second);
	CHECK_EQ(pipa_aggr_stat(table)->rows[0].state, PIPA_NOT_SUPPORTED);
}

TEST(event_that_never_ran_is_not_counted)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat_row *row;

	add_event("cycles");
	add_cpu(0, 0);
	add_cpu(1, 0);
	counts[0][0] = counts[0][1] = (struct pipa_count){ 0, 400, 0 };
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	row = &pipa_aggr_stat(table)->rows[0];
	pipa_aggr_update(table, banks, false, &one_second);
	CHECK_EQ(row->state, PIPA_NOT_COUNTED);
	CHECK_NEAR(row->value, 0, 0);
	counts[0][0] = (struct pipa_count){ 7, 400, 400 }; /* ran on one CPU: that is a count */
	pipa_aggr_update(table, banks, false, &one_second);
	CHECK_EQ(row->state, PIPA_COUNTED);
	CHECK_NEAR(row->value, 7, 0);
}

TEST(update_starts_from_nothing)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;

	add_event("cs");
	add_cpu(0, 5);
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	pipa_aggr_update(table, banks, false, &one_second);
	pipa_aggr_update(table, banks, false, &one_second);
	CHECK_NEAR(pipa_aggr_stat(table)->rows[0].value, 5, 0);
	CHECK_EQ(pipa_aggr_stat(table)->rows[0].enabled_ns, 1000);
}

TEST(interval_rows_are_deltas_since_the_last_update)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat_row *row;

	add_event("cycles");
	add_cpu(0, 0);
	add_cpu(1, 0);
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	row = &pipa_aggr_stat(table)->rows[0];

	counts[0][0] = (struct pipa_count){ 100, 1000, 1000 };
	counts[0][1] = (struct pipa_count){ 50, 1000, 1000 };
	pipa_aggr_update(table, banks, true, &one_second);
	CHECK_NEAR(row->value, 150, 0);

	/* CPU 0 ran half of this second: its 30 more are scaled to 60; CPU 1 did not run at all */
	counts[0][0] = (struct pipa_count){ 130, 2000, 1500 };
	counts[0][1] = (struct pipa_count){ 50, 2000, 1000 };
	pipa_aggr_update(table, banks, true, &one_second);
	CHECK_NEAR(row->value, 60, 1e-9);
	CHECK_EQ(row->enabled_ns, 2000);
	CHECK_EQ(row->running_ns, 500);

	pipa_aggr_update(table, banks, true, &one_second); /* nothing new: nothing ran */
	CHECK_EQ(row->state, PIPA_NOT_COUNTED);

	pipa_aggr_update(table, banks, false, &one_second); /* and the whole is still the whole */
	CHECK_NEAR(row->value, 130 * 2000 / 1500.0 + 50 * 2, 1e-9);
}

TEST(tool_events_are_the_times_themselves)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat *stat;

	add_event("duration_time")->tool = PIPA_TOOL_DURATION;
	add_event("user_time")->tool = PIPA_TOOL_USER;
	add_event("system_time")->tool = PIPA_TOOL_SYSTEM;
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	stat = pipa_aggr_stat(table);
	pipa_aggr_update(table, banks, false, &(struct pipa_times){ 1.5, 0.25, 0.125 });
	CHECK_EQ(stat->n_rows, 3);
	CHECK_NEAR(stat->rows[0].value, 1.5e9, 0);
	CHECK_NEAR(stat->rows[1].value, 0.25e9, 0);
	CHECK_NEAR(stat->rows[2].value, 0.125e9, 0);
	CHECK_EQ(stat->rows[2].running_ns, 1500000000);
	CHECK_NEAR(stat->elapsed_s, 1.5, 0);
	CHECK_NEAR(stat->user_s, 0.25, 0);
	CHECK_NEAR(stat->sys_s, 0.125, 0);
	pipa_aggr_update(table, banks, false, &(struct pipa_times){ 2, NAN, NAN });
	CHECK_EQ(stat->rows[0].state, PIPA_COUNTED);
	CHECK_EQ(stat->rows[1].state, PIPA_NOT_COUNTED); /* there was no command */
}

TEST(tool_event_has_one_row_beside_many_cpus)
{
	count_on_all_cpus("cs");
	add_event("duration_time")->tool = PIPA_TOOL_DURATION;
	CHECK_STR(report(PIPA_AGGR_SOCKET), "cs@S0=1111 duration_time@S0=1e+09 cs@S1=1.111e+07 ");
}

TEST(report_of_no_events_has_no_rows)
{
	CHECK_STR(report(PIPA_AGGR_GLOBAL), "");
	pipa_aggr_free(NULL);
}

/* Four memory controllers whose counts are one line. */
static void count_on_controllers(void)
{
	static char *names[] = { "uncore_imc_0/reads/", "uncore_imc_1/reads/" };
	int i;

	for (i = 0; i < 2; i++) {
		struct pipa_event *event = add_event(names[i]);

		event->sum = strdup("uncore_imc/reads/");
		event->family = 0;
		event->uncore = true;
		add_cpu(0, i ? 10 : 1);
		add_cpu(4, i ? 1000 : 100);
	}
}

TEST(instances_are_summed_into_one_line)
{
	count_on_controllers();
	CHECK_STR(report(PIPA_AGGR_GLOBAL), "uncore_imc/reads/=1111 ");
	CHECK_STR(report(PIPA_AGGR_SOCKET), "uncore_imc/reads/@S0=11 uncore_imc/reads/@S1=1100 ");
}

TEST(row_of_pmu_instances_is_not_marked_as_a_sum_of_shown_rows)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;

	count_on_controllers();
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	CHECK(!pipa_aggr_stat(table)->rows[0].is_sum);
	CHECK_EQ(pipa_aggr_stat(table)->rows[0].members, 4);
	CHECK_EQ(pipa_aggr_stat(table)->rows[0].event, 0);
}

/* cycles and instructions on the two kinds of cores of a hybrid machine, slots still to add. */
static struct pipa_event *add_part(char *name, char *key, const char *pmu, char *sum, size_t family)
{
	struct pipa_event *event = add_event(name);

	free(event->key);
	event->key = strdup(key);
	event->pmu = strdup(pmu);
	event->sum = strdup(sum);
	event->family = family;
	event->apart = true;
	return event;
}

TEST(hybrid_parts_are_shown_before_their_sum)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat *stat;

	add_part("cpu_core/cycles/", "cycles", "cpu_core", "cycles", 0);
	add_cpu(0, 100);
	add_cpu(1, 200);
	add_part("cpu_atom/cycles/", "cycles", "cpu_atom", "cycles", 0);
	add_cpu(4, 1000);
	add_event("cs");
	add_cpu(0, 5);
	CHECK_STR(report(PIPA_AGGR_GLOBAL), "cpu_core/cycles/=300 cpu_atom/cycles/=1000 "
					    "cycles=1300 cs=5 ");
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	stat = pipa_aggr_stat(table);
	CHECK(!stat->rows[0].is_sum && !stat->rows[1].is_sum);
	CHECK(stat->rows[2].is_sum);
	CHECK_EQ(stat->rows[2].members, 3);
	CHECK_EQ(stat->rows[2].event, 0);
}

TEST(two_families_side_by_side_have_a_sum_each)
{
	add_part("p/a/", "a", "p", "a", 0);
	add_cpu(0, 1);
	add_part("e/a/", "a", "e", "a", 0);
	add_cpu(4, 2);
	add_part("p/b/", "b", "p", "b", 2);
	add_cpu(0, 10);
	add_part("e/b/", "b", "e", "b", 2);
	add_cpu(4, 20);
	CHECK_STR(report(PIPA_AGGR_GLOBAL), "p/a/=1 e/a/=2 a=3 p/b/=10 e/b/=20 b=30 ");
	CHECK_STR(report(PIPA_AGGR_SOCKET), "p/a/@S0=1 a@S0=1 p/b/@S0=10 b@S0=10 "
					    "e/a/@S1=2 a@S1=2 e/b/@S1=20 b@S1=20 ");
}

TEST(thread_that_moves_between_kinds_of_cores_is_not_scaled_up_twice)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat *stat;

	/* 3 of 4 seconds on a big core, 1 on a little one; both counters enabled for all 4 */
	add_part("cpu_core/cycles/", "cycles", "cpu_core", "cycles", 0);
	add_task(0, 300);
	counts[0][0] = (struct pipa_count){ 300, 4000, 3000 };
	add_part("cpu_atom/cycles/", "cycles", "cpu_atom", "cycles", 0);
	add_task(0, 50);
	counts[1][0] = (struct pipa_count){ 50, 4000, 1000 };
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	stat = pipa_aggr_stat(table);
	pipa_aggr_update(table, banks, false, &one_second);
	CHECK_NEAR(stat->rows[0].value, 400, 1e-9); /* a single part is scaled as perf does */
	CHECK_NEAR(stat->rows[1].value, 200, 1e-9);
	CHECK_NEAR(stat->rows[2].value, 350, 1e-9); /* together they saw all there was */
	CHECK_EQ(stat->rows[2].enabled_ns, 4000);
	CHECK_EQ(stat->rows[2].running_ns, 4000);

	counts[0][0].running_ns = 1000; /* half of the time none of the two counted */
	pipa_aggr_update(table, banks, false, &one_second);
	CHECK_NEAR(stat->rows[2].value, 700, 1e-9);
}

TEST(sum_adds_only_the_supported_events)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat *stat;

	add_part("p/a/", "a", "p", "a", 0);
	add_cpu(0, 5);
	add_part("e/a/", "a", "e", "a", 0);
	add_cpu(4, 0);
	counts[1][0] = (struct pipa_count){ 0, 0, 0 };
	banks[1].supported = false;
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	stat = pipa_aggr_stat(table);
	pipa_aggr_update(table, banks, false, &one_second);
	CHECK_EQ(stat->rows[0].state, PIPA_COUNTED);
	CHECK_EQ(stat->rows[1].state, PIPA_NOT_SUPPORTED);
	CHECK_EQ(stat->rows[2].state, PIPA_COUNTED);
	CHECK_NEAR(stat->rows[2].value, 5, 0);
}

static void run_once(struct pipa_aggr_table *table, uint64_t value, uint64_t running,
		     double elapsed)
{
	counts[0][0] = (struct pipa_count){ value, 1000, running };
	pipa_aggr_update(table, banks, false,
			 &(struct pipa_times){ elapsed, elapsed / 2, elapsed / 4 });
	CHECK_EQ(pipa_aggr_keep_run(table, NULL), 0);
}

TEST(repeated_runs_become_their_mean_and_spread)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat *stat;

	add_event("cs");
	add_cpu(0, 0);
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	stat = pipa_aggr_stat(table);
	run_once(table, 10, 1000, 1);
	run_once(table, 40, 1000, 2);
	run_once(table, 10, 1000, 3);
	pipa_aggr_finish_runs(table);
	CHECK_EQ(stat->runs, 3);
	CHECK_NEAR(stat->rows[0].value, 20, 1e-12);
	CHECK_EQ(stat->rows[0].spread.n, 3);
	CHECK_NEAR(stat->rows[0].spread.sd, sqrt(300), 1e-9);
	CHECK_NEAR(stat->rows[0].spread.min, 10, 0);
	CHECK_NEAR(stat->rows[0].spread.max, 40, 0);
	CHECK_NEAR(stat->rows[0].spread.median, 10, 0);
	CHECK_NEAR(stat->elapsed_s, 2, 1e-12);
	CHECK_NEAR(stat->elapsed.sd, 1, 1e-12);
	CHECK_NEAR(stat->user_s, 1, 1e-12);
	CHECK_NEAR(stat->sys_s, 0.5, 1e-12);
	CHECK_EQ(stat->rows[0].enabled_ns, 1000); /* of a run, not of all */
}

TEST(runs_in_which_it_was_not_counted_do_not_pull_the_mean_down)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat_row *row;

	add_event("cycles");
	add_cpu(0, 0);
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	row = &pipa_aggr_stat(table)->rows[0];
	run_once(table, 10, 1000, 1);
	run_once(table, 20, 1000, 1);
	run_once(table, 0, 0, 1);
	CHECK_EQ(row->state, PIPA_NOT_COUNTED);
	pipa_aggr_finish_runs(table);
	CHECK_EQ(row->state, PIPA_COUNTED);
	CHECK_EQ(row->spread.n, 2);
	CHECK_NEAR(row->value, 15, 1e-12);
	CHECK_EQ(pipa_aggr_stat(table)->runs, 3);
}

TEST(event_that_no_run_counted_is_not_counted)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;

	add_event("cycles");
	add_cpu(0, 0);
	table = make_table(PIPA_AGGR_GLOBAL, NULL);
	run_once(table, 0, 0, 1);
	run_once(table, 0, 0, 1);
	pipa_aggr_finish_runs(table);
	CHECK_EQ(pipa_aggr_stat(table)->rows[0].state, PIPA_NOT_COUNTED);
	CHECK_EQ(pipa_aggr_stat(table)->rows[0].spread.n, 0);
}

TEST(metrics_are_computed_with_every_update_and_from_the_mean)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *table = NULL;
	const struct pipa_stat *stat;

	add_event("page-faults");
	add_cpu(0, 0);
	CHECK_EQ(pipa_metric_uses_ask(&uses, "x=[page-faults]/elapsed", NULL, NULL, NULL), 0);
	table = make_table(PIPA_AGGR_GLOBAL, &uses);
	stat = pipa_aggr_stat(table);
	CHECK(stat->asked);
	CHECK_EQ(stat->rows[0].n_derived, 1);
	run_once(table, 10, 1000, 1);
	CHECK_NEAR(stat->rows[0].derived[0].value, 10, 1e-12);
	run_once(table, 50, 1000, 2);
	CHECK_NEAR(stat->rows[0].derived[0].value, 25, 1e-12);
	pipa_aggr_finish_runs(table);
	CHECK_NEAR(stat->rows[0].derived[0].value, 30 / 1.5, 1e-12);
}
