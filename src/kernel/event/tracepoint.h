/* Tracepoints of tracefs: names and ids for perf_event_open(2). */
#ifndef PIPA_KERNEL_EVENT_TRACEPOINT_H
#define PIPA_KERNEL_EVENT_TRACEPOINT_H

#include <stdint.h>

struct pipa_root;

/*
 * -ENOENT: no such tracepoint; -EACCES: no permission for tracefs; else the error of the file
 * system.
 */
int pipa_tracepoint_id(struct pipa_root *root, const char *system, const char *name, uint64_t *ret);

/* Call fn for each "system", "name" that both globs match, sorted; stops at fn's non-zero. */
int pipa_tracepoint_each(struct pipa_root *root, const char *system_glob, const char *name_glob,
			 int (*fn)(void *ctx, const char *system, const char *name), void *ctx);

#endif
