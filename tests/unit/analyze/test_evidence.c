#include "analyze/rules/evidence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/rules/build_context.h"
#include "analyze/rules/variables.h"
#include "base/auto.h"
#include "lib/test.h"
#include "model/counter_section.h"
#include "model/sections.h"

static struct pipa_series_set set;
static struct pipa_series_feed feed;
static struct pipa_context context;
static struct pipa_evidence evidence;

static void start_series(void)
{
	ptrdiff_t source = pipa_series_set_add_source(&set, "test", PIPA_CLOCK_UTC);

	CHECK(source >= 0);
	pipa_series_feed_init(&feed, &set, (size_t)source);
}

static void add_section_row(const struct pipa_section *section, const char *instance,
			    unsigned int second, const double *values)
{
	const struct pipa_tick tick = { .wall_ns = 1000000000ull * (second + 1), .interval_s = 1 };

	CHECK_EQ(feed.sink.row(&feed.sink, section, &tick, instance, values), 0);
}

static void add_cpu(const char *cpu, unsigned int second, double user)
{
	double values[PIPA_COL_CPU_NR] = { 0 };

	values[PIPA_COL_CPU_USR] = user;
	values[PIPA_COL_CPU_IDLE] = 100 - user;
	add_section_row(&pipa_sections[PIPA_SECTION_CPU], cpu, second, values);
}

static void build(void)
{
	const struct pipa_context_input input = { .series = &set };

	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_context_build(&input, &context), 0);
}

static void end(void)
{
	pipa_series_set_done(&set);
	pipa_context_done(&context);
}

static const char *instance_of(size_t index)
{
	const struct pipa_series_ref *ref = &evidence.refs[index];

	return set.groups.items[ref->group].items[ref->row].instance;
}

/* Find the range of a rule with one test. */
static int find_range(const char *text, struct pipa_time_window *ret)
{
	const struct pipa_rule_test test = { text, PIPA_TRUTH_TRUE };
	const struct pipa_rule_result result = { .tests = &test, .n_tests = 1 };
	const struct pipa_time_window all = { 0 };

	return pipa_evidence_range(&result, &context, &set, &all, ret);
}

TEST(evidence_is_the_row_of_all_cpus_or_the_busiest_ones)
{
	char cpu[12];
	int i;

	start_series();
	add_cpu("all", 0, 20);
	for (i = 0; i < 20; i++) {
		snprintf(cpu, sizeof(cpu), "%d", i);
		add_cpu(cpu, 0, i == 3 ? 90 : i);
	}
	build();
	CHECK(pipa_evidence_find("cpu_busy", &context, &set, &evidence));
	CHECK_EQ(evidence.form, PIPA_EVIDENCE_REST);
	CHECK_EQ(evidence.n_rows, 1u);
	CHECK_STR(instance_of(0), "all");
	CHECK_EQ(evidence.refs[0].column, (size_t)PIPA_COL_CPU_IDLE);
	CHECK(pipa_evidence_find("cpu_max_util", &context, &set, &evidence));
	CHECK_EQ(evidence.n_rows, (size_t)PIPA_EVIDENCE_ROWS);
	CHECK_STR(instance_of(0), "3");
	CHECK_STR(instance_of(evidence.n_columns), "13");
	CHECK_STR(instance_of(7 * evidence.n_columns), "19");
	CHECK(pipa_evidence_find("cpu_min_util", &context, &set, &evidence)); /* the idlest ones */
	CHECK_EQ(evidence.n_rows, (size_t)PIPA_EVIDENCE_ROWS);
	CHECK_STR(instance_of(0), "0");
	CHECK_STR(instance_of(3 * evidence.n_columns), "4");
	CHECK_STR(instance_of(7 * evidence.n_columns), "8");
	CHECK(pipa_evidence_find("max_cpu_busy", &context, &set, &evidence));
	CHECK_STR(instance_of(0), "3");
	CHECK_EQ(evidence.n_rows, 1u);
	CHECK(!pipa_evidence_find("num_cpu", &context, &set, &evidence));
	CHECK(!pipa_evidence_find("p95_disk_util", &context, &set, &evidence));
	end();
}

TEST(evidence_of_counters_has_the_events_of_the_ratio)
{
	static const char *const events[] = { "cycles:u", "instructions", "branches" };
	const double values[PIPA_COL_COUNTER_NR] = { 5, 100, NAN };
	char instance[64] = { 0 };
	size_t i;

	start_series();
	for (i = 0; i < PIPA_COUNT(events); i++) {
		snprintf(instance, sizeof(instance), "%s", events[i]);
		add_section_row(&pipa_counter_section, instance, 0, values);
	}
	build();
	CHECK(pipa_evidence_find("ipc", &context, &set, &evidence));
	CHECK_EQ(evidence.n_rows, 2u);
	CHECK_STR(instance_of(0), "cycles:u");
	CHECK_STR(instance_of(1), "instructions");
	end();
}

TEST(every_variable_of_series_has_evidence)
{
	static const char *const others[] = { "num_cpu", "numa_nodes_count",
					      "affinity_check_enabled", "expected_cpus_str" };
	static const char instance[] = "all\0x\0y"; /* as any section has it */
	static const double values[64] = { 1 };
	enum pipa_section_id id;
	size_t i, k;

	start_series();
	for (id = 0; id < PIPA_SECTION_NR; id++)
		add_section_row(&pipa_sections[id], instance, 0, values);
	add_section_row(&pipa_sections[PIPA_SECTION_CPU], "0", 0, values);
	add_section_row(&pipa_sections[PIPA_SECTION_CPU_SHORT], "0", 0, values);
	add_section_row(&pipa_sections[PIPA_SECTION_DISK], "sda", 0, values);
	add_section_row(&pipa_sections[PIPA_SECTION_NET], "lo", 0, values);
	add_section_row(&pipa_sections[PIPA_SECTION_FREQ], "0", 0, values);
	add_section_row(&pipa_counter_section, "instructions\0", 0, values);
	add_section_row(&pipa_counter_section, "branch-misses\0", 0, values);
	add_section_row(&pipa_counter_section, "LLC-loads\0", 0, values);
	add_section_row(&pipa_counter_section, "L1-dcache-loads\0", 0, values);
	add_section_row(&pipa_counter_section, "dTLB-loads\0", 0, values);
	add_section_row(&pipa_counter_section, "cycles\0", 0, values);
	add_section_row(&pipa_counter_section, "cpu-migrations\0", 0, values);
	add_section_row(&pipa_counter_section, "slots\0", 0, values);
	build();
	for (i = 0; i < pipa_n_rule_variables; i++) {
		const char *name = pipa_rule_variables[i].name;

		for (k = 0; k < PIPA_COUNT(others); k++)
			if (strcmp(others[k], name) == 0)
				break;
		if (pipa_evidence_find(name, &context, &set, &evidence) !=
		    (k == PIPA_COUNT(others)))
			fprintf(stderr, "%s\n", name);
		CHECK(pipa_evidence_find(name, &context, &set, &evidence) ==
		      (k == PIPA_COUNT(others)));
	}
	end();
}

TEST(range_is_the_longest_time_beyond_the_threshold)
{
	struct pipa_time_window range = { 0 };
	unsigned int i;

	start_series();
	for (i = 0; i < 100; i++)
		add_cpu("all", i, (i >= 10 && i < 20) || (i >= 50 && i < 80 && i != 60) ? 95 : 5);
	build();
	CHECK_EQ(find_range("cpu_busy > 90", &range), 1);
	CHECK_EQ(range.from_ns, 50000000000u); /* one interval on the other side is tolerated */
	CHECK_EQ(range.until_ns, 80000000000u);
	CHECK_EQ(find_range("90 <= cpu_busy", &range), 1);
	CHECK_EQ(range.from_ns, 50000000000u);
	CHECK_EQ(find_range("cpu_busy < 10", &range), 1);
	CHECK_EQ(range.from_ns, 20000000000u);
	CHECK_EQ(range.until_ns, 50000000000u);
	CHECK_EQ(find_range("cpu_busy > 99", &range), 0);
	CHECK_EQ(find_range("cpu_busy > unknown", &range), 0);
	CHECK_EQ(find_range("cpu_busy + 1 > 90", &range), 0);
	CHECK_EQ(find_range("cpu_util_std_dev > 1", &range), 0);
	end();
}
