/* Explain why the kernel did not permit an event: perf_event_open(2) returns only EACCES. */
#ifndef PIPA_COLLECT_COUNT_PERMISSION_H
#define PIPA_COLLECT_COUNT_PERMISSION_H

#include <sys/types.h>

struct pipa_error;
struct pipa_root;

/*
 * Add a hint to an error of opening an event on a thread; tid 0: on whole CPUs. Returns err->code.
 */
int pipa_permission_hint(struct pipa_root *root, pid_t tid, struct pipa_error *err);

#endif
