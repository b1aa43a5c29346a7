#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "analyze/rules/build_context.h"
#include "analyze/rules/evaluate.h"
#include "analyze/rules/rule_text.h"
#include "analyze/rules/variables.h"
#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"
#include "model/hardware.h"
#include "model/sections.h"
#include "model/series_set.h"

/* ---- series -------------------------------------------------------------------------------------- */

static struct pipa_series_set set;
static struct pipa_series_feed feed;
static struct pipa_context context;

static void start_series(void)
{
	ptrdiff_t source = pipa_series_set_add_source(&set, "test", PIPA_CLOCK_UTC);

	CHECK(source >= 0);
	pipa_series_feed_init(&feed, &set, (size_t)source);
}

static void add_row(enum pipa_section_id id, const char *instance, unsigned int second,
		    const double *values)
{
	const struct pipa_tick tick = { .wall_ns = 1000000000ull * (second + 1), .interval_s = 1 };

	CHECK_EQ(feed.sink.row(&feed.sink, &pipa_sections[id], &tick, instance, values), 0);
}

static void add_cpu(const char *cpu, unsigned int second, double user, double system, double iowait)
{
	const double values[] = { user, 0, system, iowait, 0, 100 - user - system - iowait };

	add_row(PIPA_SECTION_CPU_SHORT, cpu, second, values);
}

static void add_disk(const char *disk, unsigned int second, double util, double await, double queue)
{
	double values[PIPA_COL_DISK_NR] = { 0 };

	values[PIPA_COL_DISK_UTIL] = util;
	values[PIPA_COL_DISK_AWAIT] = await;
	values[PIPA_COL_DISK_QUEUE] = queue;
	values[PIPA_COL_DISK_REQUEST_SIZE] = 8;
	add_row(PIPA_SECTION_DISK, disk, second, values);
}

static void build(const struct pipa_hardware *hardware, const struct pipa_cpus *expected)
{
	const struct pipa_context_input input = { .series = &set,
						  .hardware = hardware,
						  .expected = expected,
						  .expected_text = expected ? "0-1" : NULL };

	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_context_build(&input, &context), 0);
}

static void done(void)
{
	pipa_context_done(&context);
	pipa_series_set_done(&set);
}

static double number(const char *name)
{
	const struct pipa_variable *variable = pipa_context_find(&context, name);

	CHECK(variable && pipa_value_is_numeric(&variable->value));
	return variable->value.number;
}

static const char *text_of(const char *name)
{
	const struct pipa_variable *variable = pipa_context_find(&context, name);

	CHECK(variable && variable->value.kind == PIPA_VALUE_TEXT);
	return variable->value.text;
}

static bool is_absent(const char *name)
{
	const struct pipa_variable *variable = pipa_context_find(&context, name);

	CHECK(variable);
	return variable->value.kind == PIPA_VALUE_ABSENT;
}

/* ---- context ------------------------------------------------------------------------------------- */

TEST(without_data_all_variables_are_absent_with_a_reason)
{
	size_t i;

	build(NULL, NULL);
	CHECK_EQ(context.n, pipa_n_rule_variables);
	for (i = 0; i < context.n; i++) {
		if (strcmp(context.items[i].name, "affinity_check_enabled") == 0)
			continue; /* false without a list of CPUs */
		CHECK_EQ(context.items[i].value.kind, PIPA_VALUE_ABSENT);
		CHECK(strncmp(context.items[i].source, "needs ", 6) == 0);
	}
	CHECK_NEAR(number("affinity_check_enabled"), 0, 0);
	done();
}

TEST(the_context_has_the_load_of_all_cpus_and_the_busiest_disk)
{
	static const double user[] = { 5, 20, 30, 40 };
	struct pipa_hardware_disk disk = { .name = "sda", .medium = PIPA_MEDIUM_SATA_SSD };
	const struct pipa_hardware machine = { .cpus = 4, .disks = { &disk, 1, 1 } };
	char name[4];
	int i;

	start_series();
	add_cpu("all", 0, 25, 5, 0);
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%d", i);
		add_cpu(name, 0, user[i], 5, 0);
	}
	add_disk("sda", 0, 50, 2, 3);
	add_disk("sdb", 0, 10, 2, 3);
	add_disk("loop0", 0, 99, 2, 3);
	build(&machine, NULL);
	CHECK_NEAR(number("num_cpu"), 4, 0);
	CHECK_NEAR(number("total_cpu"), 30, 1e-9);
	CHECK_NEAR(number("cpu_max_util"), 45, 1e-9);
	CHECK_NEAR(number("cpu_min_util"), 10, 1e-9);
	CHECK_NEAR(number("cpu_util_std_dev"), 14.930394, 1e-5);
	CHECK_STR(text_of("busiest_disk_name"), "sda");
	CHECK_STR(text_of("busiest_disk_subtype"), "SATA_SSD");
	CHECK_NEAR(number("effective_await_threshold"), 5, 0);
	CHECK_NEAR(number("avg_avgrq_sz_kb"), 8, 0); /* areq-sz is in kB: not halved */
	CHECK_NEAR(number("disk_count"), 2, 0);
	CHECK(is_absent("ipc") && is_absent("numa_max_diff") && is_absent("avg_irq_percent"));
	done();
}

TEST(the_limit_of_the_response_time_is_that_of_the_medium)
{
	struct pipa_hardware_disk disks[] = {
		{ .name = "nvme0n1", .medium = PIPA_MEDIUM_NVME_SSD },
		{ .name = "nvme0n1p2", .parent = "nvme0n1", .medium = PIPA_MEDIUM_NVME_SSD },
		{ .name = "sda", .medium = PIPA_MEDIUM_HDD },
	};
	const struct pipa_hardware machine = { .disks = { disks, 3, 3 } };

	start_series();
	add_disk("nvme0n1p2", 0, 50, 2, 3);
	build(&machine, NULL);
	CHECK_STR(text_of("busiest_disk_subtype"), "NVME_SSD");
	CHECK_NEAR(number("effective_await_threshold"), 1, 0);
	done();
	start_series();
	add_disk("sda", 0, 50, 2, 3);
	build(&machine, NULL);
	CHECK_NEAR(number("effective_await_threshold"), 30, 0);
	done();
	start_series();
	add_disk("sdz", 0, 50, 2, 3);
	build(&machine, NULL);
	CHECK(is_absent("busiest_disk_subtype") && is_absent("effective_await_threshold"));
	done();
}

TEST(cpus_are_classified_by_their_95th_percentile)
{
	static const double user[] = { 1, 20, 5, 50 }, system[] = { 1, 5, 3, 10 };
	struct pipa_cpus expected = { 0 };
	char name[4];
	int i;

	CHECK_EQ(pipa_cpus_parse("2-3", &expected, NULL), 0);
	start_series();
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%d", i);
		add_cpu(name, 0, user[i], system[i], i == 3 ? 30 : 0);
	}
	build(NULL, &expected);
	CHECK_STR(text_of("cpu_clusters_summary"), "idle 2, active 1, busy 1");
	CHECK_NEAR(number("cpu_clusters_count"), 3, 0);
	CHECK_NEAR(number("is_cpu_imbalanced"), 1, 0);
	CHECK_NEAR(number("affinity_check_enabled"), 1, 0);
	CHECK_NEAR(number("affinity_leakage_count"), 1, 0);
	CHECK_STR(text_of("leakage_cores_str"), "1");
	CHECK_STR(text_of("absent_cores_str"), "2");
	CHECK_NEAR(number("iowait_core_count"), 1, 0);
	CHECK_STR(text_of("iowait_core_details"), "3");
	CHECK_NEAR(number("total_cpu"), 34, 1e-9);
	done();
	pipa_cpus_done(&expected);
}

TEST(fewer_than_four_cpus_are_not_classified)
{
	start_series();
	add_cpu("0", 0, 90, 5, 0);
	add_cpu("1", 0, 1, 1, 0);
	build(NULL, NULL);
	CHECK(is_absent("cpu_clusters_count"));
	CHECK_NEAR(number("is_cpu_imbalanced"), 0, 0);
	done();
}

TEST(percentiles_are_interpolated_and_missing_values_ignored)
{
	unsigned int i;

	start_series();
	for (i = 0; i < 5; i++)
		add_disk("sda", i, 5 - i, i == 2 ? NAN : 1, i);
	build(NULL, NULL);
	CHECK_NEAR(number("p95_disk_util"), 4.8, 1e-9);
	CHECK_NEAR(number("max_disk_util"), 5, 0);
	CHECK_NEAR(number("avg_disk_util"), 3, 1e-9);
	CHECK_NEAR(number("p95_avgqu_sz"), 3.8, 1e-9);
	CHECK_NEAR(number("avg_disk_await"), 1, 0);
	done();
}

TEST(nodes_are_compared_by_the_load_of_their_cpus)
{
	struct pipa_hardware_node nodes[2] = { { .node = 0 }, { .node = 1 } };
	const struct pipa_hardware machine = { .nodes = { nodes, 2, 2 } };

	CHECK_EQ(pipa_cpus_parse("0-1", &nodes[0].cpus, NULL), 0);
	CHECK_EQ(pipa_cpus_parse("2-3", &nodes[1].cpus, NULL), 0);
	start_series();
	add_cpu("0", 0, 80, 10, 0);
	add_cpu("1", 0, 60, 10, 0);
	add_cpu("2", 0, 5, 5, 0);
	add_cpu("3", 0, 15, 5, 0);
	build(&machine, NULL);
	CHECK_NEAR(number("numa_nodes_count"), 2, 0);
	CHECK_NEAR(number("numa_max_diff"), 65, 1e-9);
	CHECK_STR(text_of("numa_status_msg"), "node0: 80.0%, node1: 15.0%");
	CHECK_NEAR(number("is_numa_imbalanced"), 1, 0);
	done();
	pipa_cpus_done(&nodes[0].cpus);
	pipa_cpus_done(&nodes[1].cpus);
}

static double half_of_disks(void *ctx, const struct pipa_section *section)
{
	CHECK(ctx == &set);
	return strcmp(section->name, "disk") == 0 ? 0.5 : 1;
}

TEST(variables_are_those_of_the_window_and_have_the_quality_of_their_section)
{
	const struct pipa_context_input input = { .series = &set,
						  .window = { 2000000000, 4000000000 },
						  .quality = half_of_disks,
						  .ctx = &set };
	unsigned int i;

	start_series();
	for (i = 0; i < 5; i++) { /* intervals end at 1 s to 5 s */
		add_disk("sda", i, 10 * i, 1, 1);
		add_cpu("all", i, 10 * i, 0, 0);
	}
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_context_build(&input, &context), 0);
	CHECK_NEAR(number("avg_disk_util"), 25, 1e-9);
	CHECK_NEAR(number("total_cpu"), 25, 1e-9);
	CHECK_NEAR(pipa_context_find(&context, "p95_disk_util")->quality, 0.5, 0);
	CHECK_NEAR(pipa_context_find(&context, "total_cpu")->quality, 1, 0);
	done();
}

/* As load/ stores counters: an instance per event and place, first column the count. */
static void add_counter(const char *instance, unsigned int second, double value)
{
	static const struct pipa_column column = { "counter.value",   "count", PIPA_UNIT_NONE, 0,
						   PIPA_METRIC_DELTA, "" };
	static const struct pipa_section counters = { "counters", "EVENT", "", &column, 1 };
	const struct pipa_tick tick = { .wall_ns = 1000000000ull * (second + 1), .interval_s = 2 };

	CHECK_EQ(feed.sink.row(&feed.sink, &counters, &tick, instance, &value), 0);
}

TEST(percentages_of_a_moment_are_absent)
{
	const struct pipa_context_input input = { .series = &set,
						  .window = { 997000000, 1000000000 } };

	start_series();
	add_cpu("all", 0, 100, 0, 0);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_context_build(&input, &context), 0);
	CHECK(is_absent("total_cpu") && is_absent("cpu_busy"));
	CHECK_STR(pipa_context_find(&context, "total_cpu")->source,
		  "needs at least 0.1 s of CPU statistics");
	done();
}

TEST(rates_of_counters_are_computed_for_both_spellings_of_the_last_level_cache)
{
	unsigned int i;

	start_series();
	for (i = 0; i < 2; i++) {
		add_counter("cycles:D CPU0", i, 1000);
		add_counter("cpu_core/cycles/ CPU1", i, 1000);
		add_counter("instructions", i, 3000);
		add_counter("ll_cache_rd", i, 200);
		add_counter("ll_cache_miss_rd", i, 50);
		add_counter("branches", i, 100);
		add_counter("branch-misses", i, 3);
		add_counter("cpu-migrations", i, 10);
		add_counter("context-switches", i, 100);
	}
	build(NULL, NULL);
	CHECK_NEAR(number("ipc"), 1.5, 1e-9);
	CHECK_NEAR(number("l3_cache_miss_rate"), 25, 1e-9);
	CHECK_NEAR(number("branch_miss_rate"), 3, 1e-9);
	CHECK_NEAR(number("branch_mpki"), 1, 1e-9);
	CHECK_NEAR(number("migrations_s"), 5, 1e-9);
	CHECK_NEAR(number("avg_cswch"), 50, 1e-9);
	CHECK(is_absent("dtlb_miss_rate"));
	done();
	start_series();
	add_counter("LLC-loads", 0, 200);
	add_counter("LLC-load-misses", 0, 20);
	build(NULL, NULL);
	CHECK_NEAR(number("l3_cache_miss_rate"), 10, 1e-9);
	CHECK(is_absent("ipc"));
	done();
}

TEST(switches_of_processes_that_never_ran_together_are_not_added)
{
	double values[PIPA_COL_PROCESS_SWITCHES_NR] = { 0 };
	unsigned int i;

	start_series();
	for (i = 0; i < 4; i++) {
		char name[16];

		values[PIPA_COL_PROCESS_SWITCHES_NVCSWCH] = 100;
		snprintf(name, sizeof(name), "%u", 100 + i);
		add_row(PIPA_SECTION_PROCESS_SWITCHES, name, i, values);
	}
	build(NULL, NULL);
	CHECK_NEAR(number("avg_nvcswch_s"), 100, 1e-9);
	done();
}

TEST(a_disk_without_requests_does_not_hide_the_others)
{
	start_series();
	add_disk("sda", 0, 50, 2, 3);
	add_disk("sdb", 0, 10, NAN, NAN);
	build(NULL, NULL);
	CHECK_NEAR(number("avg_await"), 2, 1e-9);
	CHECK_NEAR(number("avg_util"), 30, 1e-9);
	done();
}

TEST(shares_of_slots_come_from_events_else_from_metrics)
{
	start_series();
	add_counter("slots", 0, 1000);
	add_counter("topdown-fe-bound", 0, 250);
	add_counter("backend_bound CPU0", 0, 30);
	add_counter("backend_bound CPU1", 0, 50);
	add_counter("topdown-bad-spec.bad_speculation", 0, 12.5);
	build(NULL, NULL);
	CHECK_NEAR(number("frontend_bound"), 25, 1e-9);
	CHECK_NEAR(number("backend_bound"), 40, 1e-9);
	CHECK_NEAR(number("bad_speculation"), 12.5, 1e-9);
	done();
}

TEST(counters_of_several_files_are_combined)
{
	start_series();
	add_counter("cycles", 0, 1000);
	add_counter("instructions", 0, 500);
	add_counter("cycles", 1, 1000);
	add_counter("instructions", 1, 500);
	start_series(); /* of another file: a later run, and further events */
	add_counter("cycles", 10, 1000);
	add_counter("instructions", 10, 2000);
	add_counter("branches", 10, 100);
	add_counter("branch-misses", 10, 4);
	build(NULL, NULL);
	CHECK_NEAR(number("ipc"), 1, 1e-9);
	CHECK_NEAR(number("branch_miss_rate"), 4, 1e-9);
	CHECK_NEAR(number("branch_mpki"), 2, 1e-9);
	done();
}

TEST(needs_of_variables_are_complete_in_chinese)
{
	size_t i;

	for (i = 0; i < pipa_n_rule_variables; i++) {
		const struct pipa_rule_variable *variable = &pipa_rule_variables[i];

		CHECK_STR(pipa_rule_variable_needs(variable, PIPA_LANGUAGE_EN), variable->needs);
		if (strcmp(pipa_rule_variable_needs(variable, PIPA_LANGUAGE_ZH), variable->needs) ==
		    0)
			pipa_test_fail(__FILE__, __LINE__, "%s", variable->needs);
	}
}

TEST(names_of_variables_are_unique_and_described)
{
	size_t i, k;

	for (i = 0; i < pipa_n_rule_variables; i++) {
		CHECK(pipa_rule_variables[i].formula[0] && pipa_rule_variables[i].needs[0]);
		for (k = 0; k < i; k++)
			CHECK(strcmp(pipa_rule_variables[i].name, pipa_rule_variables[k].name) !=
			      0);
	}
}

/* ---- templates ----------------------------------------------------------------------------------- */

static void set_variable(const char *name, enum pipa_value_kind kind, double value,
			 const char *text)
{
	const struct pipa_variable variable = { .name = name,
						.value = { kind, value, text },
						.quality = 1 };

	CHECK(pipa_context_set(&context, &variable));
}

/* The template gives this text and this HTML. */
static void writes(const char *template, const char *text, const char *html)
{
	struct pipa_buf out = { 0 };

	pipa_rule_text_write(template, &context, PIPA_MARKUP_TEXT, &out);
	CHECK_STR(pipa_buf_str(&out), text);
	pipa_buf_reset(&out);
	pipa_rule_text_write(template, &context, PIPA_MARKUP_HTML, &out);
	CHECK_STR(pipa_buf_str(&out), html);
	pipa_buf_done(&out);
}

TEST(values_in_templates_are_printed_as_python_does)
{
	set_variable("i", PIPA_VALUE_INTEGER, 50, NULL);
	set_variable("f", PIPA_VALUE_NUMBER, 75, NULL);
	set_variable("d", PIPA_VALUE_NUMBER, 0.1, NULL);
	set_variable("big", PIPA_VALUE_NUMBER, 1e22, NULL);
	set_variable("long", PIPA_VALUE_NUMBER, 123456.789, NULL);
	set_variable("b", PIPA_VALUE_BOOL, 1, NULL);
	set_variable("t", PIPA_VALUE_TEXT, 0, "sda");
	set_variable("n", PIPA_VALUE_NONE, 0, NULL);
	set_variable("gone", PIPA_VALUE_ABSENT, 0, NULL);
	writes("{i} {f} {d} {big} {long} {b} {t} {n} {gone} {nowhere}",
	       "50 75.0 0.1 1e+22 123456.789 True sda None ? ?",
	       "50 75.0 0.1 1e+22 123456.789 True sda None ? ?");
	writes("{f:.2f} {i:.1f} {long:.0f} {gone:.1f} {{i}}", "75.00 50.0 123457 ? {i}",
	       "75.00 50.0 123457 ? {i}");
	pipa_context_done(&context);
}

TEST(nouns_after_values_agree_with_their_number)
{
	struct pipa_placeholder p;
	size_t offset = 0;

	set_variable("x", PIPA_VALUE_NUMBER, 0.6, NULL);
	set_variable("y", PIPA_VALUE_NUMBER, 1.6, NULL);
	set_variable("z", PIPA_VALUE_INTEGER, 1, NULL);
	writes("{x:.0f|page fault|page faults} per second", "1 page fault per second",
	       "1 page fault per second");
	writes("{x:.1f|page|pages}, {y:.0f|page|pages}, {z|CPU|CPUs}, {no|CPU|CPUs}",
	       "0.6 pages, 2 pages, 1 CPU, ? CPUs", "0.6 pages, 2 pages, 1 CPU, ? CPUs");
	CHECK(pipa_placeholder_next("{x|page}", &offset, &p));
	CHECK_STR(p.fault, "invalid nouns, expected {NAME|ONE|OTHERS}");
	pipa_context_done(&context);
}

TEST(markup_of_templates_is_limited_to_a_few_tags_without_attributes)
{
	writes("a <strong>b</strong><br>c **d** e", "a b\nc d e",
	       "a <strong>b</strong><br>c <strong>d</strong> e");
	writes("x <ul style=\"a\">\n <li>one</li>\n <li onclick='e'>two</li>\n</ul> y",
	       "x\n- one\n- two\ny", "x <ul>\n <li>one</li>\n <li>two</li>\n</ul> y");
	writes("<script>alert(1)</script><img src=x onerror=y>",
	       "<script>alert(1)</script><img src=x onerror=y>",
	       "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=y&gt;");
	writes("<div>a</strong></div></div>", "a", "<div>a</div>");
	writes("<ul><li>a", "- a", "<ul><li>a</li></ul>");
	writes("<li>- a</li><li> b</li>", "- a\n- b", "<li>- a</li><li> b</li>");
	writes("**a** ** b", "a ** b", "<strong>a</strong> ** b");
	writes("a < b & c > d <strongest> <", "a < b & c > d <strongest> <",
	       "a &lt; b &amp; c &gt; d &lt;strongest&gt; &lt;");
}

static void check_runs(const char *template, const char *expected)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	pipa_rule_text_write(template, &context, PIPA_MARKUP_RUNS, &out);
	CHECK_STR(pipa_buf_str(&out), expected);
}

TEST(runs_are_plain_or_bold_texts_and_line_breaks)
{
	check_runs("", "[]");
	check_runs("a <em>b</em>  c", "[\"a b c\"]");
	check_runs("**a** b **c d**", "[[\"b\",\"a\"],\" b \",[\"b\",\"c d\"]]");
	check_runs("<strong>a **b** c</strong>", "[[\"b\",\"a b c\"]]");
	check_runs("a<br>b<ul><li>c</li><li>d</li></ul>",
		   "[\"a\",[\"br\"],\"b\",[\"br\"],\"- c\",[\"br\"],\"- d\"]");
	check_runs("<script>\"x\"", "[\"<script>\\\"x\\\"\"]");
}

TEST(inserted_values_are_escaped_and_are_not_markup)
{
	set_variable("x", PIPA_VALUE_TEXT, 0, "<strong>&'\"**{x}");
	writes("{x}", "<strong>&'\"**{x}", "&lt;strong&gt;&amp;&#39;&quot;**{x}");
	pipa_context_done(&context);
}

TEST(invalid_placeholders_are_printed_as_they_are)
{
	struct pipa_placeholder p;
	size_t offset = 0;

	writes("{a b} {x:d} {x:.12f} }", "{a b} {x:d} {x:.12f} }", "{a b} {x:d} {x:.12f} }");
	writes("{open", "{open", "{open");
	CHECK(pipa_placeholder_next("{{ {a:.1f} {b:%} {", &offset, &p));
	CHECK_STR(p.name, "a");
	CHECK_EQ(p.digits, 1);
	CHECK(pipa_placeholder_next("{{ {a:.1f} {b:%} {", &offset, &p));
	CHECK_STR(p.fault, "invalid format, expected .0f to .9f");
	CHECK_EQ(p.start, 11);
	CHECK(pipa_placeholder_next("{{ {a:.1f} {b:%} {", &offset, &p));
	CHECK_STR(p.fault, "missing }");
	CHECK(!pipa_placeholder_next("{{ {a:.1f} {b:%} {", &offset, &p));
}

/* ---- evaluation ---------------------------------------------------------------------------------- */

static struct pipa_rule_scalar scalar(const char *text)
{
	return (struct pipa_rule_scalar){ .text = text, .raw = text, .line = 7, .column = 3 };
}

static void set_rule(struct pipa_rule_entry *rule, const char *expression, ptrdiff_t parent,
		     enum pipa_severity severity, double confidence)
{
	*rule = (struct pipa_rule_entry){ .precondition = scalar(expression),
					  .parent = parent,
					  .severity = severity,
					  .confidence = confidence };
	rule->finding.in[0] = rule->finding.in[1] = scalar("found");
}

TEST(rules_below_an_inactive_rule_are_not_reached)
{
	struct pipa_rule_entry items[6];
	struct pipa_rules rules = { .items = items, .n = 6 };
	PIPA_AUTO(pipa_findings_done) struct pipa_findings findings = { 0 };

	set_variable("x", PIPA_VALUE_NUMBER, 5, NULL);
	set_variable("gone", PIPA_VALUE_ABSENT, 0, NULL);
	set_rule(&items[0], "x > 9 or x == 1", PIPA_RULE_NO_PARENT, PIPA_SEVERITY_INFO, NAN);
	set_rule(&items[1], "x > 1", 0, PIPA_SEVERITY_INFO, NAN);
	set_rule(&items[2], "x > 1 and x > 2", PIPA_RULE_NO_PARENT, PIPA_SEVERITY_INFO, NAN);
	set_rule(&items[3], "gone > 1", 2, PIPA_SEVERITY_INFO, NAN);
	set_rule(&items[4], "x >", 2, PIPA_SEVERITY_INFO, NAN);
	set_rule(&items[5], "x > 'a'", 2, PIPA_SEVERITY_INFO, NAN);
	CHECK_EQ(pipa_rules_evaluate(&rules, &context, &findings), 0);
	CHECK_EQ(findings.results[0].state, PIPA_RULE_NOT_FIRED);
	CHECK_EQ(findings.results[0].n_tests, 2);
	CHECK_STR(findings.results[0].tests[1].text, "x == 1");
	CHECK_EQ(findings.results[1].state, PIPA_RULE_NOT_REACHED);
	CHECK_EQ(findings.results[1].truth, PIPA_TRUTH_TRUE);
	CHECK_EQ(findings.results[2].state, PIPA_RULE_FIRED);
	CHECK_EQ(findings.results[3].state, PIPA_RULE_UNKNOWN);
	CHECK_EQ(findings.results[4].state, PIPA_RULE_INVALID);
	CHECK_STR(findings.results[4].fault, "the expression ends early");
	CHECK_EQ(findings.results[4].line, 7);
	CHECK_EQ(findings.results[4].column, 6);
	CHECK_EQ(findings.results[5].state, PIPA_RULE_INVALID);
	CHECK_EQ(findings.n, 1);
	CHECK_EQ(findings.order[0], 2);
	pipa_context_done(&context);
}

TEST(findings_are_ordered_by_severity_then_confidence_then_position)
{
	struct pipa_rule_entry items[5];
	struct pipa_rules rules = { .items = items, .n = 5 };
	PIPA_AUTO(pipa_findings_done) struct pipa_findings findings = { 0 };
	static const size_t order[] = { 3, 2, 4, 1, 0 };
	size_t i;

	set_variable("good", PIPA_VALUE_NUMBER, 5, NULL);
	set_variable("poor", PIPA_VALUE_NUMBER, 5, NULL);
	context.items[1].quality = 0.5;
	set_rule(&items[0], "good", PIPA_RULE_NO_PARENT, PIPA_SEVERITY_INFO, 1);
	set_rule(&items[1], "poor", PIPA_RULE_NO_PARENT, PIPA_SEVERITY_WARNING, 0.9);
	set_rule(&items[2], "good", PIPA_RULE_NO_PARENT, PIPA_SEVERITY_WARNING, 0.5);
	set_rule(&items[3], "good", PIPA_RULE_NO_PARENT, PIPA_SEVERITY_CRITICAL, 0.1);
	set_rule(&items[4], "good", PIPA_RULE_NO_PARENT, PIPA_SEVERITY_WARNING, 0.5);
	CHECK_EQ(pipa_rules_evaluate(&rules, &context, &findings), 0);
	CHECK_EQ(findings.n, 5);
	for (i = 0; i < 5; i++)
		CHECK_EQ(findings.order[i], order[i]);
	CHECK_NEAR(findings.results[1].confidence, 0.45, 1e-9);
	pipa_context_done(&context);
}

TEST(unknown_names_and_syntax_errors_are_problems_with_positions)
{
	struct pipa_rule_entry *items = calloc(2, sizeof(*items));
	struct pipa_rules rules = { .items = items, .n = 2, .cap = 2 };

	CHECK(items);
	set_rule(&items[0], "total_cpu > 1 and total_cpus > 1", PIPA_RULE_NO_PARENT,
		 PIPA_SEVERITY_INFO, 1);
	set_rule(&items[1], "total_cpu > > 1", PIPA_RULE_NO_PARENT, PIPA_SEVERITY_INFO, 1);
	items[0].file = items[1].file = "r.yaml";
	items[1].precondition.line = 9;
	items[0].finding.in[0] = scalar("at {total_cpu:.1f} of {nothing} {total_cpu:x}");
	CHECK_EQ(pipa_rules_check(&rules), 0);
	CHECK_EQ(rules.problems.n, 4);
	CHECK_HAS(rules.problems.items[0].what,
		  "unknown name 'total_cpus', did you mean total_cpu");
	CHECK_EQ(rules.problems.items[0].column, 21);
	CHECK_STR(rules.problems.items[1].what, "unknown name 'nothing'");
	CHECK_EQ(rules.problems.items[1].column, 26);
	CHECK_STR(rules.problems.items[2].what, "invalid format, expected .0f to .9f");
	CHECK_STR(rules.problems.items[3].what, "expected a value");
	CHECK_EQ(rules.problems.items[3].column, 15);
	pipa_rules_done(&rules);
}
