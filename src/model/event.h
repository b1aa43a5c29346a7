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

/* What the tool measures itself, without the kernel's counters. */
enum pipa_tool_event {
	PIPA_TOOL_NONE,
	PIPA_TOOL_DURATION, /* wall time of the run or interval, ns */
	PIPA_TOOL_USER,	    /* CPU time of the command in user mode, ns */
	PIPA_TOOL_SYSTEM,   /* and in the kernel */
};

struct pipa_event {
	char *name;    /* as shown: "cycles:u", "cpu_core/cycles/" */
	char *key;     /* as metrics look for it: "cycles", without PMU and modifiers */
	char *pmu;     /* the PMU instance, NULL where the name alone decides */
	char *sum;     /* what its family's sum is called, NULL when it is alone */
	char *filter;  /* tracepoint filter, NULL without */
	char unit[24]; /* "msec", "Joules", "" */
	double scale;  /* count x scale = what is shown, in that unit */
	enum pipa_event_kind kind;
	enum pipa_tool_event tool;
	struct perf_event_attr attr;
	struct pipa_cpus cpus; /* where its PMU counts; empty means everywhere */
	bool uncore;	       /* counts a package, not a task */
	bool core;	       /* counts what a CPU executes, by one of its counters */
	bool weak;	       /* leader of a group that may be broken up if it does not fit */
	bool user_only;	       /* the kernel's share was dropped for lack of permission */
	bool apart;	       /* show it although its family's sum is shown too (hybrid cores) */
	size_t leader;	       /* index of its group's leader, its own when it leads or is alone */
	size_t family; /* index of the first of the instances that are summed into one line */
	int cgroup;    /* index into the cgroups counted, -1 for none */
};

struct pipa_events {
	struct pipa_event *items;
	size_t n, cap;
};

void pipa_events_done(struct pipa_events *events);

/* Append a copy of the event with new group, family and cgroup; NULL on allocation failure. */
struct pipa_event *pipa_events_add_copy(struct pipa_events *events, const struct pipa_event *from);

/* Give the event another shown name; the old one is freed. */
int pipa_event_rename(struct pipa_event *event, const char *fmt, ...) PIPA_PRINTF(2, 3);

static inline void pipa_events_done_auto(struct pipa_events *events)
{
	pipa_events_done(events);
}

#endif
