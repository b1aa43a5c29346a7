/* Comparison of two measurements: spreads of series, verdicts, findings, facts. */
#include "analyze/report/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/count/noise.h"
#include "analyze/report/signal.h"
#include "analyze/series/steady_spread.h"
#include "base/auto.h"
#include "lib/test.h"
#include "model/context.h"
#include "model/counter_section.h"
#include "model/facts.h"
#include "model/rules.h"
#include "model/run.h"
#include "model/sections.h"

#define S UINT64_C(1000000000)

static uint64_t seed = 88172645463325252U;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* Return a nearly normal number of variance 1. */
static double noise(void)
{
	double sum = 0;
	int i;

	for (i = 0; i < 12; i++)
		sum += uniform();
	return sum - 6;
}

/* ---- spread of series ---------------------------------------------------------------------------- */

/* Fill with an autoregressive process of variance 1. */
static void fill(double *values, size_t n, double rho)
{
	double x = noise();
	size_t i;

	for (i = 0; i < n; i++) {
		x = rho * x + sqrt(1 - rho * rho) * noise();
		values[i] = x;
	}
}

/* Return the share of pairs of equal processes whose means differ at 5 %. */
static double false_alarms(size_t n, double rho)
{
	double values[2][2000];
	struct pipa_spread spreads[2];
	int round, side, alarms = 0, rounds = 400;

	CHECK(n <= PIPA_COUNT(values[0]));
	for (round = 0; round < rounds; round++) {
		for (side = 0; side < 2; side++) {
			fill(values[side], n, rho);
			pipa_steady_spread(values[side], n, &spreads[side]);
		}
		if (spreads[0].n >= PIPA_STEADY_MIN && spreads[1].n >= PIPA_STEADY_MIN)
			alarms += pipa_spread_p(&spreads[0], &spreads[1]) < 0.05;
	}
	return (double)alarms / rounds;
}

TEST(autocorrelated_values_raise_few_false_alarms)
{
	CHECK(false_alarms(60, 0) < 0.07);
	CHECK(false_alarms(300, 0.5) < 0.09);
	CHECK(false_alarms(300, 0.8) < 0.1);
	CHECK(false_alarms(300, 0.9) < 0.12);
	CHECK(false_alarms(2000, 0.9) < 0.1); /* reduced to blocks */
}

TEST(correlation_time_is_that_of_the_process)
{
	double values[2000], alternating[100], constant[50] = { 0 };
	size_t i;

	fill(values, PIPA_COUNT(values), 0); /* (1 + rho) / (1 - rho) */
	CHECK(pipa_correlation_time(values, PIPA_COUNT(values)) < 1.5);
	fill(values, PIPA_COUNT(values), 0.8);
	CHECK_NEAR(pipa_correlation_time(values, PIPA_COUNT(values)), 9, 4);
	for (i = 0; i < PIPA_COUNT(alternating); i++)
		alternating[i] = i % 2 ? 1 : -1;
	CHECK_NEAR(pipa_correlation_time(alternating, PIPA_COUNT(alternating)), 1, 0.5);
	CHECK(pipa_correlation_time(constant, PIPA_COUNT(constant)) == 1);
	CHECK(pipa_correlation_time(constant, 0) == 1);
}

TEST(a_slope_has_too_few_independent_values)
{
	double values[600];
	struct pipa_spread spread;
	size_t i;

	for (i = 0; i < PIPA_COUNT(values); i++)
		values[i] = (double)i;
	pipa_steady_spread(values, PIPA_COUNT(values), &spread);
	CHECK(spread.n < PIPA_STEADY_MIN);
	CHECK_NEAR(spread.mean, 299.5, 1e-9);
	pipa_steady_spread(values, 0, &spread);
	CHECK(spread.n == 0 && isnan(spread.mean));
}

/* ---- two measurements ---------------------------------------------------------------------------- */

struct side {
	struct pipa_series_set set;
	struct pipa_series_feed feed;
	struct pipa_phases phases;
	struct pipa_run run;
	struct pipa_context context;
	struct pipa_findings findings;
	struct pipa_facts facts;
};

static struct side sides[PIPA_SIDES];
static struct pipa_rules rules;
static struct pipa_comparison comparison;

static void begin(struct side *side)
{
	ptrdiff_t source = pipa_series_set_add_source(&side->set, "test", PIPA_CLOCK_UTC);

	CHECK(source >= 0);
	pipa_series_feed_init(&side->feed, &side->set, (size_t)source);
	pipa_run_init(&side->run);
	side->phases.reason = PIPA_PHASES_ALL_STEADY;
}

static void put(struct side *side, const struct pipa_section *section, uint64_t second,
		const char *instance, const double *values)
{
	const struct pipa_tick tick = { .wall_ns = (1000 + second) * S, .interval_s = 1 };

	CHECK_EQ(side->feed.sink.row(&side->feed.sink, section, &tick, instance, values), 0);
}

static void put_second(struct side *side, uint64_t second, double user, double switches)
{
	const double cpu[PIPA_COL_CPU_SHORT_NR] = { user, 0, 5, 1, 0, 94 - user };
	const double cswch[PIPA_COL_CSWCH_NR] = { 1, switches };

	put(side, &pipa_sections[PIPA_SECTION_CPU_SHORT], second, "all", cpu);
	put(side, &pipa_sections[PIPA_SECTION_CSWCH], second, "", cswch);
}

/* The text of the unit, which is empty, is part of the instance: `event` has a byte of zero more. */
static void put_counter(struct side *side, uint64_t second, const char *event, double count)
{
	const double values[PIPA_COL_COUNTER_NR] = { count, 100, NAN };

	put(side, &pipa_counter_section, second, event, values);
}

static void compare(void)
{
	struct pipa_compare_side in[PIPA_SIDES];
	int i;

	for (i = 0; i < PIPA_SIDES; i++) {
		CHECK_EQ(pipa_series_set_finish(&sides[i].set), 0);
		in[i] = (struct pipa_compare_side){ .series = &sides[i].set,
						    .phases = &sides[i].phases,
						    .run = &sides[i].run,
						    .context = &sides[i].context,
						    .rules = &rules,
						    .findings = &sides[i].findings,
						    .facts = &sides[i].facts };
	}
	CHECK_EQ(pipa_compare(in, &comparison), 0);
}

static void end(void)
{
	int i;

	pipa_comparison_done(&comparison);
	for (i = 0; i < PIPA_SIDES; i++) {
		pipa_series_set_done(&sides[i].set);
		pipa_run_done(&sides[i].run);
		pipa_context_done(&sides[i].context);
		pipa_facts_done(&sides[i].facts);
		sides[i] = (struct side){ 0 };
	}
}

static const struct pipa_compare_row *row_of(enum pipa_compare_table_id table, const char *key)
{
	const struct pipa_compare_table *t = &comparison.tables[table];
	size_t i;

	for (i = 0; i < t->n; i++)
		if (strcmp(t->items[i].key, key) == 0)
			return &t->items[i];
	CHECK_STR("", key); /* there is no such row */
	return NULL;
}

static void make_two(double user_b, double switches_b)
{
	uint64_t i;

	begin(&sides[0]);
	begin(&sides[1]);
	for (i = 0; i < 120; i++) {
		put_second(&sides[0], i, 30 + noise(), 1000 + 20 * noise());
		put_second(&sides[1], i, user_b + noise(), switches_b + 20 * noise());
		put_counter(&sides[0], i, "cycles CPU0\0", 1e9 + 1e7 * noise());
		put_counter(&sides[1], i, "cycles CPU0\0", 1e9 + 1e7 * noise());
		put_counter(&sides[0], i, "instructions CPU0\0", 2e9 + 2e7 * noise());
		put_counter(&sides[1], i, "instructions CPU0\0", 1.5e9 + 2e7 * noise());
	}
}

TEST(known_changes_are_found_and_others_are_not)
{
	const struct pipa_compare_row *row;

	make_two(40, 1000);
	compare();
	row = row_of(PIPA_COMPARE_SUMMARY, "cpu_user");
	CHECK_EQ(row->verdict, PIPA_COMPARE_HIGHER);
	CHECK_NEAR(row->sides[0].value, 30, 0.5);
	CHECK_NEAR(row->difference, 10, 0.5);
	CHECK_NEAR(row->percent, 33.3, 3);
	CHECK(row->p < 1e-6);
	row = row_of(PIPA_COMPARE_SUMMARY, "ipc");
	CHECK_EQ(row->verdict, PIPA_COMPARE_WORSE);
	CHECK_NEAR(row->sides[0].value, 2, 0.01);
	CHECK_NEAR(row->sides[1].value, 1.5, 0.01);
	row = row_of(PIPA_COMPARE_SUMMARY, "instructions");
	CHECK_EQ(row->verdict, PIPA_COMPARE_UNCLEAR); /* a total of one run */
	CHECK_NEAR(row->sides[0].value, 240e9, 1e9);
	CHECK_EQ(row_of(PIPA_COMPARE_SUMMARY, "cpu_system")->verdict, PIPA_COMPARE_SAME);
	CHECK_EQ(row_of(PIPA_COMPARE_SERIES, "cpu.user")->verdict, PIPA_COMPARE_HIGHER);
	CHECK_EQ(row_of(PIPA_COMPARE_SERIES, "cpu.idle")->verdict, PIPA_COMPARE_LOWER);
	CHECK_EQ(row_of(PIPA_COMPARE_SERIES, "system.switches")->verdict, PIPA_COMPARE_SAME);
	CHECK(comparison.tables[PIPA_COMPARE_SERIES].items[0].verdict > PIPA_COMPARE_SAME);
	CHECK_EQ(comparison.only[0], 0);
	CHECK_EQ(comparison.warnings[PIPA_WARNING_DURATION], false);
	CHECK_EQ(comparison.warnings[PIPA_WARNING_ONE_RUN], true);
	CHECK_NEAR(comparison.steady_s[1], 120, 1e-6);
	end();
}

TEST(a_measurement_does_not_differ_from_itself)
{
	uint64_t i;
	size_t table, k;

	begin(&sides[0]);
	begin(&sides[1]);
	for (i = 0; i < 100; i++) {
		double user = 30 + noise(), switches = 1000 * uniform();

		put_second(&sides[0], i, user, switches);
		put_second(&sides[1], i, user, switches);
	}
	sides[0].run.values[PIPA_RUN_TIME] = sides[1].run.values[PIPA_RUN_TIME] = 12.5;
	compare();
	for (table = 0; table < PIPA_COMPARE_TABLES; table++)
		for (k = 0; k < comparison.tables[table].n; k++)
			CHECK(comparison.tables[table].items[k].verdict <= PIPA_COMPARE_SAME);
	CHECK_EQ(row_of(PIPA_COMPARE_METRICS, "run_time")->verdict, PIPA_COMPARE_SAME);
	CHECK_EQ(comparison.facts.n, 0);
	CHECK_EQ(comparison.findings.n, 0);
	end();
}

TEST(metrics_use_the_spread_of_several_runs_or_their_series)
{
	const struct pipa_compare_row *row;

	make_two(30, 2000);
	sides[0].run.values[PIPA_RUN_THROUGHPUT] = 100;
	sides[1].run.values[PIPA_RUN_THROUGHPUT] = 130;
	sides[0].run.spread[PIPA_RUN_THROUGHPUT] =
		(struct pipa_spread){ .n = 5, .mean = 100, .sd = 2 };
	sides[1].run.spread[PIPA_RUN_THROUGHPUT] =
		(struct pipa_spread){ .n = 5, .mean = 130, .sd = 2 };
	sides[0].run.values[PIPA_RUN_TIME] = 10;
	sides[1].run.values[PIPA_RUN_TIME] = 20;
	sides[0].run.values[PIPA_RUN_SYSTEM_SWITCHES] = 1000;
	sides[1].run.values[PIPA_RUN_SYSTEM_SWITCHES] = 2000;
	sides[0].run.values[PIPA_RUN_IPC] = 2;
	sides[1].run.values[PIPA_RUN_IPC] = 1.5;
	sides[1].run.values[PIPA_RUN_MHZ] = 3000;
	compare();
	CHECK_EQ(row_of(PIPA_COMPARE_METRICS, "throughput")->verdict, PIPA_COMPARE_BETTER);
	row = row_of(PIPA_COMPARE_METRICS, "run_time");
	CHECK_EQ(row->verdict, PIPA_COMPARE_UNCLEAR);
	CHECK_NEAR(row->percent, 100, 1e-9);
	CHECK_EQ(row_of(PIPA_COMPARE_METRICS, "cswch/s")->verdict, PIPA_COMPARE_HIGHER);
	CHECK_EQ(row_of(PIPA_COMPARE_METRICS, "IPC")->verdict, PIPA_COMPARE_WORSE);
	row = row_of(PIPA_COMPARE_METRICS, "cpu_frequency_mhz"); /* only on one side */
	CHECK(isnan(row->difference) && row->verdict == PIPA_COMPARE_UNCLEAR);
	end();
}

TEST(steady_phases_only_are_compared)
{
	uint64_t i;

	begin(&sides[0]);
	begin(&sides[1]);
	for (i = 0; i < 100; i++) {
		put_second(&sides[0], i, 30 + noise(), 1000);
		put_second(&sides[1], i, (i < 40 ? 90 : 30) + noise(), 1000);
	}
	sides[1].phases.steady = (struct pipa_time_window){ 1045 * S, 1099 * S };
	compare();
	CHECK_EQ(row_of(PIPA_COMPARE_SERIES, "cpu.user")->verdict, PIPA_COMPARE_SAME);
	CHECK_EQ(comparison.warnings[PIPA_WARNING_DURATION], true); /* 100 s and 54 s */
	end();
}

TEST(series_of_one_side_are_counted)
{
	const double disk[PIPA_COL_DISK_NR] = { 1 };

	make_two(30, 1000);
	put(&sides[1], &pipa_sections[PIPA_SECTION_DISK], 200, "sda", disk);
	compare();
	CHECK_EQ(comparison.only[1], PIPA_COL_DISK_NR);
	CHECK_EQ(comparison.only[0], 0);
	end();
}

static void set_variable(struct side *side, const char *name, enum pipa_value_kind kind,
			 double number, const char *text)
{
	const struct pipa_variable variable = { .name = name,
						.value = { kind, number, text },
						.unit = "%",
						.source = "",
						.quality = 1 };

	CHECK(pipa_context_set(&side->context, &variable));
}

TEST(variables_have_directions_and_texts)
{
	const struct pipa_compare_row *row;

	make_two(30, 1500);
	set_variable(&sides[0], "avg_cswch", PIPA_VALUE_NUMBER, 1000, NULL);
	set_variable(&sides[1], "avg_cswch", PIPA_VALUE_NUMBER, 1500, NULL);
	set_variable(&sides[0], "avg_iowait", PIPA_VALUE_NUMBER, 1, NULL);
	set_variable(&sides[1], "avg_iowait", PIPA_VALUE_NUMBER, 1, NULL);
	set_variable(&sides[0], "busiest_disk_name", PIPA_VALUE_TEXT, 0, "sda");
	set_variable(&sides[1], "busiest_disk_name", PIPA_VALUE_TEXT, 0, "sdb");
	set_variable(&sides[0], "ipc", PIPA_VALUE_ABSENT, 0, NULL);
	compare();
	CHECK_EQ(comparison.tables[PIPA_COMPARE_VARIABLES].n, 3);
	CHECK_EQ(row_of(PIPA_COMPARE_VARIABLES, "avg_cswch")->verdict, PIPA_COMPARE_HIGHER);
	CHECK_EQ(row_of(PIPA_COMPARE_VARIABLES, "avg_iowait")->verdict, PIPA_COMPARE_SAME);
	row = row_of(PIPA_COMPARE_VARIABLES, "busiest_disk_name");
	CHECK_STR(row->sides[1].text, "sdb");
	CHECK_EQ(row->verdict, PIPA_COMPARE_UNCLEAR);
	CHECK_EQ(pipa_compare_better("ipc"), 1);
	CHECK_EQ(pipa_compare_better("p95_disk_await"), -1);
	CHECK_EQ(pipa_compare_better("disk.read_await"), -1);
	CHECK_EQ(pipa_compare_better("psi.io.some"), -1);
	CHECK_EQ(pipa_compare_better("cpu.usr"), 0);
	CHECK_EQ(pipa_compare_better("io.discards"), 0);
	end();
}

TEST(findings_appear_vanish_and_stay)
{
	size_t order_a[] = { 2, 0 }, order_b[] = { 1, 2 };
	struct pipa_rule_result results_a[3] = { { .state = PIPA_RULE_FIRED },
						 { .state = PIPA_RULE_NOT_FIRED },
						 { .state = PIPA_RULE_FIRED } };
	struct pipa_rule_result results_b[3] = { { .state = PIPA_RULE_UNKNOWN },
						 { .state = PIPA_RULE_FIRED },
						 { .state = PIPA_RULE_FIRED } };

	begin(&sides[0]);
	begin(&sides[1]);
	sides[0].findings = (struct pipa_findings){ results_a, 3, order_a, 2, { 0 } };
	sides[1].findings = (struct pipa_findings){ results_b, 3, order_b, 2, { 0 } };
	compare();
	CHECK_EQ(comparison.findings.n, 3);
	CHECK_EQ(comparison.findings.items[0].rule, 1);
	CHECK_EQ(comparison.findings.items[0].change, PIPA_FINDING_APPEARED);
	CHECK_EQ(comparison.findings.items[0].states[0], PIPA_RULE_NOT_FIRED);
	CHECK_EQ(comparison.findings.items[1].rule, 0);
	CHECK_EQ(comparison.findings.items[1].change, PIPA_FINDING_VANISHED);
	CHECK_EQ(comparison.findings.items[1].states[1], PIPA_RULE_UNKNOWN);
	CHECK_EQ(comparison.findings.items[2].change, PIPA_FINDING_STAYED);
	CHECK_EQ(comparison.warnings[PIPA_WARNING_NO_COMMON], true);
	end();
}

/* ---- facts --------------------------------------------------------------------------------------- */

static void describe(struct pipa_facts *facts, const char *model, uint64_t cpus,
		     const char *scheduler, const char *free)
{
	struct pipa_fact *map = pipa_facts_map(facts, NULL, "cpu_info"), *list, *disk;

	pipa_facts_text(facts, map, "Model name", model);
	pipa_facts_number(facts, map, "CPU(s)", cpus);
	pipa_facts_text(facts, map, "BogoMIPS", free);
	map = pipa_facts_map(facts, NULL, "memory_info");
	pipa_facts_text(facts, map, "MemTotal", "16 kB");
	pipa_facts_text(facts, map, "MemFree", free);
	map = pipa_facts_map(facts, NULL, "io_scheduler");
	pipa_facts_text(facts, map, "sda", scheduler);
	map = pipa_facts_map(facts, NULL, "disk_info");
	list = pipa_facts_list(facts, map, "block_devices");
	disk = pipa_facts_map(facts, list, NULL);
	pipa_facts_text(facts, disk, "name", "sda");
	pipa_facts_text(facts, disk, "model", "X");
	pipa_facts_text(facts, pipa_facts_map(facts, disk, "fs_usage"), "used", free);
	map = pipa_facts_map(facts, NULL, "cpu_governor");
	list = pipa_facts_list(facts, map, "unique_governors");
	pipa_facts_text(facts, list, NULL, cpus > 4 ? "performance" : "schedutil");
	CHECK_EQ(facts->status, 0);
}

TEST(facts_of_use_do_not_differ)
{
	begin(&sides[0]);
	begin(&sides[1]);
	describe(&sides[0].facts, "Xeon", 8, "none", "1 kB");
	describe(&sides[1].facts, "Xeon", 8, "none", "2 kB");
	compare();
	CHECK_EQ(comparison.facts.n, 0);
	CHECK_EQ(comparison.warnings[PIPA_WARNING_MACHINE], false);
	end();
}

TEST(comparisons_of_other_machines_have_a_warning)
{
	const struct pipa_compare_fact *facts;
	struct pipa_fact *disk;

	begin(&sides[0]);
	begin(&sides[1]);
	describe(&sides[0].facts, "Xeon", 8, "none", "1 kB");
	describe(&sides[1].facts, "EPYC", 4, "bfq", "2 kB");
	disk = pipa_facts_map(
		&sides[1].facts,
		(struct pipa_fact *)pipa_fact_find(pipa_fact_find(&sides[1].facts.top, "disk_info"),
						   "block_devices"),
		NULL);
	pipa_facts_text(&sides[1].facts, disk, "name", "sdb");
	compare();
	facts = comparison.facts.items;
	CHECK_EQ(comparison.facts.n, 5);
	CHECK_STR(facts[0].key, "Model name");
	CHECK_STR(facts[0].sides[1], "EPYC");
	CHECK(facts[0].is_machine);
	CHECK_STR(facts[1].key, "CPU(s)");
	CHECK_STR(facts[1].sides[0], "8");
	CHECK_STR(facts[2].key, "unique_governors");
	CHECK_STR(facts[2].sides[0], "performance");
	CHECK_STR(facts[3].key, "block_devices.sdb.name");
	CHECK_STR(facts[3].sides[0], "");
	CHECK_STR(facts[4].section, "io_scheduler");
	CHECK(!facts[4].is_machine);
	CHECK_EQ(comparison.warnings[PIPA_WARNING_MACHINE], true);
	end();
}

TEST(every_warning_has_a_name_and_texts)
{
	int i, language;

	for (i = 0; i < PIPA_WARNINGS; i++) {
		CHECK(pipa_compare_warning_name(i)[0]);
		for (language = 0; language < PIPA_LANGUAGE_NR; language++)
			CHECK(pipa_compare_warning_text(i, language)[0]);
	}
}
