/* Test an event: open it on this process (or on a CPU, if it needs one) and close it. */
#ifndef PIPA_COLLECT_COUNT_PROBE_H
#define PIPA_COLLECT_COUNT_PROBE_H

#include "kernel/event/perf_event.h"

struct pipa_event;
struct pipa_machine;

enum pipa_probe {
	PIPA_PROBE_OK,
	PIPA_PROBE_USER_ONLY, /* permitted only for user mode */
	PIPA_PROBE_DENIED,
	PIPA_PROBE_MISSING,
};

/* Test a resolved event. */
enum pipa_probe pipa_probe_event(const struct pipa_perf *perf, const struct pipa_event *event);

/* Test a name; of several PMUs, the best result counts. Returns an enum pipa_probe, or -ENOMEM. */
int pipa_probe_name(const struct pipa_perf *perf, struct pipa_machine *machine, const char *name);

/* Test an attr on a process (0: this one, -1: none) and a CPU (-1: any). */
enum pipa_probe pipa_probe_attr(const struct pipa_perf *perf, const struct perf_event_attr *attr,
				pid_t pid, int cpu);

#endif
