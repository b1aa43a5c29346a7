/*
 * Parse the files of a control group, v1 and v2, to one row of numbers. One table row per file:
 * path, format, fields. Pure.
 */
#ifndef PIPA_KERNEL_TEXT_CGROUP_TEXT_H
#define PIPA_KERNEL_TEXT_CGROUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of a group. PIPA_COUNTER_MISSING: not there, or no limit. */
enum {
	CG_USAGE_US, /* of all CPUs together, like the next two */
	CG_USER_US,
	CG_SYSTEM_US,
	CG_PERIODS,   /* of its quota that have passed, */
	CG_THROTTLED, /* and those in which it was used up */
	CG_MEMORY,    /* bytes, like all below but the last */
	CG_MEMORY_MAX,
	CG_SWAP,
	CG_SWAP_MAX,
	CG_MEMSW, /* v1 counts memory and swap together */
	CG_MEMSW_MAX,
	CG_READ,
	CG_WRITTEN,
	CG_PIDS,
	CG_PIDS_MAX,
	CG_QUOTA_US, /* of CPU time in each period */
	CG_PERIOD_US,
	CG_CPUS, /* how many it may run on */
	CG_FIELDS
};

enum {
	PIPA_CGROUP_USE = 1,   /* resource usage of a group */
	PIPA_CGROUP_RARE = 2,  /* belongs to that but changes rarely */
	PIPA_CGROUP_BOUND = 4, /* needed to know what bounds a group */
};

struct pipa_cgroup_file {
	const char *name;
	const char *v1;	    /* the controller in whose v1 hierarchy it is, NULL: v2's */
	const char *unless; /* v2: not used where this controller has a v1 hierarchy */
	unsigned int why;
	void (*parse)(const struct pipa_cgroup_file *file, const char *text, size_t len,
		      uint64_t *fields);
	unsigned int field; /* the field, for files with one number */
	uint64_t divide;    /* by this, 0: as it is */
};

extern const struct pipa_cgroup_file pipa_cgroup_files[];
extern const size_t pipa_n_cgroup_files;

void pipa_cgroup_fields_init(uint64_t *fields); /* all missing */

/* Set what the text gives; it need not be terminated. */
void pipa_cgroup_parse(const struct pipa_cgroup_file *file, const char *text, size_t len,
		       uint64_t *fields);

/* When all files are parsed: swap out of v1's sums. */
void pipa_cgroup_fields_finish(uint64_t *fields);

/*
 * The path of a process in the hierarchy of a v1 controller, or in v2's for NULL, from the text of its
 * /proc/PID/cgroup, with a slash in front. -ENOENT when it is in none, -ENAMETOOLONG.
 */
int pipa_cgroup_own(const char *text, size_t len, const char *controller, char *ret, size_t size);

/* How many groups there are, from /proc/cgroups and a v2 cgroup.stat: 0 when they do not say. */
uint64_t pipa_cgroup_count(const char *text, size_t len);

#endif
