/*
 * Resolved event: the perf_event_attr and how to print its value. Groups and families refer to
 * indices of the same list.
 */
#ifndef PIPA_MODEL_EVENT_H
#define PIPA_MODEL_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cpus.h"

enum pipa_event_kind {
	PIPA_EVENT_HW,
	PIPA_EVENT_CACHE,
	PIPA_EVENT_SW,
	PIPA_EVENT_RAW,
	PIPA_EVENT_PMU,
	PIPA_EVENT_TRACEPOINT,
	PIPA_EVENT_BREAKPOINT,
	PIPA_EVENT_TOOL,
	PIPA_EVENT_KIND_NR,
};

/* Events that the tool measures without counters of the kernel. */
enum pipa_tool_event {
	PIPA_TOOL_NONE,
	PIPA_TOOL_DURATION, /* wall time of the run or interval, ns */
	PIPA_TOOL_USER,	    /* CPU time of the command in user mode, ns */
	PIPA_TOOL_SYSTEM,   /* CPU time of the command in kernel mode, ns */
};

struct pipa_event {
	char *name;    /* for output: "cycles:u", "cpu_core/cycles/" */
	char *key;     /* for metrics: "cycles", without PMU and modifiers */
	char *pmu;     /* PMU instance; NULL: not given */
	char *sum;     /* name of the sum over its family; NULL: no family */
	char *filter;  /* tracepoint filter, NULL: none */
	char unit[24]; /* "msec", "Joules", "" */
	double scale;  /* value = count x scale, in that unit */
	enum pipa_event_kind kind;
	enum pipa_tool_event tool;
	struct perf_event_attr attr;
	struct pipa_cpus cpus; /* on which its PMU counts; empty: all */
	bool uncore;	       /* counts a package, not a task */
	bool core;	       /* counts a CPU's own execution, with one of its counters */
	bool weak;	/* leader of a group that may be split if it cannot be scheduled as one */
	bool user_only; /* kernel mode is excluded because of missing permission */
	bool apart;	/* show it in addition to the sum of its family (hybrid cores) */
	size_t leader;	/* index of the group's leader, its own if it leads or has no group */
	size_t family;	/* index of the first of the instances that are summed in one row */
	int cgroup;	/* index of the cgroup, -1: none */
};

struct pipa_events {
	struct pipa_event *items;
	size_t n, cap;
};

void pipa_events_done(struct pipa_events *events);

/* Append a copy of the event with new group, family and cgroup; NULL on allocation failure. */
struct pipa_event *pipa_events_add_copy(struct pipa_events *events, const struct pipa_event *from);

/* Replace the displayed name. 0 or -ENOMEM. */
int pipa_event_rename(struct pipa_event *event, const char *fmt, ...) PIPA_PRINTF(2, 3);

static inline void pipa_events_done_auto(struct pipa_events *events)
{
	pipa_events_done(events);
}

#endif
