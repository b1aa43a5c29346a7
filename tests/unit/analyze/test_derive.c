#include "analyze/count/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/metrics.h"
#include "base/auto.h"
#include "lib/test.h"

/* A report written down by hand: one row per event and place, all counted. */
static struct pipa_events events;
static struct pipa_stat_place places[4];
static struct pipa_stat_row rows[16];
static struct pipa_stat stat = { .places = places, .n_places = 1, .rows = rows };

static struct pipa_stat_row *add_row(char *key, double value)
{
	struct pipa_event from = { .name = key, .key = key, .scale = 1, .cgroup = -1 };
	struct pipa_stat_row *row = &rows[stat.n_rows++];

	CHECK(pipa_events_add_copy(&events, &from));
	*row = (struct pipa_stat_row){ .name = key,
				       .unit = "",
				       .event = events.n - 1,
				       .state = PIPA_COUNTED,
				       .value = value };
	return row;
}

static struct pipa_stat_row *add_row_of(char *key, const char *pmu, double value)
{
	struct pipa_stat_row *row = add_row(key, value);

	events.items[row->event].pmu = strdup(pmu);
	return row;
}

static struct pipa_stat_row *add_clock(double ms)
{
	struct pipa_stat_row *row = add_row("task-clock", ms);

	strcpy(events.items[row->event].unit, "msec");
	return row;
}

static bool knows_all(void *ctx, const char *event)
{
	(void)ctx;
	(void)event;
	return true;
}

/* Bind the metrics of -M or the default ones, and compute them for one second. */
static void derive(const char *asked, double elapsed_s)
{
	static struct pipa_metric_uses uses;
	static struct pipa_derive *derived;

	if (asked)
		CHECK_EQ(pipa_metric_uses_ask(&uses, asked, knows_all, NULL, NULL), 0);
	else
		CHECK_EQ(pipa_metric_uses_default(&uses, &events, NULL), 0);
	CHECK_EQ(pipa_derive_new(&events, &uses, &stat, &derived), 0);
	pipa_derive_run(derived, elapsed_s);
}

static const struct pipa_derived *find(const struct pipa_stat_row *row, const char *name)
{
	size_t i;

	for (i = 0; i < row->n_derived; i++)
		if (strcmp(row->derived[i].name, name) == 0)
			return &row->derived[i];
	return NULL;
}

static double value(const struct pipa_stat_row *row, const char *name)
{
	const struct pipa_derived *derived = find(row, name);

	if (!derived)
		pipa_test_fail(__FILE__, __LINE__, "%s has no %s", row->name, name);
	return derived->value;
}

TEST(defaults_stand_beside_their_events)
{
	struct pipa_stat_row *clock = add_clock(500), *cycles = add_row("cycles", 1.5e9);
	struct pipa_stat_row *insn = add_row("instructions", 3e9);

	derive(NULL, 2);
	CHECK_NEAR(value(clock, "cpus_utilized"), 0.25, 1e-12);
	CHECK_NEAR(value(cycles, "ghz"), 3, 1e-12);
	CHECK_NEAR(value(insn, "ipc"), 2, 1e-12);
	CHECK_NEAR(value(insn, "cpi"), 0.5, 1e-12);
	CHECK(!find(insn, "ipc")->extra);
	CHECK(find(insn, "cpi")->extra);
	CHECK_STR(find(insn, "ipc")->unit, "insn per cycle");
	CHECK_EQ(find(insn, "ipc")->digits, 2);
}

TEST(plain_event_has_a_rate_per_second_of_cpu_time)
{
	struct pipa_stat_row *faults = add_row("page-faults", 30), *clock = add_clock(500);

	derive(NULL, 10);
	CHECK_NEAR(value(faults, "rate"), 60, 1e-12);
	CHECK_EQ(faults->derived[0].style, PIPA_STYLE_RATE);
	CHECK_STR(faults->derived[0].unit, "/sec");
	CHECK(!find(clock, "rate")); /* it has a unit, so it is not a number of occurrences */
}

TEST(cpu_clock_serves_where_task_clock_is_not_counted)
{
	struct pipa_stat_row *faults = add_row("page-faults", 30);

	add_row("cpu-clock", 500);
	derive(NULL, 10);
	CHECK_NEAR(value(faults, "rate"), 60, 1e-12);
}

TEST(rates_require_a_clock_event)
{
	struct pipa_stat_row *faults = add_row("page-faults", 30), *cycles = add_row("cycles", 9);

	derive(NULL, 10);
	CHECK_EQ(faults->n_derived, 0);
	CHECK_EQ(cycles->n_derived, 0);
}

TEST(tool_event_has_no_rate)
{
	struct pipa_stat_row *duration = add_row("duration_time", 1e9);

	events.items[duration->event].tool = PIPA_TOOL_DURATION;
	add_clock(500);
	derive(NULL, 1);
	CHECK_EQ(duration->n_derived, 0);
}

TEST(requested_metric_is_the_only_one_shown)
{
	struct pipa_stat_row *insn = add_row("instructions", 10), *cycles = add_row("cycles", 20);
	struct pipa_stat_row *faults = add_row("page-faults", 30);

	add_clock(500);
	derive("cpi", 1);
	CHECK_EQ(insn->n_derived, 1);
	CHECK_NEAR(value(insn, "cpi"), 2, 1e-12);
	CHECK(!find(insn, "cpi")->extra); /* a requested metric is shown everywhere */
	CHECK_EQ(cycles->n_derived, 0);
	CHECK_EQ(faults->n_derived, 0);
}

TEST(metric_without_all_its_events_is_not_shown)
{
	struct pipa_stat_row *insn = add_row("instructions", 10);

	derive("ipc,x=[instructions]/unheard_of", 1);
	CHECK_EQ(insn->n_derived, 0);
}

TEST(metric_of_an_uncounted_event_is_not_a_number)
{
	struct pipa_stat_row *insn = add_row("instructions", 10), *faults = add_row("faults", 5);
	struct pipa_stat_row *cycles = add_row("cycles", 20), *clock = add_clock(500);

	cycles->state = PIPA_NOT_SUPPORTED;
	clock->state = PIPA_NOT_COUNTED;
	derive(NULL, 1);
	CHECK(isnan(value(insn, "ipc")));
	CHECK(isnan(value(faults, "rate")));
	CHECK(isnan(value(clock, "cpus_utilized")));
}

TEST(rate_of_an_uncounted_event_is_not_a_number)
{
	struct pipa_stat_row *faults = add_row("faults", 0), *clock = add_clock(500);

	faults->state = PIPA_NOT_COUNTED;
	derive(NULL, 1);
	CHECK(isnan(value(faults, "rate")));
	CHECK_NEAR(value(clock, "cpus_utilized"), 0.5, 1e-12);
}

TEST(rate_over_zero_time_is_not_a_number)
{
	struct pipa_stat_row *faults = add_row("faults", 5);

	add_clock(0);
	derive(NULL, 1);
	CHECK(isnan(value(faults, "rate")));
}

TEST(metrics_use_only_events_of_their_place)
{
	struct pipa_stat_row *insn0 = add_row("instructions", 10), *insn1;
	struct pipa_stat_row *insn2;

	add_row("cycles", 20);
	insn1 = add_row("instructions", 90);
	insn1->place = 1;
	add_row("cycles", 30)->place = 1;
	insn2 = add_row("instructions", 1); /* cycles were not counted there */
	insn2->place = 2;
	stat.n_places = 3;
	derive("ipc", 1);
	CHECK_NEAR(value(insn0, "ipc"), 0.5, 1e-12);
	CHECK_NEAR(value(insn1, "ipc"), 3, 1e-12);
	CHECK_EQ(insn2->n_derived, 0);
}

TEST(metrics_keep_to_their_group)
{
	struct pipa_stat_row *one = add_row("instructions", 10), *two;

	add_row("cycles", 20);
	two = add_row("instructions", 90);
	events.items[2].cgroup = 0;
	add_row("cycles", 30);
	events.items[3].cgroup = 0;
	derive("ipc", 1);
	CHECK_NEAR(value(one, "ipc"), 0.5, 1e-12);
	CHECK_NEAR(value(two, "ipc"), 3, 1e-12);
}

TEST(metrics_keep_to_their_pmu_and_sums_to_sums)
{
	struct pipa_stat_row *core, *atom, *all, *clock;

	add_row_of("cycles", "cpu_core", 100);
	add_row_of("cycles", "cpu_atom", 1000);
	add_row_of("cycles", "cpu_core", 1100)->is_sum = true;
	core = add_row_of("instructions", "cpu_core", 300);
	atom = add_row_of("instructions", "cpu_atom", 500);
	all = add_row_of("instructions", "cpu_core", 800);
	all->is_sum = true;
	clock = add_clock(1000);
	derive(NULL, 1);
	CHECK_NEAR(value(core, "ipc"), 3, 1e-12);
	CHECK_NEAR(value(atom, "ipc"), 0.5, 1e-12);
	CHECK_NEAR(value(all, "ipc"), 800 / 1100.0, 1e-12);
	CHECK_NEAR(value(clock, "cpus_utilized"), 1, 1e-12);
}

TEST(event_of_no_pmu_takes_the_sum_of_a_hybrid_one)
{
	struct pipa_stat_row *faults = add_row("page-faults", 11);

	add_row_of("cycles", "cpu_core", 100);
	add_row_of("cycles", "cpu_atom", 1000);
	add_row_of("cycles", "cpu_core", 1100)->is_sum = true;
	derive("x=[cycles]/[page-faults]", 1);
	CHECK_NEAR(value(faults, "x"), 100, 1e-12);
}

TEST(computing_again_uses_the_numbers_of_now)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };
	PIPA_AUTO(pipa_derive_free) struct pipa_derive *derived = NULL;
	struct pipa_stat_row *insn = add_row("instructions", 10), *cycles = add_row("cycles", 20);

	CHECK_EQ(pipa_metric_uses_ask(&uses, "ipc", knows_all, NULL, NULL), 0);
	CHECK_EQ(pipa_derive_new(&events, &uses, &stat, &derived), 0);
	CHECK(isnan(value(insn, "ipc")));
	pipa_derive_run(derived, 1);
	CHECK_NEAR(value(insn, "ipc"), 0.5, 1e-12);
	cycles->value = 5;
	pipa_derive_run(derived, 1);
	CHECK_NEAR(value(insn, "ipc"), 2, 1e-12);
	pipa_derive_free(NULL);
}
