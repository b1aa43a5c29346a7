/*
 * Resolve a target and events before anything starts: threads, CPUs, cgroups or command; event
 * names to events of this machine.
 */
#ifndef PIPA_MEASURE_TARGET_H
#define PIPA_MEASURE_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpus.h"
#include "collect/count/resolve.h"
#include "kernel/process/task.h"
#include "model/event.h"

struct pipa_error;
struct pipa_root;

/* One -e, with the --filter that followed it. */
struct pipa_event_arg {
	const char *text;
	const char *filter;
};

/* As the user wrote it. */
struct pipa_target_spec {
	char **command;		 /* NULL-terminated, or NULL */
	const char *pids, *tids; /* lists of numbers */
	const char *cpus;	 /* a CPU list */
	bool system_wide;
	bool each_thread;    /* system-wide, but by thread */
	const char *cgroups; /* list of names: each event in all of them */
	const char *verb;    /* for messages: "count", "record" */
};

struct pipa_target_list {
	bool by_task;	 /* threads, not CPUs */
	bool by_command; /* and they are the command's */
	struct pipa_tasks tasks;
	struct pipa_cpus cpus; /* filled by pipa_target_list_cpus() */
	char **cgroups;
	int *cgroup_fds;
	size_t n_cgroups;
	char *text; /* "'sleep 1'", "'system wide'" */
};

/* Threads are meant, not CPUs. */
static inline bool pipa_target_spec_by_task(const struct pipa_target_spec *options)
{
	return !options->system_wide && !options->cpus && !options->cgroups;
}

/* Do the options name somebody, and of one kind? */
int pipa_target_spec_check(const struct pipa_target_spec *options, struct pipa_error *err);

/* Find the tasks and cgroups of options that were checked. */
int pipa_target_list_make(const struct pipa_target_spec *options, struct pipa_root *root,
			  struct pipa_target_list *targets, struct pipa_error *err);
void pipa_target_list_done(struct pipa_target_list *targets);

/* List the tasks again: those made since are there, those that have ended are not. */
int pipa_target_list_relist(const struct pipa_target_spec *options, struct pipa_root *root,
			    struct pipa_target_list *targets, struct pipa_error *err);

/*
 * Have they made threads since they were listed? Then they are listed again and it is 1; else the
 * list stays as it is, with those that have ended, and it is 0.
 */
int pipa_target_list_add_new_threads(const struct pipa_target_spec *options, struct pipa_root *root,
				     struct pipa_target_list *targets, struct pipa_error *err);

/* The CPUs that were named, all that are online without a list. */
int pipa_target_list_cpus(const struct pipa_target_spec *options, struct pipa_root *root,
			  struct pipa_target_list *targets, struct pipa_error *err);

/* Repeat the event list once per cgroup, groups and families kept among themselves. */
int pipa_target_list_spread(const struct pipa_target_list *targets, struct pipa_events *events,
			    struct pipa_error *err);

/* Append the events that text means; filter is for tracepoints, NULL without. */
int pipa_events_ask(struct pipa_machine *machine, const char *text, const char *filter,
		    struct pipa_events *events, struct pipa_error *err);

/* --all-user and --all-kernel, where an event has no modifier of its own. */
void pipa_events_restrict(struct pipa_events *events, bool user_only, bool kernel_only);

#endif
