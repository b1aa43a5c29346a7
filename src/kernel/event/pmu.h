/*
 * PMUs of a machine from /sys/bus/event_source/devices: type, CPUs, format fields and named
 * events.
 *
 * The names are listed once; type, formats and events of a PMU are read on demand.
 */
#ifndef PIPA_KERNEL_EVENT_PMU_H
#define PIPA_KERNEL_EVENT_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpus.h"

struct pipa_error;
struct pipa_root;

enum { PIPA_PMU_WORDS = 3 };

/* "config1:0-7,32": which bits of which config word a field fills, lowest first. */
struct pipa_pmu_format {
	char name[40];
	unsigned int word; /* 0 config, 1 config1, 2 config2 */
	uint64_t bits;
};

struct pipa_pmu {
	char *name;
	uint32_t type;
	bool core;	       /* counts what a CPU executes: cpu, cpu_core, armv8_pmuv3_0 */
	bool uncore;	       /* counts for a package, on the CPUs of its cpumask, for no task */
	struct pipa_cpus cpus; /* where it counts; empty means everywhere */
	struct pipa_pmu_format *formats;
	size_t n_formats;
	bool loaded;
};

struct pipa_pmus {
	struct pipa_pmu *items; /* sorted by name */
	size_t n, cap;
};

/* A named event of a PMU: its terms ("event=0x3c,umask=0"), and how to show the count. */
struct pipa_pmu_alias {
	char name[64];
	char terms[256];
	char unit[24];
	double scale; /* 1 if the PMU has no scale */
};

/* List the PMUs; an empty list is not an error. */
int pipa_pmus_load(struct pipa_root *root, struct pipa_pmus *ret, struct pipa_error *err);
void pipa_pmus_done(struct pipa_pmus *pmus);

/* Read type, cpumask and formats of one PMU if they were not read yet. */
int pipa_pmu_load(struct pipa_root *root, struct pipa_pmu *pmu, struct pipa_error *err);

/* Look one event up: 0, or -ENOENT when the PMU has none of that name. */
int pipa_pmu_alias_read(struct pipa_root *root, const struct pipa_pmu *pmu, const char *event,
			struct pipa_pmu_alias *ret);

/* Call fn for every event name of the PMU, in no order; stops at and returns fn's non-zero. */
int pipa_pmu_alias_each(struct pipa_root *root, const struct pipa_pmu *pmu,
			int (*fn)(void *ctx, const char *event), void *ctx);

const struct pipa_pmu_format *pipa_pmu_format_find(const struct pipa_pmu *pmu, const char *name);

/* Does `wanted` mean this PMU: its name, a glob, or its name without the instance number? */
bool pipa_pmu_matches(const struct pipa_pmu *pmu, const char *wanted);

/* Parse the text of a format file. -EINVAL if it is invalid. */
int pipa_pmu_format_parse(const char *text, struct pipa_pmu_format *ret);

/* Spread value over the bits; -ERANGE when it has more bits than the field. */
int pipa_pmu_format_apply(const struct pipa_pmu_format *format, uint64_t value,
			  uint64_t config[PIPA_PMU_WORDS]);

static inline void pipa_pmus_done_auto(struct pipa_pmus *pmus)
{
	pipa_pmus_done(pmus);
}

#endif
