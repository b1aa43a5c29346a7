#include "lib/machines.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/test.h"

#define DEVICES "sys/bus/event_source/devices"

/* ---- pieces ------------------------------------------------------------------------------- */

void machine_file(const char *machine, const char *path, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pipa_test_file(machine, path, text);
}

void machine_cpu(const char *machine, int cpu, int socket, int die, int core)
{
	const struct {
		const char *name;
		int value;
	} files[] = { { "physical_package_id", socket }, { "die_id", die }, { "core_id", core } };
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/%s", cpu,
			 files[i].name);
		machine_file(machine, path, "%d\n", files[i].value);
	}
}

void machine_pmu(const char *machine, const char *pmu, uint32_t type, const char *where)
{
	char path[PATH_MAX];
	int name = where ? (int)strcspn(where, "=") : 0;

	snprintf(path, sizeof(path), DEVICES "/%s/type", pmu);
	machine_file(machine, path, "%u\n", type);
	if (!where)
		return;
	snprintf(path, sizeof(path), DEVICES "/%s/%.*s", pmu, name, where);
	machine_file(machine, path, "%s\n", where + name + 1);
}

void machine_format(const char *machine, const char *pmu, const char *name, const char *bits)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DEVICES "/%s/format/%s", pmu, name);
	machine_file(machine, path, "%s\n", bits);
}

void machine_event(const char *machine, const char *pmu, const char *name, const char *terms,
		   const char *scale, const char *unit)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DEVICES "/%s/events/%s", pmu, name);
	machine_file(machine, path, "%s\n", terms);
	if (scale) {
		snprintf(path, sizeof(path), DEVICES "/%s/events/%s.scale", pmu, name);
		machine_file(machine, path, "%s\n", scale);
	}
	if (unit) {
		snprintf(path, sizeof(path), DEVICES "/%s/events/%s.unit", pmu, name);
		machine_file(machine, path, "%s\n", unit);
	}
}

void machine_tracepoint(const char *machine, const char *system, const char *name, unsigned int id)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "trace/events/%s/%s/id", system, name);
	machine_file(machine, path, "%u\n", id);
	snprintf(path, sizeof(path), "trace/events/%s/%s/enable", system, name);
	machine_file(machine, path, "0\n");
	snprintf(path, sizeof(path), "trace/events/%s/enable", system);
	machine_file(machine, path, "0\n");
}

void machine_thread(const char *machine, pid_t pid, pid_t tid, const char *comm)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "proc/%d/task/%d/comm", pid, tid);
	machine_file(machine, path, "%s\n", comm);
	snprintf(path, sizeof(path), "proc/%d/comm", tid); /* not listed, but there */
	machine_file(machine, path, "%s\n", comm);
}

/* ---- what every machine has --------------------------------------------------------------- */

/* A new tree with n CPUs of one package, a core each. */
static const char *new_machine(int cpus)
{
	static char prefixes[16][PATH_MAX];
	static size_t n;
	char *machine;
	int cpu;

	if (n == sizeof(prefixes) / sizeof(prefixes[0]))
		pipa_test_fail(__FILE__, __LINE__, "too many machines");
	machine = prefixes[n];
	snprintf(machine, sizeof(prefixes[0]), "%s/machine%zu", pipa_test_dir(), n++);

	machine_file(machine, "sys/devices/system/cpu/online", "0-%d\n", cpus - 1);
	machine_file(machine, "sys/devices/system/node/online", "0\n");
	machine_file(machine, "sys/devices/system/node/node0/cpulist", "0-%d\n", cpus - 1);
	for (cpu = 0; cpu < cpus; cpu++)
		machine_cpu(machine, cpu, 0, 0, cpu);
	machine_pmu(machine, "software", 1, NULL);
	machine_pmu(machine, "tracepoint", 2, NULL);
	machine_pmu(machine, "breakpoint", 5, NULL);
	machine_file(machine, "proc/sys/kernel/perf_event_paranoid", "2\n");
	machine_file(machine, "proc/sys/kernel/kptr_restrict", "0\n");
	machine_file(machine, "proc/sys/kernel/nmi_watchdog", "0\n");
	machine_file(machine, "proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	machine_file(machine, "proc/sys/kernel/perf_cpu_time_max_percent", "25\n");
	machine_file(machine, "proc/self/status", "Name:\tpipa\nCapEff:\t000001ffffffffff\n");
	machine_file(machine, "proc/kallsyms", "ffffffff81000000 T _text\n");
	machine_file(machine, "proc/mounts", "proc /proc proc rw 0 0\n");
	machine_tracepoint(machine, "sched", "sched_switch", 314);
	machine_tracepoint(machine, "sched", "sched_wakeup", 316);
	machine_tracepoint(machine, "sched", "sched_process_fork", 310);
	machine_tracepoint(machine, "syscalls", "sys_enter_openat", 600);
	machine_tracepoint(machine, "syscalls", "sys_exit_openat", 599);
	/* ftrace's own entries are directories without an id that could be opened */
	machine_file(machine, "trace/events/ftrace/function/format", "name: function\n");
	return machine;
}

struct alias {
	const char *name, *terms, *scale, *unit;
};

static void add_events(const char *machine, const char *pmu, const struct alias *aliases, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		machine_event(machine, pmu, aliases[i].name, aliases[i].terms, aliases[i].scale,
			      aliases[i].unit);
}

#define ADD_EVENTS(machine, pmu, aliases)                                                          \
	add_events(machine, pmu, aliases, sizeof(aliases) / sizeof((aliases)[0]))

/* An Intel core PMU: its fields and the events that all of them name. */
static void add_intel(const char *machine, const char *pmu, uint32_t type, const char *where)
{
	static const struct alias aliases[] = {
		{ "cpu-cycles", "event=0x3c", NULL, NULL },
		{ "instructions", "event=0xc0", NULL, NULL },
		{ "branch-instructions", "event=0xc4", NULL, NULL },
		{ "branch-misses", "event=0xc5", NULL, NULL },
		{ "ref-cycles", "event=0x00,umask=0x03", NULL, NULL },
		{ "mem-loads", "event=0xcd,umask=0x1,ldlat=3", NULL, NULL },
	};

	machine_pmu(machine, pmu, type, where);
	machine_format(machine, pmu, "event", "config:0-7");
	machine_format(machine, pmu, "umask", "config:8-15");
	machine_format(machine, pmu, "edge", "config:18");
	machine_format(machine, pmu, "any", "config:21");
	machine_format(machine, pmu, "inv", "config:23");
	machine_format(machine, pmu, "cmask", "config:24-31");
	machine_format(machine, pmu, "in_tx", "config:32");
	machine_format(machine, pmu, "offcore_rsp", "config1:0-63");
	machine_format(machine, pmu, "ldlat", "config1:0-15");
	machine_format(machine, pmu, "frontend", "config1:0-23");
	ADD_EVENTS(machine, pmu, aliases);
}

static void add_slots(const char *machine, const char *pmu)
{
	static const struct alias aliases[] = {
		{ "slots", "event=0x00,umask=0x4", NULL, NULL },
		{ "topdown-retiring", "event=0x00,umask=0x80", NULL, NULL },
		{ "topdown-bad-spec", "event=0x00,umask=0x81", NULL, NULL },
		{ "topdown-fe-bound", "event=0x00,umask=0x82", NULL, NULL },
		{ "topdown-be-bound", "event=0x00,umask=0x83", NULL, NULL },
	};

	ADD_EVENTS(machine, pmu, aliases);
}

static void add_arm(const char *machine, const char *pmu, uint32_t type, const char *where)
{
	static const struct alias aliases[] = {
		{ "cpu_cycles", "event=0x0011", NULL, NULL },
		{ "inst_retired", "event=0x0008", NULL, NULL },
		{ "br_mis_pred", "event=0x0010", NULL, NULL },
		{ "l1d_cache_refill", "event=0x0003", NULL, NULL },
	};

	machine_pmu(machine, pmu, type, where);
	machine_format(machine, pmu, "event", "config:0-15");
	machine_format(machine, pmu, "long", "config1:0");
	machine_format(machine, pmu, "rdpmc", "config1:1");
	ADD_EVENTS(machine, pmu, aliases);
}

/* ---- the machines ------------------------------------------------------------------------- */

const char *machine_plain(void)
{
	return new_machine(4);
}

const char *machine_icelake(void)
{
	const char *machine = new_machine(4);

	add_intel(machine, "cpu", MACHINE_CPU, NULL);
	add_slots(machine, "cpu");
	return machine;
}

const char *machine_skylake(void)
{
	/* with hyperthreads: counted per core, so every cycle has half of four slots */
	static const struct alias aliases[] = {
		{ "topdown-total-slots", "event=0x3c,umask=0x0,any=1", "2", NULL },
		{ "topdown-slots-issued", "event=0xe,umask=0x1", NULL, NULL },
		{ "topdown-slots-retired", "event=0xc2,umask=0x2", NULL, NULL },
		{ "topdown-fetch-bubbles", "event=0x9c,umask=0x1", NULL, NULL },
		{ "topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1,any=1", "2", NULL },
	};
	const char *machine = new_machine(4);

	add_intel(machine, "cpu", MACHINE_CPU, NULL);
	ADD_EVENTS(machine, "cpu", aliases);
	return machine;
}

const char *machine_hybrid(void)
{
	const char *machine = new_machine(8);

	add_intel(machine, "cpu_core", MACHINE_CPU, "cpus=0-3");
	add_slots(machine, "cpu_core");
	add_intel(machine, "cpu_atom", MACHINE_ATOM, "cpus=4-7");
	return machine;
}

const char *machine_biglittle(void)
{
	const char *machine = new_machine(6);

	add_arm(machine, "armv8_cortex_a53", MACHINE_A53, "cpus=0-3");
	add_arm(machine, "armv8_cortex_a73", MACHINE_A73, "cpus=4-5");
	return machine;
}

const char *machine_neoverse(void)
{
	static const struct alias aliases[] = {
		{ "stall_slot", "event=0x003f", NULL, NULL },
		{ "stall_slot_frontend", "event=0x003e", NULL, NULL },
		{ "stall_slot_backend", "event=0x003d", NULL, NULL },
		{ "op_spec", "event=0x003b", NULL, NULL },
		{ "op_retired", "event=0x003a", NULL, NULL },
	};
	const char *machine = new_machine(4);

	add_arm(machine, "armv8_pmuv3_0", MACHINE_ARM, "cpus=0-3");
	ADD_EVENTS(machine, "armv8_pmuv3_0", aliases);
	return machine;
}

static void add_power(const char *machine)
{
	static const struct alias aliases[] = {
		{ "energy-cores", "event=0x01", "2.3283064365386962890625e-10", "Joules" },
		{ "energy-pkg", "event=0x02", "2.3283064365386962890625e-10", "Joules" },
		{ "energy-ram", "event=0x03", "2.3283064365386962890625e-10", "Joules" },
	};

	machine_pmu(machine, "power", MACHINE_POWER, "cpumask=0,4");
	machine_format(machine, "power", "event", "config:0-7");
	ADD_EVENTS(machine, "power", aliases);
}

static void add_imc(const char *machine, unsigned int i)
{
	static const struct alias aliases[] = {
		{ "cas_count_read", "event=0x04,umask=0x03", "6.103515625e-5", "MiB" },
		{ "cas_count_write", "event=0x04,umask=0x0c", "6.103515625e-5", "MiB" },
		{ "clockticks", "event=0xff", NULL, NULL },
		{ "rank", "event=0x10,umask=?", NULL, NULL },
	};
	char pmu[24];

	snprintf(pmu, sizeof(pmu), "uncore_imc_%u", i);
	machine_pmu(machine, pmu, MACHINE_IMC + i, "cpumask=0,4");
	machine_format(machine, pmu, "event", "config:0-7");
	machine_format(machine, pmu, "umask", "config:8-15");
	machine_format(machine, pmu, "thresh", "config:24-31");
	/* two ranges of bits for one field, as the uncore of Xeons has them */
	machine_format(machine, pmu, "umask_ext", "config:8-15,32-55");
	ADD_EVENTS(machine, pmu, aliases);
}

const char *machine_server(void)
{
	const char *machine = new_machine(8);
	unsigned int i;
	int cpu;

	for (cpu = 0; cpu < 8; cpu++)
		machine_cpu(machine, cpu, cpu / 4, 0, cpu % 4 / 2);
	machine_file(machine, "sys/devices/system/node/online", "0-1\n");
	machine_file(machine, "sys/devices/system/node/node0/cpulist", "0-3\n");
	machine_file(machine, "sys/devices/system/node/node1/cpulist", "4-7\n");
	add_intel(machine, "cpu", MACHINE_CPU, NULL);
	add_power(machine);
	for (i = 0; i < 4; i++)
		add_imc(machine, i);
	return machine;
}
