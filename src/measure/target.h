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

/* An -e option, with the --filter that followed it. */
struct pipa_event_arg {
	const char *text;
	const char *filter;
};

/* Target as the user wrote it. */
struct pipa_target_spec {
	char **command;		 /* NULL-terminated, or NULL */
	const char *pids, *tids; /* comma-separated numbers */
	const char *cpus;	 /* a CPU list */
	bool system_wide;
	bool each_thread;    /* system-wide, but per thread */
	const char *cgroups; /* names of cgroups: each event is opened in all */
	const char *verb;    /* for messages: "count", "record" */
};

struct pipa_target_list {
	bool by_task;	 /* threads, not CPUs */
	bool by_command; /* the threads of the command */
	struct pipa_tasks tasks;
	struct pipa_cpus cpus; /* filled by pipa_target_list_cpus() */
	char **cgroups;
	int *cgroup_fds;
	size_t n_cgroups;
	char *text; /* "'sleep 1'", "'system wide'" */
};

/* Does the target consist of threads rather than CPUs? */
static inline bool pipa_target_spec_by_task(const struct pipa_target_spec *options)
{
	return !options->system_wide && !options->cpus && !options->cgroups;
}

/* Check that the options name a target, of one kind. -EINVAL if not. */
int pipa_target_spec_check(const struct pipa_target_spec *options, struct pipa_error *err);

/* Find the tasks and cgroups of checked options. */
int pipa_target_list_make(const struct pipa_target_spec *options, struct pipa_root *root,
			  struct pipa_target_list *targets, struct pipa_error *err);
void pipa_target_list_done(struct pipa_target_list *targets);

/* List the tasks again: with new ones, without those that have ended. */
int pipa_target_list_relist(const struct pipa_target_spec *options, struct pipa_root *root,
			    struct pipa_target_list *targets, struct pipa_error *err);

/*
 * List the tasks again if there are new threads: returns 1. Otherwise the list stays unchanged,
 * including ended ones: returns 0.
 */
int pipa_target_list_add_new_threads(const struct pipa_target_spec *options, struct pipa_root *root,
				     struct pipa_target_list *targets, struct pipa_error *err);

/* List the named CPUs, or all that are online. */
int pipa_target_list_cpus(const struct pipa_target_spec *options, struct pipa_root *root,
			  struct pipa_target_list *targets, struct pipa_error *err);

/* Repeat the event list once per cgroup; groups and families stay together. */
int pipa_target_list_spread(const struct pipa_target_list *targets, struct pipa_events *events,
			    struct pipa_error *err);

/* Append the events of a text; filter is for tracepoints, or NULL. */
int pipa_events_ask(struct pipa_machine *machine, const char *text, const char *filter,
		    struct pipa_events *events, struct pipa_error *err);

/* Apply --all-user and --all-kernel to events without a modifier. */
void pipa_events_restrict(struct pipa_events *events, bool user_only, bool kernel_only);

#endif
