#include "job/query/doctor.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "collect/count/probe.h"
#include "collect/count/resolve.h"
#include "kernel/event/host.h"
#include "kernel/event/tracepoint.h"
#include "kernel/machine/privilege.h"
#include "job/query/finding.h"
#include "kernel/machine/root.h"
#include "locate/debug_package.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

struct doctor_host {
	const struct pipa_perf *perf;
	struct pipa_root *root;
	struct pipa_machine machine;
	int paranoid;
	uint64_t caps;
	bool usable;
};

static enum pipa_probe probe_sw(struct doctor_host *p, pid_t pid, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK };

	return pipa_probe_attr(p->perf, &attr, pid, cpu);
}

/* ---- the checks --------------------------------------------------------------------------- */

static void check_counting(struct doctor_host *p, struct pipa_finding *f)
{
	enum pipa_probe state = probe_sw(p, 0, -1);

	p->usable = state == PIPA_PROBE_OK || state == PIPA_PROBE_USER_ONLY;
	if (state == PIPA_PROBE_OK) {
		pipa_found(f, PIPA_FOUND_GOOD, "user space and kernel of your own processes");
	} else if (state == PIPA_PROBE_USER_ONLY) {
		pipa_found(f, PIPA_FOUND_PARTLY,
			   "only user space of your own processes (perf_event_paranoid is %d)",
			   p->paranoid);
		pipa_found_fix(f, "sudo sysctl kernel.perf_event_paranoid=1");
	} else if (state == PIPA_PROBE_DENIED && p->paranoid <= 2) {
		pipa_found(f, PIPA_FOUND_MISSING,
			   "perf_event_open is forbidden although perf_event_paranoid permits it: "
			   "probably seccomp in a container");
		pipa_found_fix(
			f, "docker run --cap-add PERFMON --security-opt seccomp=unconfined ...");
	} else if (state == PIPA_PROBE_DENIED) {
		pipa_found(f, PIPA_FOUND_MISSING,
			   "perf_event_open is forbidden (perf_event_paranoid is %d)", p->paranoid);
		pipa_found_fix(f, "sudo sysctl kernel.perf_event_paranoid=2");
	} else {
		pipa_found(f, PIPA_FOUND_MISSING, "this kernel has no perf_event_open");
		pipa_found_fix(f, "boot a kernel with CONFIG_PERF_EVENTS");
	}
}

static void check_system_wide(struct doctor_host *p, struct pipa_finding *f)
{
	if (probe_sw(p, -1, 0) == PIPA_PROBE_OK) {
		pipa_found(f, PIPA_FOUND_GOOD, "all CPUs, all processes (-a, -C, --cgroup)");
		return;
	}
	pipa_found(f, PIPA_FOUND_MISSING, "not allowed (perf_event_paranoid is %d)", p->paranoid);
	pipa_found_fix(f, "sudo sysctl kernel.perf_event_paranoid=0");
}

static void check_rights(struct doctor_host *p, struct pipa_finding *f)
{
	bool admin = pipa_privilege_has(p->caps, CAP_SYS_ADMIN);
	bool perfmon = pipa_privilege_has(p->caps, CAP_PERFMON);

	if (admin)
		pipa_found(f, PIPA_FOUND_GOOD, "%s with CAP_SYS_ADMIN: no limit applies",
			   geteuid() == 0 ? "root" : "a user");
	else if (perfmon)
		pipa_found(f, PIPA_FOUND_GOOD, "CAP_PERFMON: perf_event_paranoid does not apply");
	else
		pipa_found(f, PIPA_FOUND_PARTLY,
			   "%s without CAP_PERFMON; perf_event_paranoid is %d",
			   geteuid() == 0 ? "root of a container" : "an ordinary user",
			   p->paranoid);
	if (!admin && !perfmon)
		pipa_found_fix(
			f,
			"sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog=ep pipa  (a copy that only "
			"a group may run)");
}

static void check_pmu(struct doctor_host *p, struct pipa_finding *f)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.exclude_guest = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf names = { .max = 160 };
	size_t i;

	for (i = 0; i < p->machine.pmus.n; i++)
		if (p->machine.pmus.items[i].core)
			pipa_buf_printf(&names, "%s%s", names.len ? ", " : "",
					p->machine.pmus.items[i].name);
	if (pipa_probe_attr(p->perf, &attr, 0, -1) == PIPA_PROBE_OK) {
		pipa_found(f, PIPA_FOUND_GOOD, "hardware counters work (%s)",
			   names.len ? pipa_buf_str(&names) : "no name");
		return;
	}
	if (names.len) {
		pipa_found(f, PIPA_FOUND_MISSING, "PMU %s present but cycles cannot be counted",
			   pipa_buf_str(&names));
		return;
	}
	pipa_found(f, PIPA_FOUND_MISSING,
		   "none: cycles, instructions and cache events are not supported");
	pipa_found_fix(f,
		       "in a virtual machine, let the host expose its PMU: qemu -cpu host,pmu=on");
}

static void check_watchdog(struct doctor_host *p, struct pipa_finding *f)
{
	uint64_t on;

	if (pipa_root_read_u64(p->root, PIPA_PROC, &on, "sys/kernel/nmi_watchdog") < 0 || !on) {
		pipa_found(f, PIPA_FOUND_GOOD, "off: all counters are free");
		return;
	}
	pipa_found(f, PIPA_FOUND_PARTLY, "on: uses one hardware counter");
	pipa_found_fix(f, "sudo sysctl kernel.nmi_watchdog=0");
}

static void check_tracepoints(struct doctor_host *p, struct pipa_finding *f)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	uint64_t id;
	int rc = pipa_tracepoint_id(p->root, "sched", "sched_switch", &id);

	if (rc == -EACCES || rc == -EPERM) {
		pipa_found(f, PIPA_FOUND_MISSING, "no permission to read tracefs");
		pipa_found_fix(f, "sudo mount -o remount,mode=755 /sys/kernel/tracing");
		return;
	}
	if (rc < 0) {
		pipa_found(f, PIPA_FOUND_MISSING,
			   "tracefs is not mounted, or the kernel has no tracepoints");
		pipa_found_fix(f, "sudo mount -t tracefs nodev /sys/kernel/tracing");
		return;
	}
	attr.config = id;
	if (pipa_probe_attr(p->perf, &attr, -1, 0) == PIPA_PROBE_OK) {
		pipa_found(f, PIPA_FOUND_GOOD, "can be listed and counted");
		return;
	}
	pipa_found(f, PIPA_FOUND_PARTLY,
		   "can be listed but not counted system-wide (perf_event_paranoid is %d)",
		   p->paranoid);
	pipa_found_fix(f, "sudo sysctl kernel.perf_event_paranoid=-1");
}

/* Is kallsyms readable? Hidden addresses read as zero. */
static bool kallsyms_visible(struct pipa_root *root)
{
	char text[64];

	return pipa_root_read(root, PIPA_PROC, text, sizeof(text), "kallsyms") > 16 &&
	       strncmp(text, "0000000000000000", 16) != 0;
}

static void check_kallsyms(struct doctor_host *p, struct pipa_finding *f)
{
	int level = 0;

	pipa_root_read_int(p->root, PIPA_PROC, &level, "sys/kernel/kptr_restrict");
	if (kallsyms_visible(p->root)) {
		pipa_found(f, PIPA_FOUND_GOOD, "available (kptr_restrict is %d)", level);
		return;
	}
	pipa_found(f, PIPA_FOUND_PARTLY, "kernel addresses are hidden (kptr_restrict is %d)",
		   level);
	pipa_found_fix(f,
		       "sudo sysctl kernel.kptr_restrict=0  (with perf_event_paranoid at most 1)");
}

static void check_bpf(struct doctor_host *p, struct pipa_finding *f)
{
	bool btf = pipa_root_has(p->root, PIPA_SYS, "kernel/btf/vmlinux");
	int rc = pipa_privilege_bpf();

	if (rc == 0 && btf) {
		pipa_found(f, PIPA_FOUND_GOOD, "maps can be created, kernel has BTF");
	} else if (rc == 0) {
		pipa_found(f, PIPA_FOUND_PARTLY, "maps can be created, but the kernel has no BTF");
		pipa_found_fix(f, "boot a kernel with CONFIG_DEBUG_INFO_BTF");
	} else {
		pipa_found(f, PIPA_FOUND_MISSING, "bpf() fails: %s", strerror(-rc));
		pipa_found_fix(f, "run as root, or: sudo setcap cap_bpf,cap_perfmon+ep pipa");
	}
}

/* Find the package with the debug file of the C library, "" if it is unknown. */
static void find_libc_package(char package[static PIPA_DEBUG_PACKAGE_MAX])
{
	static const char *const paths[] = {
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/aarch64-linux-gnu/libc.so.6",
		"/usr/lib/riscv64-linux-gnu/libc.so.6",
		"/usr/lib64/libc.so.6",
		"/usr/lib/libc.so.6",
	};
	size_t i;

	package[0] = '\0';
	for (i = 0; i < PIPA_COUNT(paths) && !package[0]; i++)
		if (access(paths[i], R_OK) == 0)
			pipa_debug_package_find(NULL, paths[i], NULL, 0, package);
}

static void check_debuginfo(struct doctor_host *p PIPA_UNUSED, struct pipa_finding *f)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	bool local = access("/usr/lib/debug/.build-id", R_OK) == 0;
	char package[PIPA_DEBUG_PACKAGE_MAX];

	if (local || (urls && urls[0])) {
		pipa_found(f, PIPA_FOUND_GOOD, "%s%s%s", local ? "/usr/lib/debug" : "",
			   local && urls && urls[0] ? " and " : "",
			   urls && urls[0] ? "DEBUGINFOD_URLS" :
					     "; pipa report names the packages that are missing");
		return;
	}
	find_libc_package(package);
	pipa_found(f, PIPA_FOUND_PARTLY,
		   "none installed: functions of stripped libraries stay unresolved");
	if (package[0])
		pipa_found_fix(f, "install %s; or export DEBUGINFOD_URLS=%s", package,
			       pipa_debug_server(NULL));
	else
		pipa_found_fix(f, "export DEBUGINFOD_URLS=%s", pipa_debug_server(NULL));
}

static void check_files(struct doctor_host *p PIPA_UNUSED, struct pipa_finding *f)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max >= 4096) {
		pipa_found(f, PIPA_FOUND_GOOD,
			   "up to %llu descriptors: one is needed per event and CPU",
			   (unsigned long long)limit.rlim_max);
		return;
	}
	pipa_found(f, PIPA_FOUND_PARTLY, "only %llu descriptors: one is needed per event and CPU",
		   (unsigned long long)limit.rlim_max);
	pipa_found_fix(f, "ulimit -Hn 65536  (as root, or in /etc/security/limits.conf)");
}

static void check_rate(struct doctor_host *p, struct pipa_finding *f)
{
	uint64_t rate = 0, share = 0;

	pipa_root_read_u64(p->root, PIPA_PROC, &rate, "sys/kernel/perf_event_max_sample_rate");
	pipa_root_read_u64(p->root, PIPA_PROC, &share, "sys/kernel/perf_cpu_time_max_percent");
	if (rate >= 10000) {
		pipa_found(f, PIPA_FOUND_GOOD, "up to %llu samples per second and CPU",
			   (unsigned long long)rate);
		return;
	}
	pipa_found(f, PIPA_FOUND_PARTLY, "the kernel has throttled sampling to %llu per second",
		   (unsigned long long)rate);
	pipa_found_fix(f,
		       "sudo sysctl kernel.perf_cpu_time_max_percent=%llu "
		       "kernel.perf_event_max_sample_rate=100000",
		       (unsigned long long)(share ? share : 25));
}

static const struct {
	const char *name;
	void (*check)(struct doctor_host *p, struct pipa_finding *f);
} checks[] = {
	{ "counting", check_counting },	      { "system-wide", check_system_wide },
	{ "permissions", check_rights },      { "hardware counters", check_pmu },
	{ "NMI watchdog", check_watchdog },   { "tracepoints", check_tracepoints },
	{ "kernel symbols", check_kallsyms }, { "eBPF", check_bpf },
	{ "debug files", check_debuginfo },   { "open files", check_files },
	{ "sampling rate", check_rate },
};

/* ---- output ------------------------------------------------------------------------------- */

int pipa_doctor_run(const struct pipa_host *host, const struct pipa_doctor_options *options,
		    struct pipa_buf *out, bool *ret_usable, struct pipa_error *err)
{
	struct pipa_finding findings[PIPA_COUNT(checks)] = { 0 };
	struct doctor_host p = { .perf = host->perf, .root = host->root, .paranoid = 2 };
	size_t i;
	int rc = pipa_machine_load(&p.machine, p.root, err);

	if (rc < 0)
		return rc;
	pipa_root_read_int(p.root, PIPA_PROC, &p.paranoid, "sys/kernel/perf_event_paranoid");
	p.caps = pipa_privilege_caps(p.root);
	for (i = 0; i < PIPA_COUNT(checks); i++) {
		findings[i].name = checks[i].name;
		checks[i].check(&p, &findings[i]);
	}
	pipa_findings_write(findings, PIPA_COUNT(checks), options->json, options->color, out);
	*ret_usable = p.usable;
	pipa_machine_done(&p.machine);
	return out->status ? pipa_fail(err, out->status, "write the findings") : 0;
}
