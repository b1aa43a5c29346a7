/*
 * Characterize a workload in plain words: the resource that limits it, user and kernel time, parallelism,
 * instructions per cycle, memory, disk and network. A statement is made only if its values were measured.
 */
#ifndef PIPA_ANALYZE_REPORT_CHARACTERIZE_H
#define PIPA_ANALYZE_REPORT_CHARACTERIZE_H

#include <stddef.h>

#include "base/arena.h"
#include "model/rules.h"

struct pipa_context;
struct pipa_cpu_loads;
struct pipa_disk_loads;
struct pipa_run;

/* The resource that limits the workload. */
enum pipa_bound {
	PIPA_BOUND_UNKNOWN, /* too little was measured */
	PIPA_BOUND_NOTHING, /* no resource is saturated */
	PIPA_BOUND_CPU,
	PIPA_BOUND_MEMORY,
	PIPA_BOUND_DISK,
	PIPA_BOUND_NETWORK,
	PIPA_BOUND_WAITING, /* not on a CPU, and no resource is saturated */
};

/* A value that a statement is based on. */
struct pipa_work_value {
	const char *name; /* variable of rules, or key of a run; static */
	double value;
	const char *unit; /* "": none */
};

enum { PIPA_WORK_VALUES = 8, PIPA_WORK_STATEMENTS = 8 };

struct pipa_work_statement {
	const char *id; /* "bound", "time", "parallelism", "ipc", "memory", "io", "network" */
	const char *text[PIPA_LANGUAGE_NR];
	struct pipa_work_value values[PIPA_WORK_VALUES];
	size_t n_values;
};

struct pipa_characterization {
	enum pipa_bound bound;
	struct pipa_work_statement items[PIPA_WORK_STATEMENTS];
	size_t n;
	struct pipa_arena arena; /* of the texts */
	int status;		 /* 0 or -ENOMEM */
};

struct pipa_characterize_input {
	const struct pipa_context *context; /* with the thresholds of the rules, if any */
	const struct pipa_cpu_loads *cpus;  /* NULL: none */
	const struct pipa_disk_loads *disks;
	const struct pipa_run *run; /* metrics of the command and of the machine; NULL: none */
};

/* Make the statements. `ret` is empty before and must be freed. 0 or -ENOMEM. */
int pipa_characterize(const struct pipa_characterize_input *input,
		      struct pipa_characterization *ret);
void pipa_characterization_done(struct pipa_characterization *work);

static inline void pipa_characterization_done_auto(struct pipa_characterization *work)
{
	pipa_characterization_done(work);
}

#endif
