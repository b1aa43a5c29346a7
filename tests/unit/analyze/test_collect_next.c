#include "analyze/report/collect_next.h"

#include <string.h>

#include "analyze/quality/quality.h"
#include "analyze/rules/evaluate.h"
#include "analyze/series/phases.h"
#include "base/auto.h"
#include "lib/test.h"
#include "model/series_set.h"

static struct pipa_series_set series;
static struct pipa_defect defects[16];
static struct pipa_quality quality = { .items = defects };
static struct pipa_phases phases = { .reason = PIPA_PHASES_ALL_STEADY, .end_ns = 60000000000 };
static struct pipa_rule_entry entries[8];
static struct pipa_rules rules = { .items = entries };
static struct pipa_rule_result results[8];
static struct pipa_rule_input inputs[8];
static struct pipa_variable variables[8];
static struct pipa_findings findings = { .results = results };
static struct pipa_next_steps steps;

/* Add a rule that cannot be decided because a variable is absent. */
static void add_unknown(const char *name, const char *zh, const char *variable)
{
	size_t i = rules.n++;

	entries[i] = (struct pipa_rule_entry){ .id = "id" };
	entries[i].name.in[PIPA_LANGUAGE_EN].text = name;
	entries[i].name.in[PIPA_LANGUAGE_ZH].text = zh;
	variables[i] = (struct pipa_variable){ .name = variable };
	inputs[i] = (struct pipa_rule_input){ variable, &variables[i] };
	results[i] = (struct pipa_rule_result){ .state = PIPA_RULE_UNKNOWN,
						.inputs = &inputs[i],
						.n_inputs = 1 };
	findings.n_results = rules.n;
}

static void add_defect(enum pipa_defect_kind kind, const char *instance, double share)
{
	defects[quality.n++] = (struct pipa_defect){
		.kind = kind, .section = "counters", .instance = instance, .share = share
	};
}

/* Make the proposals with a recording of so many samples. */
static void propose(uint64_t samples)
{
	const struct pipa_next_input input = { .series = &series,
					       .quality = &quality,
					       .phases = &phases,
					       .rules = &rules,
					       .findings = &findings,
					       .has_profile = samples > 0,
					       .has_stacks = samples > 1,
					       .samples = samples };

	pipa_next_steps_done(&steps);
	steps = (struct pipa_next_steps){ 0 };
	CHECK_EQ(pipa_collect_next(&input, &steps), 0);
}

static const struct pipa_next_step *step(const char *id)
{
	size_t i;

	for (i = 0; i < steps.n; i++)
		if (strcmp(steps.items[i].id, id) == 0)
			return &steps.items[i];
	return NULL;
}

static const char *command(const char *id)
{
	const struct pipa_next_step *found = step(id);

	return found ? found->command : "(none)";
}

TEST(complete_data_has_no_proposal)
{
	propose(5000);
	CHECK_EQ(steps.n, 0u);
}

TEST(a_short_measurement_is_to_be_longer)
{
	phases.reason = PIPA_PHASES_TOO_SHORT;
	phases.end_ns = 5000000000;
	propose(5000);
	CHECK_EQ(steps.n, 1u);
	CHECK_STR(command("longer"), "pipa collect --duration-stat 120 --no-record");
	CHECK_STR(step("longer")->config, "duration_stat: 120\ncount_delta_stat: 1000\n");
	CHECK(strstr(step("longer")->why[PIPA_LANGUAGE_EN], "5 s"));
	CHECK(strstr(step("longer")->why[PIPA_LANGUAGE_ZH], "5 秒"));
}

TEST(a_measurement_without_a_level_is_to_be_three_times_as_long)
{
	phases.reason = PIPA_PHASES_NO_LEVEL;
	phases.end_ns = 200000000000;
	propose(5000);
	CHECK_STR(command("longer"), "pipa collect --duration-stat 600 --no-record");
	phases.end_ns = 20000000000;
	propose(5000);
	CHECK_STR(command("longer"), "pipa collect --duration-stat 300 --no-record");
	phases.end_ns = UINT64_C(90000000000000);
	propose(5000);
	CHECK_STR(command("longer"), "pipa collect --duration-stat 3600 --no-record");
}

TEST(rules_without_counters_are_named_with_their_events)
{
	add_unknown("low IPC", "IPC 低", "ipc");
	add_unknown("mispredictions", "分支预测失败", "branch_mpki");
	propose(5000);
	CHECK_EQ(steps.n, 1u);
	CHECK_STR(command("counters"), "pipa collect --no-record --perf-events "
				       "'cycles,instructions,branch-misses'");
	CHECK(strstr(step("counters")->why[PIPA_LANGUAGE_EN], "low IPC, mispredictions."));
	CHECK(strstr(step("counters")->why[PIPA_LANGUAGE_ZH], "IPC 低、分支预测失败。"));
	CHECK(strstr(step("counters")->config,
		     "events_stat: \"cycles,instructions,branch-misses\"\n"));
}

TEST(long_lists_of_rules_are_shortened)
{
	size_t i;

	for (i = 0; i < 6; i++)
		add_unknown("x", "x", "ipc");
	propose(5000);
	CHECK(strstr(step("counters")->why[PIPA_LANGUAGE_EN], "x, x, x, x and 2 more."));
	CHECK(strstr(step("counters")->why[PIPA_LANGUAGE_ZH], "x、x、x、x 等 6 条。"));
}

TEST(missing_statistics_have_the_command_that_records_them)
{
	add_unknown("disk", "磁盘", "p95_disk_util");
	add_unknown("memory pressure", "内存压力", "psi_memory");
	add_unknown("soft interrupts", "软中断", "max_cpu_soft");
	add_unknown("switches", "切换", "avg_nvcswch_s");
	add_unknown("NUMA", "NUMA", "numa_max_diff"); /* one node: nothing to collect */
	propose(5000);
	CHECK_EQ(steps.n, 3u);
	CHECK_STR(command("statistics"), "pipa collect --no-record");
	CHECK_STR(command("monitor"), "pipa monitor -A -P ALL -n 60 -o statistics");
	CHECK(strstr(step("monitor")->why[PIPA_LANGUAGE_EN], "memory pressure, soft interrupts."));
	CHECK_STR(command("processes"), "pipa monitor --processes -n 60 -o processes");
	CHECK_STR(step("processes")->config, "");
}

TEST(a_rule_that_is_decided_needs_nothing)
{
	add_unknown("low IPC", "IPC 低", "ipc");
	results[0].state = PIPA_RULE_NOT_FIRED;
	propose(5000);
	CHECK_EQ(steps.n, 0u);
}

TEST(multiplexed_counters_are_counted_few_at_a_time)
{
	static const char *const names[] = { "cycles CPU0", "cycles CPU1",   "instructions",
					     "branches",    "branch-misses", "LLC-loads:u",
					     "it's; rm -rf" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		add_defect(PIPA_DEFECT_MULTIPLEXED, names[i], 0.4);
	propose(5000);
	CHECK_EQ(steps.n, 2u);
	CHECK_STR(steps.items[0].command, "pipa collect --no-record --perf-events "
					  "'cycles,instructions,branches,branch-misses'");
	CHECK_STR(steps.items[1].command, "pipa collect --no-record --perf-events 'LLC-loads:u'");
	CHECK(strstr(steps.items[0].why[PIPA_LANGUAGE_EN], "40 %"));
}

TEST(missed_intervals_are_to_be_longer)
{
	add_defect(PIPA_DEFECT_LATE, "", 0.1);
	propose(5000);
	CHECK_STR(command("intervals"),
		  "pipa collect --no-record --perf-stat-interval 2000 --sar-interval 2");
	quality.n = 0;
	add_defect(PIPA_DEFECT_GAP, "", 0.001);
	propose(5000);
	CHECK_EQ(steps.n, 0u);
}

TEST(sample_options_are_proposed_from_the_defects_of_the_recording)
{
	propose(0);
	CHECK_STR(command("samples"), "pipa collect --no-stat");
	propose(1); /* without stacks */
	CHECK_STR(command("samples"), "pipa collect --no-stat");
	CHECK(strstr(step("samples")->why[PIPA_LANGUAGE_EN], "no call stacks"));
	propose(999);
	CHECK_STR(command("samples"), "pipa collect --no-stat --perf-record-freq 997");
	add_defect(PIPA_DEFECT_LOST_SAMPLES, "", 0.05);
	propose(5000);
	CHECK_STR(command("samples"),
		  "pipa collect --no-stat --duration-record 120 --perf-record-freq 49");
}

TEST(all_steps_are_merged_into_one_collection)
{
	phases.reason = PIPA_PHASES_TOO_SHORT;
	add_unknown("low IPC", "IPC 低", "ipc");
	propose(10);
	CHECK_EQ(steps.n, 4u);
	CHECK_STR(steps.items[0].id, "all");
	CHECK_STR(steps.items[0].command,
		  "pipa collect --duration-stat 120 --perf-record-freq 997 --perf-events "
		  "'cycles,instructions'");
}
