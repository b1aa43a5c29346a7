#include "collect/count/resolve.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>

#include "base/error.h"
#include "kernel/machine/root.h"
#include "lib/machines.h"
#include "lib/test.h"
#include "perf/event_spec.h"

static struct pipa_machine machine;
static struct pipa_events events;
static struct pipa_error err;
static bool no_merge;

/* Resolve a list on the machine below prefix; what it means is in `events`, or why not in `err`. */
static int resolve(const char *prefix, const char *text)
{
	static struct pipa_specs specs;
	static struct pipa_root *root;
	int rc;

	pipa_events_done(&events);
	pipa_specs_done(&specs);
	pipa_machine_done(&machine);
	pipa_root_close(root);
	root = NULL;
	err = (struct pipa_error){ 0 };
	CHECK_EQ(pipa_root_open(prefix, &root, NULL), 0);
	CHECK_EQ(pipa_machine_load(&machine, root, NULL), 0);
	machine.no_merge = no_merge;
	rc = pipa_specs_parse(&specs, text, &err);
	return rc ? rc : pipa_resolve(&machine, &specs, &events, &err);
}

/* The one event that the text means. */
static const struct pipa_event *only(const char *prefix, const char *text)
{
	int rc = resolve(prefix, text);

	if (rc)
		pipa_test_fail(__FILE__, __LINE__, "%s: %s", text, err.what);
	CHECK_EQ(events.n, 1);
	return &events.items[0];
}

static void check_config(const char *prefix, const char *text, uint32_t type, uint64_t config,
			 uint64_t config1)
{
	const struct pipa_event *event = only(prefix, text);

	if (event->attr.type != type || event->attr.config != config ||
	    event->attr.config1 != config1)
		pipa_test_fail(__FILE__, __LINE__, "%s is %u/%#llx/%#llx, not %u/%#llx/%#llx", text,
			       event->attr.type, (unsigned long long)event->attr.config,
			       (unsigned long long)event->attr.config1, type,
			       (unsigned long long)config, (unsigned long long)config1);
}

static void check_refused(const char *prefix, const char *text, int code, const char *what,
			  const char *hint)
{
	int rc = resolve(prefix, text);

	if (rc != code)
		pipa_test_fail(__FILE__, __LINE__, "%s gives %d (%s), not %d", text, rc, err.what,
			       code);
	CHECK_HAS(err.what, what);
	CHECK_HAS(err.hint, hint);
}

/* ---- names that mean the same everywhere -------------------------------------------------- */

TEST(a_generic_event_is_one_event_on_a_machine_with_one_core_pmu)
{
	const struct pipa_event *event = only(machine_icelake(), "cycles");

	CHECK_EQ(event->attr.type, PERF_TYPE_HARDWARE);
	CHECK_EQ(event->attr.config, PERF_COUNT_HW_CPU_CYCLES);
	CHECK_EQ(event->attr.size, sizeof(event->attr));
	CHECK_EQ(event->kind, PIPA_EVENT_HW);
	CHECK(event->attr.exclude_guest);
	CHECK(!event->attr.exclude_kernel && !event->attr.exclude_user && !event->attr.exclude_hv);
	CHECK_STR(event->name, "cycles");
	CHECK(!event->pmu && !event->sum);
	CHECK_EQ(event->leader, 0);
	CHECK_EQ(event->family, 0);
	CHECK_EQ(event->cgroup, -1);
	CHECK_NEAR(event->scale, 1, 0);
}

TEST(second_spellings_show_as_written_and_are_known_by_the_first)
{
	static const char *const pairs[][2] = {
		{ "cpu-cycles", "cycles" },
		{ "branch-instructions:u", "branches" },
		{ "cs", "context-switches" },
		{ "faults", "page-faults" },
		{ "migrations", "cpu-migrations" },
		{ "l1d-read-miss", "L1-dcache-load-misses" },
		{ "LLC-loads", "LLC-loads" },
		{ "idle-cycles-backend", "stalled-cycles-backend" },
	};
	const char *prefix = machine_icelake();
	size_t i;

	for (i = 0; i < PIPA_COUNT(pairs); i++) {
		const struct pipa_event *event = only(prefix, pairs[i][0]);

		CHECK_STR(event->name, pairs[i][0]);
		CHECK_STR(event->key, pairs[i][1]);
	}
}

TEST(cache_events_are_cells_of_the_matrix)
{
	const char *prefix = machine_icelake();

	check_config(prefix, "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0, 0);
	check_config(prefix, "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, 0);
	check_config(prefix, "LLC-stores", PERF_TYPE_HW_CACHE, 0x102, 0);
	check_config(prefix, "dTLB-prefetch-misses", PERF_TYPE_HW_CACHE, 0x10203, 0);
	CHECK(events.items[0].attr.exclude_guest);
}

TEST(clocks_show_milliseconds_of_their_nanoseconds)
{
	static const char *const clocks[] = { "task-clock", "cpu-clock" };
	const char *prefix = machine_plain();
	size_t i;

	for (i = 0; i < 2; i++) {
		CHECK_STR(only(prefix, clocks[i])->unit, "msec");
		CHECK_NEAR(events.items[0].scale, 1e-6, 0);
		CHECK(!events.items[0].attr.exclude_guest);
	}
	CHECK_STR(only(prefix, "page-faults")->unit, "");
}

TEST(tool_events_need_no_kernel_and_join_no_group)
{
	CHECK_EQ(resolve(machine_plain(), "{page-faults,duration_time,user_time,cs,system_time}"),
		 0);
	CHECK_EQ(events.items[1].tool, PIPA_TOOL_DURATION);
	CHECK_EQ(events.items[2].tool, PIPA_TOOL_USER);
	CHECK_EQ(events.items[4].tool, PIPA_TOOL_SYSTEM);
	CHECK_STR(events.items[1].unit, "ns");
	CHECK_EQ(events.items[1].leader, 1);
	CHECK_EQ(events.items[2].leader, 2);
	CHECK_EQ(events.items[3].leader, 0);
	CHECK_EQ(events.items[4].leader, 4);
}

TEST(a_tool_event_at_the_head_of_a_group_leaves_the_lead_to_the_next)
{
	CHECK_EQ(resolve(machine_plain(), "{duration_time,page-faults,cs}"), 0);
	CHECK_EQ(events.items[0].leader, 0);
	CHECK_EQ(events.items[1].leader, 1);
	CHECK_EQ(events.items[2].leader, 1);
}

TEST(a_raw_code_goes_to_the_core_pmu)
{
	const char *prefix = machine_icelake();

	check_config(prefix, "r1a8", PERF_TYPE_RAW, 0x1a8, 0);
	CHECK_EQ(events.items[0].kind, PIPA_EVENT_RAW);
	CHECK(events.items[0].attr.exclude_guest);
	check_config(prefix, "r1A8:k", PERF_TYPE_RAW, 0x1a8, 0);
	CHECK(events.items[0].attr.exclude_user);
}

/* ---- modifiers and groups ----------------------------------------------------------------- */

TEST(modifiers_set_the_flags_they_stand_for)
{
	const char *prefix = machine_icelake();
	const struct perf_event_attr *attr;

	attr = &only(prefix, "cycles:u")->attr;
	CHECK(attr->exclude_kernel && attr->exclude_hv && !attr->exclude_user);
	attr = &only(prefix, "cycles:k")->attr;
	CHECK(!attr->exclude_kernel && attr->exclude_hv && attr->exclude_user);
	attr = &only(prefix, "cycles:h")->attr;
	CHECK(attr->exclude_kernel && !attr->exclude_hv && attr->exclude_user);
	attr = &only(prefix, "cycles:uk")->attr;
	CHECK(!attr->exclude_kernel && attr->exclude_hv && !attr->exclude_user);
	attr = &only(prefix, "cycles:G")->attr;
	CHECK(!attr->exclude_guest && attr->exclude_host);
	attr = &only(prefix, "cycles:H")->attr;
	CHECK(attr->exclude_guest && !attr->exclude_host);
	attr = &only(prefix, "cycles:GH")->attr;
	CHECK(!attr->exclude_guest && !attr->exclude_host);
	CHECK(only(prefix, "cycles:I")->attr.exclude_idle);
	CHECK(only(prefix, "cycles:D")->attr.pinned);
	CHECK(only(prefix, "cycles:e")->attr.exclusive);
	CHECK(only(prefix, "cycles:W")->weak);
	CHECK_EQ(only(prefix, "cycles:p")->attr.precise_ip, 1);
	CHECK_EQ(only(prefix, "cycles:ppp")->attr.precise_ip, 3);
	CHECK_EQ(only(prefix, "cycles:P")->attr.precise_ip, 3);
	CHECK_EQ(only(prefix, "cycles:S")->attr.precise_ip, 0); /* of use when sampling only */
	CHECK_STR(only(prefix, "cycles:ukpp")->name, "cycles:ukpp");
}

TEST(a_pmu_event_takes_modifiers_after_its_slash)
{
	const struct pipa_event *event = only(machine_icelake(), "cpu/event=0x3c/kG");

	CHECK(event->attr.exclude_user && !event->attr.exclude_kernel);
	CHECK(!event->attr.exclude_guest && event->attr.exclude_host);
	CHECK_STR(event->name, "cpu/event=0x3c/kG");
	CHECK(only(machine_icelake(), "cpu/event=0x3c/")->attr.exclude_guest);
}

TEST(groups_point_at_their_first_event)
{
	CHECK_EQ(
		resolve(machine_icelake(),
			"task-clock,{cycles,instructions},cs,{branches,page-faults,branch-misses}:u"),
		0);
	CHECK_EQ(events.n, 7);
	CHECK_EQ(events.items[0].leader, 0);
	CHECK_EQ(events.items[1].leader, 1);
	CHECK_EQ(events.items[2].leader, 1);
	CHECK_EQ(events.items[3].leader, 3);
	CHECK_EQ(events.items[4].leader, 4);
	CHECK_EQ(events.items[5].leader, 4);
	CHECK_EQ(events.items[6].leader, 4);
	CHECK_STR(events.items[6].name, "branch-misses:u");
	CHECK(events.items[6].attr.exclude_kernel);
}

TEST(lists_given_one_after_the_other_keep_their_groups_apart)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs more = { 0 };

	CHECK_EQ(resolve(machine_icelake(), "{cycles,instructions}"), 0);
	CHECK_EQ(pipa_specs_parse(&more, "{branches,branch-misses}", &err), 0);
	CHECK_EQ(pipa_resolve(&machine, &more, &events, &err), 0);
	CHECK_EQ(events.n, 4);
	CHECK_EQ(events.items[1].leader, 0);
	CHECK_EQ(events.items[2].leader, 2);
	CHECK_EQ(events.items[3].leader, 2);
}

/* ---- what a PMU names --------------------------------------------------------------------- */

TEST(terms_fill_the_bits_of_the_pmu_format)
{
	const char *prefix = machine_icelake();

	check_config(prefix, "cpu/event=0x3c,umask=0/", MACHINE_CPU, 0x3c, 0);
	check_config(prefix, "cpu/event=0xc2,umask=0x2,cmask=1,inv,edge=1/", MACHINE_CPU,
		     0x01840000 | 0x2c2, 0);
	check_config(prefix, "cpu/event=0xb7,umask=1,offcore_rsp=0xffffffffffffffff/", MACHINE_CPU,
		     0x1b7, UINT64_MAX);
	check_config(prefix, "cpu/in_tx=1,event=60/", MACHINE_CPU, 1ULL << 32 | 60, 0);
	check_config(prefix, "cpu/config=0x1234,config1=5/", MACHINE_CPU, 0x1234, 5);
	check_config(prefix, "cpu//", MACHINE_CPU, 0, 0);
	check_config(prefix, "software/config=2/", PERF_TYPE_SOFTWARE, 2, 0);
	check_config(machine_server(), "uncore_imc_0/umask_ext=0x1ff/", MACHINE_IMC,
		     1ULL << 32 | 0xff00, 0);
}

TEST(config2_is_a_word_too)
{
	const char *prefix = machine_icelake();

	machine_format(prefix, "cpu", "far", "config2:4-7");
	CHECK_EQ(only(prefix, "cpu/far=0xf/")->attr.config2, 0xf0);
	CHECK_EQ(only(prefix, "cpu/config2=3/")->attr.config2, 3);
}

TEST(a_term_with_a_malformed_format_is_unknown)
{
	const char *prefix = machine_icelake();

	machine_format(prefix, "cpu", "odd", "config:9-8");
	machine_format(prefix, "cpu", "wide", "config:60-64");
	machine_format(prefix, "cpu", "other", "config7:1");
	check_refused(prefix, "cpu/odd=1/", -EINVAL, "PMU cpu has no term or event 'odd'", "");
	check_refused(prefix, "cpu/wide=1/", -EINVAL, "no term or event 'wide'", "");
	check_refused(prefix, "cpu/other=1/", -EINVAL, "no term or event 'other'", "");
}

TEST(events_of_a_pmu_are_known_with_and_without_its_name)
{
	const char *prefix = machine_icelake();

	check_config(prefix, "cpu/mem-loads/", MACHINE_CPU, 0x1cd, 3);
	CHECK_STR(events.items[0].name, "cpu/mem-loads/");
	CHECK_STR(events.items[0].key, "mem-loads");
	CHECK_STR(events.items[0].pmu, "cpu");
	CHECK_EQ(events.items[0].kind, PIPA_EVENT_PMU);
	check_config(prefix, "mem-loads:u", MACHINE_CPU, 0x1cd, 3);
	CHECK_STR(events.items[0].name, "mem-loads:u");
	CHECK_STR(events.items[0].key, "mem-loads");
	CHECK(events.items[0].attr.exclude_kernel);
	CHECK(!events.items[0].sum);
	check_config(prefix, "topdown-be-bound", MACHINE_CPU, 0x8300, 0);
}

TEST(a_later_term_overrides_that_of_the_event)
{
	check_config(machine_icelake(), "cpu/mem-loads,ldlat=30/", MACHINE_CPU, 0x1cd, 30);
}

TEST(generic_names_work_inside_a_core_pmu)
{
	const char *prefix = machine_icelake();

	check_config(prefix, "cpu/cycles/", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0);
	CHECK_STR(events.items[0].key, "cycles");
	check_config(prefix, "cpu/L1-dcache-load-misses/u", PERF_TYPE_HW_CACHE, 0x10000, 0);
	CHECK_EQ(events.items[0].kind, PIPA_EVENT_CACHE);
	/* the PMU's own word for it wins */
	check_config(prefix, "cpu/instructions/", MACHINE_CPU, 0xc0, 0);
	check_refused(machine_server(), "power/cycles/", -EINVAL, "PMU power has no", "");
	check_refused(prefix, "cpu/page-faults/", -EINVAL, "PMU cpu has no", "");
}

TEST(name_gives_an_event_another_name)
{
	CHECK_STR(only(machine_icelake(), "cpu/event=0x3c,name=ticks/")->name, "ticks");
	CHECK_EQ(events.items[0].attr.config, 0x3c);
}

TEST(scale_and_unit_come_from_the_pmu)
{
	const struct pipa_event *event = only(machine_server(), "power/energy-pkg/");

	CHECK_EQ(event->attr.type, MACHINE_POWER);
	CHECK_EQ(event->attr.config, 2);
	CHECK_STR(event->unit, "Joules");
	CHECK_NEAR(event->scale, 2.3283064365386962890625e-10, 1e-25);
	CHECK(event->uncore);
	CHECK(!event->attr.exclude_guest); /* packages know no guests, and refuse the flag */
	CHECK_EQ(event->cpus.n, 2);
	CHECK_EQ(event->cpus.items[0], 0);
	CHECK_EQ(event->cpus.items[1], 4);
}

TEST(a_malformed_scale_is_treated_as_one)
{
	const char *prefix = machine_server();

	machine_event(prefix, "power", "energy-odd", "event=0x7", "lots", "Joules");
	CHECK_NEAR(only(prefix, "power/energy-odd/")->scale, 1, 0);
}

TEST(a_question_mark_is_the_users_to_fill)
{
	const char *prefix = machine_server();

	check_config(prefix, "uncore_imc_0/rank,umask=5/", MACHINE_IMC, 0x510, 0);
	check_config(prefix, "uncore_imc_0/umask=5,rank/", MACHINE_IMC, 0x510, 0);
	check_refused(prefix, "uncore_imc_0/rank/", -EINVAL, "uncore_imc_0/rank/ needs umask=VALUE",
		      "");
	check_refused(prefix, "uncore_imc_0/rank,umask/", -EINVAL, "needs umask=VALUE", "");
}

/* ---- several PMUs ------------------------------------------------------------------------- */

TEST(a_generic_event_of_a_hybrid_machine_is_one_per_core_pmu)
{
	CHECK_EQ(resolve(machine_hybrid(), "page-faults,cycles:u"), 0);
	CHECK_EQ(events.n, 3);
	CHECK_STR(events.items[1].name, "cpu_atom/cycles/u");
	CHECK_STR(events.items[2].name, "cpu_core/cycles/u");
	CHECK_EQ(events.items[1].attr.type, PERF_TYPE_HARDWARE);
	CHECK_EQ(events.items[1].attr.config, (uint64_t)MACHINE_ATOM << 32);
	CHECK_EQ(events.items[2].attr.config, (uint64_t)MACHINE_CPU << 32);
	CHECK_EQ(events.items[1].cpus.n, 4);
	CHECK_EQ(events.items[1].cpus.items[0], 4);
	CHECK_EQ(events.items[2].cpus.items[3], 3);
	CHECK_EQ(events.items[1].family, 1);
	CHECK_EQ(events.items[2].family, 1);
	CHECK(events.items[1].apart && events.items[2].apart);
	CHECK_STR(events.items[1].sum, "cycles:u");
	CHECK_STR(events.items[2].key, "cycles");
	CHECK(!events.items[1].uncore);
	CHECK(!events.items[0].sum);
}

TEST(cache_and_raw_events_of_a_hybrid_machine_are_one_per_core_pmu_too)
{
	const char *prefix = machine_hybrid();

	CHECK_EQ(resolve(prefix, "LLC-load-misses"), 0);
	CHECK_EQ(events.n, 2);
	CHECK_EQ(events.items[0].attr.type, PERF_TYPE_HW_CACHE);
	CHECK_EQ(events.items[0].attr.config, (uint64_t)MACHINE_ATOM << 32 | 0x10002);
	CHECK_EQ(resolve(prefix, "r1a8"), 0);
	CHECK_EQ(events.n, 2);
	CHECK_EQ(events.items[0].attr.type, MACHINE_ATOM);
	CHECK_EQ(events.items[0].attr.config, 0x1a8);
	CHECK_EQ(events.items[1].attr.type, MACHINE_CPU);
	CHECK_STR(events.items[1].name, "cpu_core/r1a8/");
	CHECK_STR(events.items[1].sum, "r1a8");
}

TEST(a_named_core_pmu_is_not_summed_with_the_other)
{
	const char *prefix = machine_hybrid();

	check_config(prefix, "cpu_atom/cycles/", PERF_TYPE_HARDWARE, (uint64_t)MACHINE_ATOM << 32,
		     0);
	CHECK_STR(events.items[0].name, "cpu_atom/cycles/");
	CHECK(!events.items[0].sum);
	CHECK_EQ(events.items[0].cpus.items[0], 4);
	check_config(prefix, "cpu_core/topdown-retiring/", MACHINE_CPU, 0x8000, 0);
	/* only one of them has it */
	check_config(prefix, "slots", MACHINE_CPU, 0x400, 0);
	CHECK_STR(events.items[0].name, "slots");
}

TEST(a_name_that_both_core_pmus_define_is_counted_on_both_and_summed)
{
	CHECK_EQ(resolve(machine_biglittle(), "inst_retired:u"), 0);
	CHECK_EQ(events.n, 2);
	CHECK_STR(events.items[0].name, "armv8_cortex_a53/inst_retired/u");
	CHECK_STR(events.items[1].name, "armv8_cortex_a73/inst_retired/u");
	CHECK_EQ(events.items[0].attr.type, MACHINE_A53);
	CHECK_EQ(events.items[1].attr.type, MACHINE_A73);
	CHECK_EQ(events.items[0].attr.config, 8);
	CHECK_EQ(events.items[1].family, 0);
	CHECK(events.items[1].apart);
	CHECK_STR(events.items[1].sum, "inst_retired:u");
}

TEST(a_generic_event_goes_by_the_name_that_each_arm_pmu_has_for_it)
{
	const char *prefix = machine_biglittle();

	/* cycles are cpu_cycles there, which kernels before 6.7 can aim at a PMU */
	CHECK_EQ(resolve(prefix, "cycles:u"), 0);
	CHECK_EQ(events.n, 2);
	CHECK_STR(events.items[0].name, "armv8_cortex_a53/cycles/u");
	CHECK_EQ(events.items[0].attr.type, MACHINE_A53);
	CHECK_EQ(events.items[0].attr.config, 0x11);
	CHECK_EQ(events.items[1].attr.type, MACHINE_A73);
	CHECK_EQ(events.items[1].kind, PIPA_EVENT_HW);
	CHECK_STR(events.items[1].key, "cycles");
	CHECK_STR(events.items[1].sum, "cycles:u");
	CHECK(events.items[1].attr.exclude_guest && events.items[1].attr.exclude_kernel);
	CHECK_EQ(resolve(prefix, "L1-dcache-load-misses"), 0);
	CHECK_EQ(events.items[1].attr.type, MACHINE_A73);
	CHECK_EQ(events.items[1].attr.config, 3);
	check_config(prefix, "armv8_cortex_a73/cycles/", MACHINE_A73, 0x11, 0);
	CHECK_STR(events.items[0].key, "cycles");
}

TEST(a_generic_event_that_the_arm_pmus_have_no_name_for_is_aimed_through_its_config)
{
	CHECK_EQ(resolve(machine_biglittle(), "branches"), 0);
	CHECK_EQ(events.n, 2);
	CHECK_EQ(events.items[0].attr.type, PERF_TYPE_HARDWARE);
	CHECK_EQ(events.items[0].attr.config,
		 (uint64_t)MACHINE_A53 << 32 | PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
}

TEST(a_glob_over_core_pmus_is_summed_as_well)
{
	CHECK_EQ(resolve(machine_biglittle(), "armv8_cortex_*/event=0x11/k"), 0);
	CHECK_EQ(events.n, 2);
	CHECK_STR(events.items[0].name, "armv8_cortex_a53/event=0x11/k");
	CHECK_STR(events.items[0].sum, "armv8_cortex_*/event=0x11/k");
}

TEST(instances_of_an_uncore_pmu_are_one_line)
{
	static const char *const spellings[] = { "uncore_imc/cas_count_read/",
						 "imc/cas_count_read/",
						 "uncore_imc_*/cas_count_read/" };
	const char *prefix = machine_server();
	size_t s, i;

	for (s = 0; s < PIPA_COUNT(spellings); s++) {
		CHECK_EQ(resolve(prefix, spellings[s]), 0);
		CHECK_EQ(events.n, 4);
		for (i = 0; i < 4; i++) {
			const struct pipa_event *event = &events.items[i];

			CHECK_EQ(event->attr.type, MACHINE_IMC + i);
			CHECK_EQ(event->attr.config, 0x304);
			CHECK_EQ(event->family, 0);
			CHECK(event->uncore && !event->apart);
			CHECK_STR(event->sum, spellings[s]);
			CHECK_STR(event->name, spellings[s]);
			CHECK_STR(event->unit, "MiB");
		}
	}
}

TEST(one_instance_and_a_part_of_them_can_be_named)
{
	const char *prefix = machine_server();

	CHECK_EQ(only(prefix, "uncore_imc_2/clockticks/")->attr.type, MACHINE_IMC + 2);
	CHECK(!events.items[0].sum);
	CHECK_EQ(resolve(prefix, "uncore_imc_[01]/clockticks/"), 0);
	CHECK_EQ(events.n, 2);
	CHECK_EQ(events.items[1].attr.type, MACHINE_IMC + 1);
}

TEST(a_bare_uncore_event_is_counted_on_all_its_instances)
{
	CHECK_EQ(resolve(machine_server(), "cas_count_write"), 0);
	CHECK_EQ(events.n, 4);
	CHECK_STR(events.items[3].sum, "cas_count_write");
	CHECK_EQ(events.items[3].family, 0);
}

TEST(without_merging_every_instance_has_its_name)
{
	no_merge = true;
	CHECK_EQ(resolve(machine_server(), "uncore_imc/clockticks/"), 0);
	CHECK_EQ(events.n, 4);
	CHECK_STR(events.items[0].name, "uncore_imc_0/clockticks/");
	CHECK_STR(events.items[3].name, "uncore_imc_3/clockticks/");
	CHECK(!events.items[3].sum);
	CHECK_EQ(events.items[3].family, 3);
}

TEST(a_group_on_a_hybrid_machine_is_a_group_per_core_pmu)
{
	CHECK_EQ(resolve(machine_hybrid(), "{cycles,instructions}"), 0);
	CHECK_EQ(events.n, 4); /* atom, core, atom, core */
	CHECK_EQ(events.items[0].leader, 0);
	CHECK_EQ(events.items[1].leader, 1);
	CHECK_EQ(events.items[2].leader, 0);
	CHECK_EQ(events.items[3].leader, 1);
}

TEST(a_software_leader_takes_the_hardware_events_of_one_pmu)
{
	CHECK_EQ(resolve(machine_hybrid(), "{task-clock,cycles,page-faults,instructions}"), 0);
	CHECK_EQ(events.n, 6); /* clock, atom, core, faults, atom, core */
	CHECK_EQ(events.items[1].leader, 0);
	CHECK_EQ(events.items[2].leader, 2);
	CHECK_EQ(events.items[3].leader, 0);
	CHECK_EQ(events.items[4].leader, 0);
	CHECK_EQ(events.items[5].leader, 2);
}

TEST(a_package_wide_event_does_not_join_a_group_of_the_core)
{
	CHECK_EQ(
		resolve(machine_server(),
			"{cycles,uncore_imc_0/clockticks/,instructions,uncore_imc_0/cas_count_read/,"
			"power/energy-pkg/,cpu/event=0x3c/}"),
		0);
	CHECK_EQ(events.items[1].leader, 1);
	CHECK_EQ(events.items[2].leader, 0);
	CHECK_EQ(events.items[3].leader, 1);
	CHECK_EQ(events.items[4].leader, 4);
	CHECK_EQ(events.items[5].leader, 0);
}

/* ---- tracepoints and breakpoints ---------------------------------------------------------- */

TEST(a_tracepoint_has_the_number_tracefs_gives)
{
	const struct pipa_event *event = only(machine_plain(), "sched:sched_switch");

	CHECK_EQ(event->attr.type, PERF_TYPE_TRACEPOINT);
	CHECK_EQ(event->attr.config, 314);
	CHECK_EQ(event->kind, PIPA_EVENT_TRACEPOINT);
	CHECK_STR(event->name, "sched:sched_switch");
	CHECK_STR(event->key, "sched:sched_switch");
	CHECK(!event->attr.exclude_guest);
}

TEST(a_glob_means_all_tracepoints_it_matches_in_order)
{
	const char *prefix = machine_plain();

	CHECK_EQ(resolve(prefix, "sched:sched_*:u"), 0);
	CHECK_EQ(events.n, 3);
	CHECK_STR(events.items[0].name, "sched:sched_process_fork:u");
	CHECK_STR(events.items[1].name, "sched:sched_switch:u");
	CHECK_STR(events.items[2].name, "sched:sched_wakeup:u");
	CHECK(events.items[2].attr.exclude_kernel);
	CHECK_EQ(resolve(prefix, "*:*openat"), 0);
	CHECK_EQ(events.n, 2);
	CHECK_EQ(events.items[0].attr.config, 600);
}

TEST(entries_of_tracefs_without_an_id_are_skipped)
{
	CHECK_EQ(resolve(machine_plain(), "*:*"), 0);
	CHECK_EQ(events.n, 5);
}

TEST(tracepoints_of_a_glob_in_a_group_share_its_leader)
{
	CHECK_EQ(resolve(machine_plain(), "{sched:*,page-faults}"), 0);
	CHECK_EQ(events.n, 4);
	CHECK_EQ(events.items[2].leader, 0);
	CHECK_EQ(events.items[3].leader, 0);
}

TEST(a_breakpoint_watches_an_address)
{
	const char *prefix = machine_plain();
	const struct perf_event_attr *attr = &only(prefix, "mem:0x1000/8:w")->attr;

	CHECK_EQ(attr->type, PERF_TYPE_BREAKPOINT);
	CHECK_EQ(attr->bp_addr, 0x1000);
	CHECK_EQ(attr->bp_len, HW_BREAKPOINT_LEN_8);
	CHECK_EQ(attr->bp_type, HW_BREAKPOINT_W);
	attr = &only(prefix, "mem:4096")->attr;
	CHECK_EQ(attr->bp_len, HW_BREAKPOINT_LEN_4);
	CHECK_EQ(attr->bp_type, HW_BREAKPOINT_RW);
	attr = &only(prefix, "mem:0x1000:x:u")->attr;
	CHECK_EQ(attr->bp_len, sizeof(long));
	CHECK_EQ(attr->bp_type, HW_BREAKPOINT_X);
	CHECK(attr->exclude_kernel);
	CHECK_STR(events.items[0].name, "mem:0x1000:x:u");
}

/* ---- what is wrong gets a hint ------------------------------------------------------------ */

TEST(a_misspelt_event_is_answered_with_the_nearest_names)
{
	const char *prefix = machine_icelake();

	check_refused(prefix, "cycels", -ENOENT, "unknown event 'cycels'", "cycles");
	check_refused(prefix, "L1-dcache-load-mises", -ENOENT, "unknown event",
		      "L1-dcache-load-misses");
	check_refused(prefix, "topdown-retireing", -ENOENT, "unknown event", "topdown-retiring");
	check_refused(prefix, "page-fault", -ENOENT, "unknown event", "page-faults");
	check_refused(prefix, "duration-time", -ENOENT, "unknown event", "duration_time");
	check_refused(prefix, "qqqqqqqqqqqq", -ENOENT, "unknown event", "pipa list");
}

TEST(a_misspelt_pmu_or_term_is_answered_with_the_nearest_names)
{
	const char *prefix = machine_icelake();

	check_refused(prefix, "cpus/event=1/", -ENOENT, "this machine has no PMU 'cpus'", "cpu");
	check_refused(prefix, "wholly_other/event=1/", -ENOENT, "no PMU 'wholly_other'",
		      "pipa list pmu");
	check_refused(prefix, "cpu/evnt=1/", -EINVAL, "PMU cpu has no term or event 'evnt'",
		      "event");
	check_refused(prefix, "cpu/mem-load/", -EINVAL, "no term or event 'mem-load'", "mem-loads");
	check_refused(prefix, "cpu/qqqqqqqqq=1/", -EINVAL, "no term or event",
		      "pipa list pmu 'cpu/*'");
	check_refused(machine_hybrid(), "cpu/event=1/", -ENOENT, "no PMU 'cpu'", "");
}

TEST(malformed_and_too_large_values_of_terms_are_refused)
{
	const char *prefix = machine_icelake();

	check_refused(prefix, "cpu/event=zz/", -EINVAL,
		      "invalid value of event in cpu/event=zz/, expected a number: zz", "");
	check_refused(prefix, "cpu/event=0x3c,umask=0x100/", -ERANGE,
		      "umask=0x100 in cpu/event=0x3c,umask=0x100/ does not fit its 8 bits", "");
	check_refused(machine_server(), "uncore_imc_0/umask_ext=0x100000000/", -ERANGE,
		      "does not fit its 32 bits", "");
	check_config(machine_server(), "uncore_imc_0/umask_ext=0xffffffff/", MACHINE_IMC,
		     0x00ffffff0000ff00, 0);
}

TEST(a_misspelt_tracepoint_is_answered_with_the_nearest_names)
{
	const char *prefix = machine_plain();

	check_refused(prefix, "sched:sched_swich", -ENOENT,
		      "unknown tracepoint 'sched:sched_swich'", "sched:sched_switch");
	check_refused(prefix, "shed:sched_switch", -ENOENT, "unknown tracepoint",
		      "sched:sched_switch");
	check_refused(prefix, "sched:qqqqqqqqqqqqqq", -ENOENT, "unknown tracepoint",
		      "pipa list tracepoint 'sched:*'");
	check_refused(prefix, "nothing:*", -ENOENT, "unknown tracepoint", "");
}

TEST(without_tracefs_a_tracepoint_is_answered_with_how_to_mount_it)
{
	const char *prefix = pipa_test_dir();

	pipa_test_file(prefix, "sys/devices/system/cpu/online", "0\n");
	check_refused(prefix, "sched:sched_switch", -ENOENT, "tracefs is not mounted",
		      "mount -t tracefs");
	check_refused(prefix, "sched:*", -ENOENT, "tracefs is not mounted", "mount -t tracefs");
}

TEST(a_pmu_without_a_type_is_named_in_the_failure)
{
	const char *prefix = machine_plain();

	machine_format(prefix, "half", "event", "config:0-7");
	check_refused(prefix, "half/event=1/", -ENOENT, "read the type of PMU half", "");
}

TEST(a_machine_without_pmus_still_has_the_fixed_names)
{
	const char *prefix = pipa_test_dir();

	pipa_test_file(prefix, "sys/devices/system/cpu/online", "0\n");
	CHECK_EQ(resolve(prefix, "cycles,task-clock,duration_time,r1"), 0);
	CHECK_EQ(events.n, 4);
	check_refused(prefix, "cpu/event=1/", -ENOENT, "no PMU 'cpu'", "pipa list pmu");
}

TEST(aliases_of_pmu_events_are_looked_up)
{
	CHECK_EQ(resolve(machine_hybrid(), "dummy"), 0);
	CHECK(pipa_machine_has_alias(&machine, "slots"));
	CHECK(pipa_machine_has_alias(&machine, "mem-loads"));
	CHECK(!pipa_machine_has_alias(&machine, "stall_slot"));
	CHECK(!pipa_machine_has_alias(&machine, "../type"));
	CHECK(!pipa_machine_has_alias(&machine, ""));
}
