#include "job/query/doctor.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/test.h"

static struct fake_perf *fake;
static struct pipa_root *root;
static struct pipa_buf out;
static bool usable;

static void on_machine(const char *prefix)
{
	fake = fake_perf_new();
	fake_perf_add_software(fake);
	CHECK_EQ(pipa_root_open(prefix, &root, NULL), 0);
}

static const char *examine(bool json)
{
	const struct pipa_doctor_options options = { .json = json };
	const struct pipa_host host = { .perf = &fake->perf, .root = root };
	struct pipa_error err = { 0 };

	pipa_buf_reset(&out);
	if (pipa_doctor_run(&host, &options, &out, &usable, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	CHECK_EQ(fake_perf_still_open(fake), 0);
	return pipa_buf_str(&out);
}

/* A finding has this text, and offers this command ("" for none). */
static void check_finding(const char *text, const char *mark, const char *name, const char *says,
			  const char *fix)
{
	char start[64];
	const char *line;
	char finding[512];

	snprintf(start, sizeof(start), "%-7s %-18s ", mark, name);
	line = strstr(text, start);
	if (!line)
		pipa_test_fail(__FILE__, __LINE__, "no '%s' in\n%s", start, text);
	snprintf(finding, sizeof(finding), "%.*s", (int)strcspn(line, "\n"), line);
	CHECK_HAS(finding, says);
	line += strcspn(line, "\n") + 1;
	snprintf(finding, sizeof(finding), "%.*s", (int)strcspn(line, "\n"), line);
	CHECK_EQ(strncmp(finding, "                            try: ", 33) == 0, fix[0] != '\0');
	if (fix[0])
		CHECK_HAS(finding, fix);
}

static void add_cycles(void)
{
	fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_HARDWARE });
}

static void add_sched_switch(void)
{
	fake_perf_add(fake, &(struct fake_event){ .type = PERF_TYPE_TRACEPOINT, .config = 314 });
}

TEST(a_healthy_machine_has_nothing_to_fix)
{
	const char *text;

	on_machine(machine_icelake());
	add_cycles();
	add_sched_switch();
	text = examine(false);
	CHECK(usable);
	check_finding(text, "ok", "counting", "user space and kernel of your own processes", "");
	check_finding(text, "ok", "system-wide", "all CPUs", "");
	check_finding(text, "ok", "permissions", "CAP_SYS_ADMIN", "");
	check_finding(text, "ok", "hardware counters", "hardware counters work (cpu)", "");
	check_finding(text, "ok", "NMI watchdog", "off", "");
	check_finding(text, "ok", "tracepoints", "can be listed and counted", "");
	check_finding(text, "ok", "kernel symbols", "kptr_restrict is 0", "");
	check_finding(text, "ok", "sampling rate", "100000 samples per second", "");
}

TEST(an_ordinary_user_at_paranoid_two_gets_the_settings_to_change)
{
	const char *prefix = machine_icelake(), *text;

	machine_file(prefix, "proc/self/status", "Name:\tpipa\nCapEff:\t0000000000000000\n");
	on_machine(prefix);
	add_cycles();
	add_sched_switch();
	fake->unprivileged = true;
	fake->paranoid = 2;
	text = examine(false);
	CHECK(usable);
	check_finding(text, "partial", "counting", "only user space of your own processes",
		      "sudo sysctl kernel.perf_event_paranoid=1");
	check_finding(text, "no", "system-wide", "not allowed (perf_event_paranoid is 2)",
		      "sudo sysctl kernel.perf_event_paranoid=0");
	check_finding(text, "partial", "permissions",
		      "without CAP_PERFMON; perf_event_paranoid is 2", "setcap cap_perfmon");
	check_finding(text, "ok", "hardware counters", "work", "");
	check_finding(text, "partial", "tracepoints", "not counted system-wide",
		      "sudo sysctl kernel.perf_event_paranoid=-1");
}

TEST(perf_event_paranoid_does_not_apply_with_cap_perfmon)
{
	const char *prefix = machine_icelake();

	machine_file(prefix, "proc/self/status", "Name:\tpipa\nCapEff:\t0000004000000000\n");
	on_machine(prefix);
	check_finding(examine(false), "ok", "permissions",
		      "CAP_PERFMON: perf_event_paranoid does not apply", "");
}

TEST(at_paranoid_three_nothing_can_be_counted)
{
	const char *prefix = machine_plain(), *text;

	machine_file(prefix, "proc/sys/kernel/perf_event_paranoid", "3\n");
	on_machine(prefix);
	fake->unprivileged = true;
	fake->paranoid = 3;
	text = examine(false);
	CHECK(!usable);
	check_finding(text, "no", "counting", "forbidden (perf_event_paranoid is 3)",
		      "sudo sysctl kernel.perf_event_paranoid=2");
}

TEST(a_container_whose_seccomp_forbids_perf_events_is_recognised)
{
	on_machine(machine_plain());
	fake->unprivileged = true;
	fake->paranoid = 3; /* seccomp's result; 2 in /proc */
	check_finding(examine(false), "no", "counting", "seccomp", "docker run --cap-add PERFMON");
	CHECK(!usable);
}

TEST(a_kernel_without_perf_events_is_recognised)
{
	on_machine(machine_plain());
	fake->n_events = 0;
	check_finding(examine(false), "no", "counting", "this kernel has no perf_event_open",
		      "CONFIG_PERF_EVENTS");
	CHECK(!usable);
}

TEST(a_machine_without_a_pmu_gets_a_hint_for_guests)
{
	on_machine(machine_plain());
	check_finding(examine(false), "no", "hardware counters", "none: cycles", "pmu=on");
	CHECK(usable);
}

TEST(a_pmu_that_does_not_count_is_named)
{
	on_machine(machine_hybrid());
	check_finding(examine(false), "no", "hardware counters",
		      "PMU cpu_atom, cpu_core present but cycles cannot be counted", "");
}

TEST(the_watchdog_is_found)
{
	const char *prefix = machine_plain();

	machine_file(prefix, "proc/sys/kernel/nmi_watchdog", "1\n");
	on_machine(prefix);
	check_finding(examine(false), "partial", "NMI watchdog", "uses one hardware counter",
		      "sudo sysctl kernel.nmi_watchdog=0");
}

TEST(missing_tracefs_is_found)
{
	const char *prefix = pipa_test_dir();

	pipa_test_file(prefix, "sys/devices/system/cpu/online", "0\n");
	on_machine(prefix);
	check_finding(examine(false), "no", "tracepoints", "tracefs is not mounted",
		      "sudo mount -t tracefs nodev /sys/kernel/tracing");
}

TEST(hidden_kernel_symbols_are_found)
{
	const char *prefix = machine_plain();

	machine_file(prefix, "proc/kallsyms", "0000000000000000 T _text\n");
	machine_file(prefix, "proc/sys/kernel/kptr_restrict", "1\n");
	on_machine(prefix);
	check_finding(examine(false), "partial", "kernel symbols",
		      "kernel addresses are hidden (kptr_restrict is 1)",
		      "sudo sysctl kernel.kptr_restrict=0");
}

TEST(throttled_sampling_is_found)
{
	const char *prefix = machine_plain();

	machine_file(prefix, "proc/sys/kernel/perf_event_max_sample_rate", "1000\n");
	on_machine(prefix);
	check_finding(examine(false), "partial", "sampling rate", "throttled sampling to 1000",
		      "kernel.perf_event_max_sample_rate=100000");
}

TEST(debug_files_from_a_server_count)
{
	on_machine(machine_plain());
	setenv("DEBUGINFOD_URLS", "https://debuginfod.example.org", 1);
	CHECK_HAS(examine(false), "DEBUGINFOD_URLS");
	setenv("DEBUGINFOD_URLS", "", 1);
	CHECK(!strstr(examine(false), " and \n"));
}

TEST(colours_mark_the_states)
{
	const struct pipa_doctor_options options = { .color = true };
	struct pipa_host host;

	on_machine(machine_plain());
	host = (struct pipa_host){ .perf = &fake->perf, .root = root };
	CHECK_EQ(pipa_doctor_run(&host, &options, &out, &usable, NULL), 0);
	CHECK_HAS(pipa_buf_str(&out), "\033[32mok     \033[0m counting");
	CHECK_HAS(pipa_buf_str(&out), "\033[31mno     \033[0m hardware counters");
}

TEST(json_has_a_fix_only_where_there_is_something_to_fix)
{
	const char *text;

	on_machine(machine_plain());
	text = examine(true);
	CHECK_HAS(text, "\"schema\": \"pipa-doctor/1\"");
	CHECK_HAS(text, "      \"name\": \"counting\",\n"
			"      \"state\": \"ok\",\n"
			"      \"text\": \"user space and kernel of your own processes\"\n"
			"    }");
	CHECK_HAS(text, "      \"name\": \"hardware counters\",\n"
			"      \"state\": \"missing\",\n");
	CHECK_HAS(text, "      \"fix\": \"in a virtual machine");
}
