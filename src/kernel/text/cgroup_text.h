/*
 * Parse the files of a control group, v1 and v2, to one row of numbers. One table row per file:
 * path, format, fields. Pure.
 */
#ifndef PIPA_KERNEL_TEXT_CGROUP_TEXT_H
#define PIPA_KERNEL_TEXT_CGROUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields of a group. PIPA_COUNTER_MISSING: the file does not exist, or there is no limit. */
enum {
	CG_USAGE_US, /* sum of all CPUs, like the next two fields */
	CG_USER_US,
	CG_SYSTEM_US,
	CG_PERIODS,   /* periods of the CPU quota that have passed (nr_periods) */
	CG_THROTTLED, /* periods in which the quota was used up (nr_throttled) */
	CG_MEMORY,    /* memory, swap and I/O are in bytes */
	CG_MEMORY_MAX,
	CG_SWAP,
	CG_SWAP_MAX,
	CG_MEMSW, /* v1 counts memory and swap together */
	CG_MEMSW_MAX,
	CG_READ,
	CG_WRITTEN,
	CG_PIDS,
	CG_PIDS_MAX,
	CG_QUOTA_US, /* CPU time permitted in each period */
	CG_PERIOD_US,
	CG_CPUS, /* number of CPUs that the group may use */
	CG_FIELDS
};

enum {
	PIPA_CGROUP_USE = 1,   /* resource usage of a group */
	PIPA_CGROUP_RARE = 2,  /* as PIPA_CGROUP_USE, but changes rarely */
	PIPA_CGROUP_BOUND = 4, /* needed to compare usage with limits */
};

struct pipa_cgroup_file {
	const char *name;
	const char *v1;	    /* controller of the v1 hierarchy that has the file; NULL: v2 */
	const char *unless; /* v2: skip the file if this controller has a v1 hierarchy */
	unsigned int why;   /* bit mask of purposes: PIPA_CGROUP_USE and so on */
	void (*parse)(const struct pipa_cgroup_file *file, const char *text, size_t len,
		      uint64_t *fields);
	unsigned int field; /* destination, for files with one number */
	uint64_t divide;    /* divisor of the number; 0: none */
};

extern const struct pipa_cgroup_file pipa_cgroup_files[];
extern const size_t pipa_n_cgroup_files;

/* Set all fields to PIPA_COUNTER_MISSING. */
void pipa_cgroup_fields_init(uint64_t *fields);

/* Parse a file and set its fields. The text need not be terminated. */
void pipa_cgroup_parse(const struct pipa_cgroup_file *file, const char *text, size_t len,
		       uint64_t *fields);

/* Compute swap from the v1 sums of memory and swap, after all files were parsed. */
void pipa_cgroup_fields_finish(uint64_t *fields);

/*
 * Find the path of a process, with a leading slash, in the text of its /proc/PID/cgroup: in the
 * hierarchy of a v1 controller, or NULL: of v2. -ENOENT if the process is in none, -ENAMETOOLONG.
 */
int pipa_cgroup_own(const char *text, size_t len, const char *controller, char *ret, size_t size);

/* Parse the number of groups in /proc/cgroups or in cgroup.stat of v2; 0: unknown. */
uint64_t pipa_cgroup_count(const char *text, size_t len);

#endif
