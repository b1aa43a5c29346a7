/*
 * Invented machines: trees of /proc, /sys and tracefs for pipa_root_open(prefix). Numbers and names
 * are those of real kernels, cut down to what is looked at; nothing is read from the machine that
 * runs the test. Each function makes a tree of its own and returns its prefix.
 */
#ifndef PIPA_TESTS_MACHINES_H
#define PIPA_TESTS_MACHINES_H

#include <stdint.h>
#include <sys/types.h>

/* PMU types of the machines below; those of core PMUs other than `cpu` are the kernel's to choose. */
enum {
	MACHINE_CPU = 4,   /* PERF_TYPE_RAW: x86's one core PMU, or its performance cores */
	MACHINE_ATOM = 10, /* efficient cores */
	MACHINE_A53 = 7,
	MACHINE_A73 = 8,
	MACHINE_ARM = 8,
	MACHINE_POWER = 20,
	MACHINE_IMC = 21, /* uncore_imc_0, the others follow */
};

/* Four CPUs of one package without any core PMU: a virtual machine. */
const char *machine_plain(void);

/* The same with x86's `cpu`: formats, events, and slots events for --topdown (Ice Lake). */
const char *machine_icelake(void);

/* `cpu` with the topdown events that Intel had before, scaled ones among them (Skylake). */
const char *machine_skylake(void);

/* cpu_core on CPUs 0-3 and cpu_atom on 4-7 (Alder Lake). */
const char *machine_hybrid(void);

/* Cortex-A53 on CPUs 0-3 and Cortex-A73 on 4-5. */
const char *machine_biglittle(void);

/* armv8_pmuv3_0 with the stall_slot events (Neoverse V1). */
const char *machine_neoverse(void);

/*
 * 2 packages x 2 cores x 2 threads, a node each: CPUs 0-3 and 4-7, siblings beside each other. `cpu`,
 * RAPL's `power` and four memory controllers, both on CPUs 0 and 4.
 */
const char *machine_server(void);

/* ---- pieces, for tests that need a machine of their own ------------------------------------- */

/* Write one file below a machine: machine_file(m, "proc/sys/kernel/nmi_watchdog", "1\n"). */
void machine_file(const char *machine, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A CPU's place; the set that is online is written apart. */
void machine_cpu(const char *machine, int cpu, int socket, int die, int core);

/* A PMU; `where` is a file name and its text as "cpus=0-3" or "cpumask=0,4", NULL for none. */
void machine_pmu(const char *machine, const char *pmu, uint32_t type, const char *where);
void machine_format(const char *machine, const char *pmu, const char *name, const char *bits);

/* A PMU's event; scale and unit may be NULL. */
void machine_event(const char *machine, const char *pmu, const char *name, const char *terms,
		   const char *scale, const char *unit);

void machine_tracepoint(const char *machine, const char *system, const char *name, unsigned int id);

/* A thread of a process, as /proc lists it. */
void machine_thread(const char *machine, pid_t pid, pid_t tid, const char *comm);

#endif
