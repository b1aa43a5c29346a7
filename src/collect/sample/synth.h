/*
 * Synthesize records for the kernel, modules, processes, threads and mappings that existed before a
 * recording, from /proc. Records that the kernel writes meanwhile are newer and take precedence.
 */
#ifndef PIPA_COLLECT_SAMPLE_SYNTH_H
#define PIPA_COLLECT_SAMPLE_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/process/task.h"
#include "perf/attr.h"

struct pipa_build_id;
struct pipa_root;
struct pipa_synth;

struct pipa_synth_options {
	struct pipa_root *root;
	/* attr that determines the sample_id of records; borrowed, as is the root */
	const struct perf_event_attr *attr;
	uint64_t id; /* id of the event that the records belong to */
	bool data;   /* include non-executable mappings (mmap_data) */
	/*
	 * Receive complete records, which may be changed in place; a result other than 0 ends the
	 * synthesis. Mappings have the device and inode of their file, not its build id.
	 */
	int (*put)(void *ctx, void *bytes, size_t len);
	void *ctx;
};

int pipa_synth_new(const struct pipa_synth_options *options, struct pipa_synth **ret);
void pipa_synth_free(struct pipa_synth *synth);

/*
 * Synthesize the kernel and its modules. 0, -EACCES if the addresses are hidden from this user, or
 * the result of put.
 */
int pipa_synth_kernel(struct pipa_synth *synth);

/*
 * Synthesize the loaded BPF programs of this machine, whose functions belong to the kernel. 0, a
 * negative errno without permission, or the result of put.
 */
int pipa_synth_bpf(struct pipa_synth *synth);

/*
 * Synthesize the processes of these threads; NULL: all processes. Processes that end meanwhile are
 * skipped.
 */
int pipa_synth_tasks(struct pipa_synth *synth, const struct pipa_tasks *tasks);

/* Get the build ID of the running kernel; len 0 if it has none. */
void pipa_synth_kernel_id(struct pipa_root *root, struct pipa_build_id *ret);

static inline void pipa_synth_free_auto(struct pipa_synth **synth)
{
	pipa_synth_free(*synth);
}

#endif
