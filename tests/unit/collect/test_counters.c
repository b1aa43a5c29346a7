#include "collect/count/counters.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/vec.h"
#include "collect/count/resolve.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/test.h"
#include "model/event.h"
#include "perf/event_spec.h"

#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id

/* One test's world; the statics keep what lives until its end. */
static struct fake_perf *fake;
static struct pipa_root *root;
static struct pipa_machine machine;
static struct pipa_events events;
static struct pipa_cpus cpus;
static struct pipa_tasks tasks;
static struct pipa_target target;
static struct pipa_counters *counters;
static struct pipa_error err;

static void resolve(const char *prefix, const char *list)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = { 0 };

	CHECK_EQ(pipa_root_open(prefix, &root, &err), 0);
	CHECK_EQ(pipa_machine_load(&machine, root, &err), 0);
	if (pipa_specs_parse(&specs, list, &err) < 0 ||
	    pipa_resolve(&machine, &specs, &events, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s: %s", list, err.what);
}

/* A machine with one core PMU whose kernel knows all generic and software events. */
static void set_up(const char *list)
{
	fake = fake_perf_new();
	fake_perf_add_software(fake);
	fake_perf_add_hardware(fake, 0);
	resolve(machine_icelake(), list);
}

static int open_on_cpus(const char *list)
{
	CHECK_EQ(pipa_cpus_parse(list, &cpus, &err), 0);
	target.cpus = &cpus;
	return pipa_counters_open(&fake->perf, root, &events, &target, &counters, &err);
}

/* n threads: 1000, 1001... */
static int open_on_threads(int n)
{
	int i;

	for (i = 0; i < n; i++)
		*PIPA_VEC_ADD(&tasks) = (struct pipa_task){ .tid = 1000 + i, .comm = "work" };
	target.tasks = &tasks;
	target.inherit = true;
	return open_on_cpus("0-7");
}

/* A command that is held before its exec. */
static int open_on_command(void)
{
	target.enable_on_exec = true;
	return open_on_threads(1);
}

static struct pipa_count count_of(size_t event, size_t slot)
{
	const struct pipa_slot *slots;
	const struct pipa_count *counts;

	CHECK(slot < pipa_counters_slots(counters, event, &slots, &counts));
	return counts[slot];
}

static size_t slots_of(size_t event)
{
	const struct pipa_slot *slots;
	const struct pipa_count *counts;

	return pipa_counters_slots(counters, event, &slots, &counts);
}

/* Start, and read once. */
static void count_once(void)
{
	CHECK_EQ(pipa_counters_enable(counters, false, &err), 0);
	CHECK_EQ(pipa_counters_read(counters, &err), 0);
}

/* End a test: no descriptor is left open, and no call was on a closed one. */
static void done(void)
{
	pipa_counters_close(counters);
	counters = NULL;
	CHECK_EQ(fake_perf_still_open(fake), 0);
	CHECK_EQ(fake->bad_fds, 0);
}

static const struct fake_open *opened(uint32_t type, uint64_t config, size_t n)
{
	return fake_perf_find(fake, type, config, n);
}

/* ---- how events are opened ---------------------------------------------------------------- */

TEST(a_commands_counters_start_at_its_exec_and_follow_its_children)
{
	const struct fake_open *open;

	set_up("cycles,page-faults");
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(fake->n_opens, 2);
	open = opened(HW(CPU_CYCLES), 0);
	CHECK_EQ(open->pid, 1000);
	CHECK_EQ(open->cpu, -1);
	CHECK_EQ(open->group_fd, -1);
	CHECK_EQ(open->flags, 0);
	CHECK(open->attr.disabled && open->attr.inherit && open->attr.enable_on_exec);
	CHECK_EQ(open->attr.read_format,
		 PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	count_once();
	CHECK_EQ(fake->n_ioctls, 0); /* exec does it */
	CHECK_EQ(count_of(0, 0).value, 1000);
	done();
}

TEST(without_inheritance_only_the_thread_itself_is_counted)
{
	set_up("cycles");
	open_on_threads(0);
	pipa_counters_close(counters);
	target.inherit = false;
	*PIPA_VEC_ADD(&tasks) = (struct pipa_task){ .tid = 1000 };
	CHECK_EQ(pipa_counters_open(&fake->perf, root, &events, &target, &counters, &err), 0);
	CHECK(!opened(HW(CPU_CYCLES), 0)->attr.inherit);
	CHECK(!opened(HW(CPU_CYCLES), 0)->attr.enable_on_exec);
	done();
}

TEST(running_threads_are_started_with_an_ioctl_each)
{
	set_up("cycles,page-faults");
	CHECK_EQ(open_on_threads(3), 0);
	CHECK_EQ(fake->n_opens, 6);
	CHECK_EQ(opened(SW(PAGE_FAULTS), 2)->pid, 1002);
	CHECK(!opened(SW(PAGE_FAULTS), 2)->attr.enable_on_exec);
	count_once();
	CHECK_EQ(fake->n_ioctls, 6);
	CHECK_EQ(fake->ioctls[0].request, PERF_EVENT_IOC_ENABLE);
	CHECK_EQ(count_of(1, 2).value, PERF_COUNT_SW_PAGE_FAULTS);
	done();
}

TEST(cpus_are_counted_for_everybody)
{
	const struct fake_open *open;

	set_up("cycles");
	CHECK_EQ(open_on_cpus("0,2-3"), 0);
	CHECK_EQ(fake->n_opens, 3);
	open = opened(HW(CPU_CYCLES), 1);
	CHECK_EQ(open->pid, -1);
	CHECK_EQ(open->cpu, 2);
	CHECK(open->attr.disabled && !open->attr.inherit && !open->attr.enable_on_exec);
	CHECK(open->attr.read_format & PERF_FORMAT_GROUP);
	fake_perf_event(fake, HW(CPU_CYCLES))->per_cpu = 1;
	count_once();
	CHECK_EQ(count_of(0, 0).value, 1000);
	CHECK_EQ(count_of(0, 1).value, 1002);
	CHECK_EQ(count_of(0, 2).value, 1003);
	done();
}

TEST(a_cgroup_is_counted_on_every_cpu_through_its_descriptor)
{
	static const int fds[] = { 41, 42 };
	const struct fake_open *open;

	set_up("page-faults,cs,page-faults,cs");
	events.items[0].cgroup = events.items[1].cgroup = 0;
	events.items[2].cgroup = events.items[3].cgroup = 1;
	target.cgroups = fds;
	CHECK_EQ(open_on_cpus("0-1"), 0);
	CHECK_EQ(fake->n_opens, 8);
	open = opened(SW(PAGE_FAULTS), 3);
	CHECK_EQ(open->pid, 42);
	CHECK_EQ(open->cpu, 1);
	CHECK_EQ(open->flags, PERF_FLAG_PID_CGROUP);
	CHECK_EQ(open->group_fd, -1);
	/* each cgroup has a group of its own */
	CHECK_EQ(opened(SW(CONTEXT_SWITCHES), 3)->group_fd, open->fd);
	CHECK_EQ(opened(SW(CONTEXT_SWITCHES), 1)->group_fd, opened(SW(PAGE_FAULTS), 1)->fd);
	count_once();
	CHECK_EQ(count_of(3, 1).value, PERF_COUNT_SW_CONTEXT_SWITCHES);
	done();
}

TEST(a_package_wide_event_counts_on_the_cpus_of_its_pmu_for_any_target)
{
	const struct fake_open *open;

	fake = fake_perf_new();
	fake_perf_add_software(fake);
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_POWER, true, 0x11 });
	fake_perf_add(fake,
		      &(struct fake_event){ .type = MACHINE_POWER, .config = 2, .value = 77 });
	resolve(machine_server(), "power/energy-pkg/,page-faults");
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(fake->n_opens, 3);
	open = opened(MACHINE_POWER, 2, 1);
	CHECK_EQ(open->pid, -1);
	CHECK_EQ(open->cpu, 4);
	CHECK(open->attr.disabled && !open->attr.inherit && !open->attr.enable_on_exec);
	count_once();
	CHECK_EQ(fake->n_ioctls, 2); /* no exec starts these */
	CHECK_EQ(count_of(0, 1).value, 77);
	CHECK_EQ(count_of(1, 0).value, PERF_COUNT_SW_PAGE_FAULTS);
	done();
}

TEST(a_package_wide_event_counts_only_on_requested_cpus)
{
	fake = fake_perf_new();
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_POWER, .config = 2 });
	resolve(machine_server(), "power/energy-pkg/");
	CHECK_EQ(open_on_cpus("3-7"), 0);
	CHECK_EQ(fake->n_opens, 1);
	CHECK_EQ(fake->opens[0].cpu, 4);
	done();
}

TEST(an_event_whose_pmu_covers_none_of_the_cpus_has_no_slots)
{
	fake = fake_perf_new();
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_POWER, .config = 2 });
	resolve(machine_server(), "power/energy-pkg/");
	CHECK_EQ(open_on_cpus("1-3"), 0);
	CHECK_EQ(fake->n_opens, 0);
	CHECK_EQ(slots_of(0), 0);
	CHECK(!pipa_counters_supported(counters, 0));
	count_once();
	done();
}

static void set_up_hybrid(const char *list)
{
	fake = fake_perf_new();
	fake_perf_add_software(fake);
	fake_perf_add_hardware(fake, MACHINE_CPU);
	fake_perf_add_hardware(fake, MACHINE_ATOM);
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_CPU, false, 0x0f });
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_ATOM, false, 0xf0 });
	resolve(machine_hybrid(), list);
}

TEST(hybrid_events_open_on_the_cpus_of_their_pmu)
{
	set_up_hybrid("cycles");
	CHECK_EQ(open_on_cpus("0-7"), 0);
	CHECK_EQ(fake->n_opens, 8);
	CHECK_EQ(slots_of(0), 4);
	CHECK_EQ(slots_of(1), 4);
	CHECK_EQ(opened(PERF_TYPE_HARDWARE, (uint64_t)MACHINE_ATOM << 32, 3)->cpu, 7);
	CHECK_EQ(opened(PERF_TYPE_HARDWARE, (uint64_t)MACHINE_CPU << 32, 0)->cpu, 0);
	count_once();
	CHECK_EQ(count_of(1, 3).value, 1000);
	done();
}

TEST(hybrid_events_of_a_thread_open_once_per_pmu)
{
	set_up_hybrid("cycles");
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(fake->n_opens, 2);
	CHECK_EQ(fake->opens[0].cpu, -1);
	done();
}

TEST(tool_events_open_nothing)
{
	set_up("duration_time,page-faults,user_time");
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(fake->n_opens, 1);
	CHECK(pipa_counters_supported(counters, 0));
	CHECK_EQ(slots_of(0), 0);
	count_once();
	done();
}

/* ---- groups ------------------------------------------------------------------------------- */

TEST(a_group_of_a_command_has_a_leader_and_is_read_one_by_one)
{
	const struct fake_open *leader, *member;

	set_up("{cycles,instructions,page-faults}");
	CHECK_EQ(open_on_command(), 0);
	leader = opened(HW(CPU_CYCLES), 0);
	member = opened(HW(INSTRUCTIONS), 0);
	CHECK_EQ(leader->group_fd, -1);
	CHECK_EQ(member->group_fd, leader->fd);
	CHECK_EQ(opened(SW(PAGE_FAULTS), 0)->group_fd, leader->fd);
	CHECK(!member->attr.disabled && !member->attr.enable_on_exec && member->attr.inherit);
	/* inherited counters cannot be read as a group before 6.12 */
	CHECK(!(leader->attr.read_format & PERF_FORMAT_GROUP));
	count_once();
	CHECK_EQ(fake->reads, 3);
	CHECK_EQ(count_of(0, 0).value, 1000);
	CHECK_EQ(count_of(1, 0).value, 2000);
	CHECK_EQ(count_of(2, 0).value, PERF_COUNT_SW_PAGE_FAULTS);
	done();
}

TEST(a_group_of_running_threads_is_started_as_one)
{
	set_up("{cycles,instructions}");
	CHECK_EQ(open_on_threads(2), 0);
	count_once();
	CHECK_EQ(fake->n_ioctls, 2);
	CHECK_EQ(fake->ioctls[0].arg, PERF_IOC_FLAG_GROUP);
	CHECK_EQ(fake->ioctls[1].fd, opened(HW(CPU_CYCLES), 1)->fd);
	CHECK_EQ(opened(HW(INSTRUCTIONS), 1)->group_fd, opened(HW(CPU_CYCLES), 1)->fd);
	CHECK_EQ(count_of(1, 1).value, 2000);
	done();
}

TEST(a_group_on_cpus_is_read_at_once)
{
	set_up("{cycles,instructions,branches}");
	fake_perf_event(fake, HW(BRANCH_INSTRUCTIONS))->per_cpu = 1;
	CHECK_EQ(open_on_cpus("0-3"), 0);
	count_once();
	CHECK_EQ(fake->reads, 4);
	CHECK_EQ(fake->n_ioctls, 4);
	CHECK_EQ(count_of(0, 3).value, 1000);
	CHECK_EQ(count_of(1, 3).value, 2000);
	CHECK_EQ(count_of(2, 3).value, 5003);
	done();
}

TEST(software_events_of_a_cpu_share_one_read)
{
	set_up("cpu-clock,cycles,cs,page-faults,instructions,sched:sched_switch");
	fake_perf_add(fake, &(struct fake_event){
				    .type = PERF_TYPE_TRACEPOINT, .config = 314, .value = 9 });
	CHECK_EQ(open_on_cpus("0-3"), 0);
	CHECK_EQ(opened(SW(CONTEXT_SWITCHES), 2)->group_fd, opened(SW(CPU_CLOCK), 2)->fd);
	CHECK_EQ(opened(SW(PAGE_FAULTS), 2)->group_fd, opened(SW(CPU_CLOCK), 2)->fd);
	CHECK_EQ(opened(PERF_TYPE_TRACEPOINT, 314, 2)->group_fd, opened(SW(CPU_CLOCK), 2)->fd);
	/* hardware events compete for counters: they stay ungrouped */
	CHECK_EQ(opened(HW(CPU_CYCLES), 2)->group_fd, -1);
	CHECK_EQ(opened(HW(INSTRUCTIONS), 2)->group_fd, -1);
	count_once();
	CHECK_EQ(fake->reads, 4 * 3);
	CHECK_EQ(count_of(0, 3).value, 1000000);
	CHECK_EQ(count_of(1, 3).value, 1000);
	CHECK_EQ(count_of(2, 3).value, PERF_COUNT_SW_CONTEXT_SWITCHES);
	CHECK_EQ(count_of(3, 3).value, PERF_COUNT_SW_PAGE_FAULTS);
	CHECK_EQ(count_of(4, 3).value, 2000);
	CHECK_EQ(count_of(5, 3).value, 9);
	done();
}

TEST(software_events_of_a_thread_are_not_grouped)
{
	set_up("task-clock,cs");
	CHECK_EQ(open_on_threads(1), 0);
	CHECK_EQ(opened(SW(CONTEXT_SWITCHES), 0)->group_fd, -1);
	done();
}

TEST(pinned_and_grouped_software_events_keep_out_of_our_group)
{
	set_up("cs:D,{page-faults,cycles},cpu-clock,minor-faults:e,cpu-migrations");
	CHECK_EQ(open_on_cpus("0"), 0);
	CHECK_EQ(opened(SW(CONTEXT_SWITCHES), 0)->group_fd, -1);
	CHECK_EQ(opened(SW(PAGE_FAULTS), 0)->group_fd, -1);
	CHECK_EQ(opened(HW(CPU_CYCLES), 0)->group_fd, opened(SW(PAGE_FAULTS), 0)->fd);
	CHECK_EQ(opened(SW(CPU_CLOCK), 0)->group_fd, -1);
	CHECK_EQ(opened(SW(PAGE_FAULTS_MIN), 0)->group_fd, -1);
	CHECK_EQ(opened(SW(CPU_MIGRATIONS), 0)->group_fd, opened(SW(CPU_CLOCK), 0)->fd);
	count_once();
	CHECK_EQ(count_of(1, 0).value, PERF_COUNT_SW_PAGE_FAULTS);
	CHECK_EQ(count_of(2, 0).value, 1000);
	CHECK_EQ(count_of(5, 0).value, PERF_COUNT_SW_CPU_MIGRATIONS);
	done();
}

static bool is_thread(void *ctx, const struct fake_open *open)
{
	return open->pid == *(const pid_t *)ctx;
}

static bool is_config(void *ctx, const struct fake_open *open)
{
	return open->attr.config == *(const uint64_t *)ctx;
}

TEST(a_missing_member_does_not_shift_the_values_of_the_others)
{
	static const uint64_t missing = PERF_COUNT_SW_PAGE_FAULTS;

	set_up("cs,page-faults,cpu-migrations,minor-faults");
	fake_perf_refuse(fake, -ENOENT, is_config, (void *)&missing);
	CHECK_EQ(open_on_cpus("0-1"), 0);
	count_once();
	CHECK(!pipa_counters_supported(counters, 1));
	CHECK_EQ(count_of(0, 1).value, PERF_COUNT_SW_CONTEXT_SWITCHES);
	CHECK_EQ(count_of(1, 1).value, 0);
	CHECK_EQ(count_of(2, 1).value, PERF_COUNT_SW_CPU_MIGRATIONS);
	CHECK_EQ(count_of(3, 1).value, PERF_COUNT_SW_PAGE_FAULTS_MIN);
	done();
}

TEST(internal_groups_stay_below_the_limit_of_one_read)
{
	char list[8192] = "";
	size_t i, len = 0, leaders = 0;

	for (i = 0; i < 300; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%scs", i ? "," : "");
	set_up(list);
	CHECK_EQ(open_on_cpus("0"), 0);
	for (i = 0; i < fake->n_opens; i++)
		leaders += fake->opens[i].group_fd == -1;
	CHECK_EQ(leaders, 2);
	count_once();
	for (i = 0; i < 300; i++)
		CHECK_EQ(count_of(i, 0).value, PERF_COUNT_SW_CONTEXT_SWITCHES);
	done();
}

TEST(members_of_an_unsupported_leader_count_without_a_group)
{
	static const uint64_t missing = PERF_COUNT_HW_CPU_CYCLES;
	const struct fake_open *open;

	set_up("{cycles,instructions,page-faults}");
	fake_perf_refuse(fake, -ENOENT, is_config, (void *)&missing);
	CHECK_EQ(open_on_command(), 0);
	open = opened(HW(INSTRUCTIONS), 0);
	CHECK_EQ(open->group_fd, -1);
	CHECK(open->attr.disabled && open->attr.enable_on_exec);
	count_once();
	CHECK_EQ(fake->n_ioctls, 0);
	CHECK(!pipa_counters_supported(counters, 0));
	CHECK_EQ(count_of(1, 0).value, 2000);
	CHECK_EQ(count_of(2, 0).value, PERF_COUNT_SW_PAGE_FAULTS);
	done();
}

TEST(members_of_a_leader_unsupported_on_cpus_count_without_a_group)
{
	static const uint64_t missing = PERF_COUNT_HW_CPU_CYCLES;

	set_up("{cycles,instructions,branches}");
	fake_perf_refuse(fake, -ENOENT, is_config, (void *)&missing);
	CHECK_EQ(open_on_cpus("0-1"), 0);
	count_once();
	CHECK_EQ(fake->n_ioctls, 4);
	CHECK_EQ(count_of(1, 1).value, 2000);
	CHECK_EQ(count_of(2, 1).value, 5000);
	done();
}

TEST(members_that_count_on_some_of_the_leaders_cpus_are_found_there)
{
	const uint64_t atom = (uint64_t)MACHINE_ATOM << 32;

	/* the leader counts on CPUs 0-7, the atom's event after it on 4-7 only */
	set_up_hybrid("{page-faults,cpu_atom/cycles/,cs}");
	fake_perf_event(fake, SW(CONTEXT_SWITCHES))->per_cpu = 100;
	fake_perf_event(fake, PERF_TYPE_HARDWARE, atom)->per_cpu = 1;
	CHECK_EQ(open_on_cpus("0-7"), 0);
	CHECK_EQ(slots_of(1), 4);
	CHECK_EQ(opened(PERF_TYPE_HARDWARE, atom, 0)->group_fd, opened(SW(PAGE_FAULTS), 4)->fd);
	count_once();
	CHECK_EQ(fake->reads, 8);
	CHECK_EQ(count_of(1, 0).value, 1004);
	CHECK_EQ(count_of(1, 3).value, 1007);
	CHECK_EQ(count_of(2, 0).value, 3); /* two in the group there, three on CPU 7 */
	CHECK_EQ(count_of(2, 7).value, 703);
	done();
}

/* ---- weak groups -------------------------------------------------------------------------- */

TEST(a_weak_group_that_does_not_fit_is_taken_apart)
{
	set_up("{cycles,instructions,branches}:W,branch-misses");
	fake->counters = 2;
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(opened(HW(CPU_CYCLES), 1)->group_fd, -1); /* the second time */
	CHECK_EQ(opened(HW(INSTRUCTIONS), 1)->group_fd, -1);
	CHECK(opened(HW(INSTRUCTIONS), 1)->attr.enable_on_exec);
	CHECK_EQ(opened(HW(BRANCH_INSTRUCTIONS), 0)->group_fd, -1);
	CHECK_EQ(fake_perf_still_open(fake), 4);
	count_once();
	CHECK_EQ(count_of(0, 0).value, 1000);
	CHECK_EQ(count_of(1, 0).value, 2000);
	CHECK_EQ(count_of(2, 0).value, 5000);
	done();
}

TEST(a_weak_group_that_fits_stays_whole)
{
	set_up("{cycles,instructions}:W");
	fake->counters = 2;
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(fake->n_opens, 2);
	CHECK_EQ(opened(HW(INSTRUCTIONS), 0)->group_fd, opened(HW(CPU_CYCLES), 0)->fd);
	done();
}

TEST(a_group_that_does_not_fit_and_is_not_weak_lacks_its_last_members)
{
	set_up("{cycles,instructions,branches}");
	fake->counters = 2;
	CHECK_EQ(open_on_command(), 0);
	CHECK(pipa_counters_supported(counters, 1));
	CHECK(!pipa_counters_supported(counters, 2));
	count_once();
	CHECK_EQ(count_of(1, 0).value, 2000);
	done();
}

TEST(a_weak_group_on_cpus_is_taken_apart_on_all_of_them)
{
	set_up("{cycles,page-faults,instructions,branches}:W,cs");
	fake->counters = 2;
	CHECK_EQ(open_on_cpus("0-3"), 0);
	CHECK_EQ(fake_perf_still_open(fake), 5 * 4);
	count_once();
	CHECK_EQ(count_of(0, 3).value, 1000);
	CHECK_EQ(count_of(1, 3).value, PERF_COUNT_SW_PAGE_FAULTS);
	CHECK_EQ(count_of(2, 3).value, 2000);
	CHECK_EQ(count_of(3, 3).value, 5000);
	CHECK_EQ(count_of(4, 3).value, PERF_COUNT_SW_CONTEXT_SWITCHES);
	done();
}

TEST(a_tool_event_inside_a_weak_group_survives_its_end)
{
	set_up("{cycles,duration_time,instructions,branches}:W");
	fake->counters = 2;
	CHECK_EQ(open_on_command(), 0);
	count_once();
	CHECK_EQ(count_of(3, 0).value, 5000);
	CHECK(pipa_counters_supported(counters, 1));
	done();
}

TEST(taking_a_weak_group_apart_does_not_let_guests_in)
{
	set_up("{cycles,instructions,branches}:W,branch-misses");
	fake->counters = 2;
	CHECK_EQ(open_on_command(), 0);
	CHECK(opened(HW(CPU_CYCLES), 1)->attr.exclude_guest);
	CHECK(opened(HW(BRANCH_INSTRUCTIONS), 0)->attr.exclude_guest);
	CHECK(opened(HW(BRANCH_MISSES), 0)->attr.exclude_guest);
	done();
}

TEST(one_pmus_weak_group_breaks_without_the_others)
{
	static const uint64_t branches = PERF_COUNT_HW_BRANCH_INSTRUCTIONS | (uint64_t)MACHINE_ATOM
										     << 32;
	const uint64_t core = (uint64_t)MACHINE_CPU << 32, atom = (uint64_t)MACHINE_ATOM << 32;

	set_up_hybrid("{cycles,instructions,branches}:W");
	fake_perf_refuse(fake, -EINVAL, is_config, (void *)&branches);
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(fake_perf_opened(fake, PERF_TYPE_HARDWARE, core), 1);
	CHECK_EQ(fake_perf_opened(fake, PERF_TYPE_HARDWARE, atom), 2);
	CHECK_EQ(opened(PERF_TYPE_HARDWARE, core | PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0)->group_fd,
		 opened(PERF_TYPE_HARDWARE, core, 0)->fd);
	CHECK(!pipa_counters_supported(counters, 4)); /* the atom's: refused without a group, too */
	CHECK(pipa_counters_supported(counters, 5));
	count_once();
	CHECK_EQ(count_of(3, 0).value, 2000);
	done();
}

TEST(taking_a_weak_group_apart_leaves_the_groups_beside_it_open)
{
	static const uint64_t branches = PERF_COUNT_HW_BRANCH_INSTRUCTIONS | (uint64_t)MACHINE_CPU
										     << 32;
	static const pid_t gone = 1000;

	/* the atom's event lies within the range of the core's group, and its first thread is gone */
	set_up_hybrid("{cpu_core/cycles/,cpu_atom/cycles/,cpu_core/ref-cycles/,"
		      "cpu_core/branches/}:W");
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_CPU, .config = 0x300 });
	fake_perf_refuse(fake, -ESRCH, is_thread, (void *)&gone);
	fake_perf_refuse(fake, -EINVAL, is_config, (void *)&branches);
	CHECK_EQ(open_on_threads(2), 0);
	CHECK_EQ(fake_perf_opened(fake, PERF_TYPE_HARDWARE, (uint64_t)MACHINE_ATOM << 32), 1);
	CHECK_EQ(fake_perf_opened(fake, PERF_TYPE_HARDWARE, (uint64_t)MACHINE_CPU << 32), 2);
	count_once();
	CHECK_EQ(count_of(0, 1).value, 1000);
	CHECK_EQ(count_of(1, 1).value, 1000);
	done();
}

/* ---- what the machine lacks or forbids ---------------------------------------------------- */

TEST(an_event_the_machine_lacks_is_not_supported_and_the_rest_counts)
{
	static const int codes[] = { -ENOENT, -EOPNOTSUPP, -EINVAL, -ENODEV, -ENXIO, -ENOSYS };
	static const uint64_t missing = PERF_COUNT_HW_BUS_CYCLES;
	size_t i;

	for (i = 0; i < PIPA_COUNT(codes); i++) {
		pipa_events_done(&events);
		pipa_machine_done(&machine);
		pipa_root_close(root);
		pipa_tasks_done(&tasks);
		pipa_cpus_done(&cpus);
		set_up("cycles,bus-cycles,page-faults");
		fake_perf_refuse(fake, codes[i], is_config, (void *)&missing);
		CHECK_EQ(open_on_command(), 0);
		CHECK(pipa_counters_supported(counters, 0));
		CHECK(!pipa_counters_supported(counters, 1));
		CHECK(pipa_counters_supported(counters, 2));
		count_once();
		CHECK_EQ(count_of(2, 0).value, PERF_COUNT_SW_PAGE_FAULTS);
		done();
	}
}

TEST(an_event_unsupported_on_the_first_cpu_is_not_tried_on_others)
{
	static const uint64_t missing = PERF_COUNT_HW_BUS_CYCLES;

	set_up("bus-cycles");
	fake_perf_refuse(fake, -ENOENT, is_config, (void *)&missing);
	CHECK_EQ(open_on_cpus("0-3"), 0);
	CHECK_EQ(fake->n_opens, 1);
	CHECK_EQ(slots_of(0), 4);
	done();
}

TEST(a_kernel_without_exclude_guest_gets_events_without_the_flag)
{
	set_up("cycles,instructions");
	fake->knows_no_guest = true;
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(fake_perf_tried(fake, HW(CPU_CYCLES)), 2);
	CHECK(!opened(HW(CPU_CYCLES), 0)->attr.exclude_guest);
	CHECK_EQ(fake_perf_tried(fake, HW(INSTRUCTIONS)), 1); /* it has learned */
	CHECK(!opened(HW(INSTRUCTIONS), 0)->attr.exclude_guest);
	done();
}

TEST(an_event_that_is_wrong_in_itself_teaches_nothing_about_guests)
{
	static const uint64_t wrong = PERF_COUNT_HW_BUS_CYCLES;

	set_up("bus-cycles,cycles");
	fake_perf_refuse(fake, -EINVAL, is_config, (void *)&wrong);
	CHECK_EQ(open_on_command(), 0);
	CHECK(!pipa_counters_supported(counters, 0));
	CHECK(opened(HW(CPU_CYCLES), 0)->attr.exclude_guest);
	done();
}

TEST(at_paranoid_two_only_user_space_counts_and_names_end_in_u)
{
	static const char *const names[] = { "cycles:u", "instructions:pu", "cpu/event=0x3c/u",
					     "page-faults:u", "mem:0x1000:rw:u" };
	size_t i;

	set_up("cycles,instructions:p,cpu/event=0x3c/,page-faults:u,mem:0x1000:rw");
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_CPU, .config = 0x3c });
	/* a breakpoint's address and length lie over config1 and config2 */
	fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_BREAKPOINT,
						  .config1 = 0x1000,
						  .config2 = 4 });
	fake->unprivileged = true;
	fake->paranoid = 2;
	CHECK_EQ(open_on_command(), 0);
	for (i = 0; i < PIPA_COUNT(names); i++) {
		CHECK_STR(events.items[i].name, names[i]);
		CHECK(events.items[i].attr.exclude_kernel && events.items[i].attr.exclude_hv);
		CHECK_EQ(events.items[i].user_only, i != 3);
		CHECK(pipa_counters_supported(counters, i));
	}
	CHECK_EQ(fake_perf_tried(fake, HW(CPU_CYCLES)), 2);
	CHECK_EQ(fake_perf_tried(fake, SW(PAGE_FAULTS)), 1);
	done();
}

TEST(at_paranoid_two_a_second_run_does_not_ask_again)
{
	set_up("cycles");
	fake->unprivileged = true;
	fake->paranoid = 2;
	CHECK_EQ(open_on_command(), 0);
	pipa_counters_close(counters);
	CHECK_EQ(pipa_counters_open(&fake->perf, root, &events, &target, &counters, &err), 0);
	CHECK_STR(events.items[0].name, "cycles:u");
	CHECK_EQ(fake_perf_tried(fake, HW(CPU_CYCLES)), 3);
	done();
}

TEST(at_paranoid_two_the_sum_of_a_hybrid_event_ends_in_u)
{
	set_up_hybrid("cycles");
	fake->unprivileged = true;
	fake->paranoid = 2;
	CHECK_EQ(open_on_command(), 0);
	CHECK_STR(events.items[0].name, "cpu_atom/cycles/u");
	CHECK_STR(events.items[0].sum, "cycles:u");
	CHECK_STR(events.items[1].sum, "cycles:u");
	done();
}

/* Opens that must fail with the code, a sentence and a hint, and leave nothing open. */
static void check_failure(int rc, int code, const char *what, const char *hint)
{
	CHECK_EQ(rc, code);
	CHECK_HAS(err.what, what);
	CHECK_HAS(err.hint, hint);
	done();
}

TEST(at_paranoid_two_a_kernel_only_event_is_refused)
{
	set_up("page-faults,cycles:k");
	fake->unprivileged = true;
	fake->paranoid = 2;
	check_failure(open_on_command(), -EACCES, "cannot count cycles:k: Permission denied", "");
	CHECK_STR(events.items[1].name, "cycles:k");
}

TEST(at_paranoid_two_a_tracepoint_is_refused_with_the_setting_it_needs)
{
	set_up("sched:sched_switch");
	fake->unprivileged = true;
	fake->paranoid = 2;
	check_failure(open_on_command(), -EACCES,
		      "cannot count sched:sched_switch: Permission denied",
		      "kernel.perf_event_paranoid=-1 (now 2)");
}

TEST(whole_cpus_are_refused_with_the_setting_they_need)
{
	set_up("cycles,page-faults");
	machine_file(pipa_test_dir(), "machine0/proc/sys/kernel/perf_event_paranoid", "1\n");
	fake->unprivileged = true;
	fake->paranoid = 1;
	check_failure(open_on_cpus("0-3"), -EACCES, "cannot count cycles: Permission denied",
		      "kernel.perf_event_paranoid=0 (now 1)");
	CHECK_STR(events.items[0].name, "cycles");
}

TEST(at_paranoid_three_counting_fails_with_a_hint_on_the_sysctl)
{
	set_up("page-faults");
	machine_file(pipa_test_dir(), "machine0/proc/sys/kernel/perf_event_paranoid", "3\n");
	fake->unprivileged = true;
	fake->paranoid = 3;
	check_failure(open_on_command(), -EACCES, "count page-faults",
		      "kernel.perf_event_paranoid is 3: sudo sysctl kernel.perf_event_paranoid=2");
}

static bool always(void *ctx, const struct fake_open *open)
{
	(void)ctx;
	(void)open;
	return true;
}

TEST(another_users_process_is_refused)
{
	set_up("page-faults");
	fake_perf_refuse(fake, -EPERM, always, NULL);
	check_failure(open_on_threads(2), -EPERM, "count page-faults",
		      "run as root if it is another user's process");
}

TEST(busy_pmus_full_breakpoints_and_other_errors_have_their_own_hints)
{
	static const struct {
		int code;
		const char *hint;
	} cases[] = { { -EBUSY, "the PMU is in use" },
		      { -ENOSPC, "all hardware breakpoints are in use" },
		      { -EIO, "" } };
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		pipa_events_done(&events);
		pipa_machine_done(&machine);
		pipa_root_close(root);
		pipa_cpus_done(&cpus);
		set_up("page-faults,cycles");
		fake_perf_refuse(fake, cases[i].code, always, NULL);
		check_failure(open_on_cpus("2"), cases[i].code, "count page-faults on CPU 2",
			      cases[i].hint);
	}
}

TEST(a_failure_on_the_last_cpu_closes_all_other_events)
{
	set_up("cycles,instructions");
	fake->max_fds = 7;
	check_failure(open_on_cpus("0-3"), -EMFILE, "count instructions on CPU 3", "ulimit -n");
	CHECK_EQ(fake_perf_opened(fake, HW(CPU_CYCLES)), 4);
}

/* ---- descriptors and vanishing threads ---------------------------------------------------- */

static bool for_the_first_times(void *ctx, const struct fake_open *open)
{
	int *left = ctx;

	(void)open;
	return (*left)-- > 0;
}

TEST(a_low_file_limit_is_raised_once_and_the_open_tried_again)
{
	struct rlimit limit = { .rlim_cur = 64, .rlim_max = 96 };
	int left = 1;

	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	set_up("page-faults");
	fake_perf_refuse(fake, -EMFILE, for_the_first_times, &left);
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(fake->n_opens, 2);
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_EQ(limit.rlim_cur, 96);
	done();
}

TEST(too_few_descriptors_fail_with_a_hint_on_the_limit)
{
	struct rlimit limit = { .rlim_cur = 64, .rlim_max = 96 };

	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	set_up("page-faults");
	fake->max_fds = 2;
	check_failure(open_on_threads(3), -EMFILE,
		      "cannot count page-faults of thread 1002: Too many open files",
		      "ulimit -n 65536 (now 96)");
}

TEST(a_thread_that_has_just_ended_is_left_out)
{
	static const pid_t gone = 1000;

	set_up("{cycles,instructions},page-faults");
	fake_perf_refuse(fake, -ESRCH, is_thread, (void *)&gone);
	CHECK_EQ(open_on_threads(3), 0);
	count_once();
	CHECK(pipa_counters_supported(counters, 0));
	CHECK_EQ(count_of(0, 0).enabled_ns, 0);
	CHECK_EQ(count_of(1, 1).value, 2000);
	CHECK_EQ(count_of(2, 2).value, PERF_COUNT_SW_PAGE_FAULTS);
	done();
}

TEST(events_of_threads_that_have_all_ended_are_not_counted)
{
	set_up("page-faults");
	fake_perf_refuse(fake, -ESRCH, always, NULL);
	CHECK_EQ(open_on_threads(2), 0);
	CHECK(pipa_counters_supported(counters, 0));
	count_once();
	CHECK_EQ(count_of(0, 1).running_ns, 0);
	done();
}

TEST(the_kernels_share_is_dropped_although_the_first_thread_has_ended)
{
	static const pid_t gone = 1000;

	set_up("page-faults");
	fake_perf_refuse(fake, -ESRCH, is_thread, (void *)&gone);
	fake->unprivileged = true;
	fake->paranoid = 2;
	CHECK_EQ(open_on_threads(2), 0);
	CHECK_STR(events.items[0].name, "page-faults:u");
	count_once();
	CHECK_EQ(count_of(0, 1).value, PERF_COUNT_SW_PAGE_FAULTS);
	done();
}

/* ---- filters, starting, reading ----------------------------------------------------------- */

TEST(a_filter_is_set_on_every_descriptor)
{
	set_up("sched:sched_switch,page-faults");
	fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_TRACEPOINT, .config = 314 });
	events.items[0].filter = strdup("prev_pid == 1");
	CHECK_EQ(open_on_cpus("0-2"), 0);
	CHECK_EQ(fake->n_ioctls, 3);
	CHECK_EQ(fake->ioctls[2].request, PERF_EVENT_IOC_SET_FILTER);
	CHECK_EQ(fake->ioctls[2].fd, opened(PERF_TYPE_TRACEPOINT, 314, 2)->fd);
	CHECK_STR(fake->ioctls[2].text, "prev_pid == 1");
	done();
}

TEST(a_filter_the_kernel_refuses_fails_with_where_to_look)
{
	set_up("sched:sched_switch");
	fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_TRACEPOINT, .config = 314 });
	fake->filter_error = -EINVAL;
	events.items[0].filter = strdup("nonsense == 1");
	check_failure(open_on_command(), -EINVAL,
		      "set filter 'nonsense == 1' on sched:sched_switch", "format of tracefs");
}

TEST(a_delayed_command_is_started_by_ioctl)
{
	set_up("cycles,{instructions,branches}");
	CHECK_EQ(open_on_command(), 0);
	CHECK_EQ(pipa_counters_enable(counters, true, &err), 0);
	CHECK_EQ(fake->n_ioctls, 2);
	CHECK_EQ(fake->ioctls[0].arg, 0);
	CHECK_EQ(fake->ioctls[1].arg, PERF_IOC_FLAG_GROUP);
	done();
}

TEST(counters_that_were_not_started_read_zero)
{
	set_up("page-faults");
	CHECK_EQ(open_on_threads(1), 0);
	CHECK_EQ(pipa_counters_read(counters, &err), 0);
	CHECK_EQ(count_of(0, 0).value, 0);
	CHECK_EQ(count_of(0, 0).enabled_ns, 0);
	done();
}

TEST(a_start_that_fails_names_the_event)
{
	set_up("page-faults");
	fake->enable_error = -EIO;
	CHECK_EQ(open_on_threads(1), 0);
	CHECK_EQ(pipa_counters_enable(counters, false, &err), -EIO);
	CHECK_HAS(err.what, "start counting page-faults");
	done();
}

TEST(a_read_that_fails_names_the_event)
{
	set_up("{cycles,instructions}");
	CHECK_EQ(open_on_cpus("0"), 0);
	fake->read_error = -EIO;
	CHECK_EQ(pipa_counters_read(counters, &err), -EIO);
	CHECK_HAS(err.what, "read cycles");
	done();
}

TEST(reads_give_totals_since_the_start)
{
	set_up("cycles,page-faults");
	CHECK_EQ(open_on_cpus("0-1"), 0);
	count_once();
	CHECK_EQ(pipa_counters_read(counters, &err), 0);
	CHECK_EQ(pipa_counters_read(counters, &err), 0);
	CHECK_EQ(count_of(0, 1).value, 3000);
	CHECK_EQ(count_of(0, 1).enabled_ns, 3000000);
	CHECK_EQ(count_of(1, 1).value, 3 * PERF_COUNT_SW_PAGE_FAULTS);
	done();
}

TEST(a_multiplexed_counter_has_its_running_time)
{
	set_up("cycles,instructions");
	fake_perf_event(fake, HW(CPU_CYCLES))->running_ns = 250000;
	fake_perf_event(fake, HW(INSTRUCTIONS))->starved = true;
	CHECK_EQ(open_on_command(), 0);
	count_once();
	CHECK_EQ(count_of(0, 0).enabled_ns, 1000000);
	CHECK_EQ(count_of(0, 0).running_ns, 250000);
	CHECK_NEAR(pipa_count_scaled(count_of(0, 0)), 4000, 0);
	CHECK_EQ(count_of(1, 0).enabled_ns, 1000000);
	CHECK_EQ(count_of(1, 0).running_ns, 0);
	done();
}

TEST(a_pinned_event_that_lost_its_counter_keeps_its_last_count)
{
	set_up("cycles:D,instructions");
	CHECK_EQ(open_on_cpus("0"), 0);
	count_once();
	fake_perf_event(fake, HW(CPU_CYCLES))->lost = true;
	CHECK_EQ(pipa_counters_read(counters, &err), 0);
	CHECK_EQ(count_of(0, 0).value, 1000);
	CHECK_EQ(count_of(1, 0).value, 4000);
	done();
}

TEST(a_pinned_event_of_a_thread_that_lost_its_counter_keeps_its_last_count)
{
	set_up("cycles:D");
	CHECK_EQ(open_on_threads(1), 0);
	count_once();
	fake_perf_event(fake, HW(CPU_CYCLES))->lost = true;
	CHECK_EQ(pipa_counters_read(counters, &err), 0);
	CHECK_EQ(count_of(0, 0).value, 1000);
	CHECK_EQ(count_of(0, 0).enabled_ns, 1000000);
	done();
}

TEST(closing_null_counters_is_allowed)
{
	pipa_counters_close(NULL);
}
