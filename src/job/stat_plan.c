#include "job/stat_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "job/stat.h"
#include "kernel/cgroup.h"
#include "kernel/root.h"
#include "kernel/topology.h"
#include "perf/event_names.h"
#include "perf/event_spec.h"

/* perf's default set and what each -d adds. cpu-clock is task-clock for whole CPUs. */
#define DEFAULTS                                                                                   \
	"context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses"

static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

void pipa_stat_plan_done(struct pipa_stat_plan *plan)
{
	size_t i;

	pipa_events_done(&plan->events);
	pipa_metric_uses_done(&plan->metrics);
	pipa_machine_done(&plan->machine);
	pipa_tasks_done(&plan->tasks);
	pipa_cpus_done(&plan->cpus);
	for (i = 0; i < plan->n_cgroups; i++) {
		free(plan->cgroups[i]);
		pipa_fd_close(plan->cgroup_fds[i]);
	}
	free(plan->cgroups);
	free(plan->cgroup_fds);
	free(plan->target);
}

/* ---- events ------------------------------------------------------------------------------ */

static int add_events(struct pipa_stat_plan *plan, const char *text, const char *filter,
		      struct pipa_error *err)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = { 0 };
	size_t first = plan->events.n, i;
	int rc = pipa_specs_parse(&specs, text, err);

	if (rc == 0)
		rc = pipa_resolve(&plan->machine, &specs, &plan->events, err);
	for (i = first; filter && !rc && i < plan->events.n; i++) {
		struct pipa_event *event = &plan->events.items[i];

		if (event->kind != PIPA_EVENT_TRACEPOINT) {
			pipa_refuse(err, -EINVAL, "%s is no tracepoint and takes no filter",
				    event->name);
			return pipa_hint(err, "--filter applies to the -e before it");
		}
		event->filter = strdup(filter);
		if (!event->filter)
			return pipa_fail(err, -ENOMEM, "set up filter");
	}
	return rc;
}

/* The usual ones unless some were chosen, and what each -d adds to either. */
static int add_default_events(const struct pipa_stat_options *o, struct pipa_stat_plan *plan,
			      struct pipa_error *err)
{
	unsigned int i;
	int rc = 0;

	if (o->null_run)
		return 0;
	if (!o->n_events)
		rc = add_events(plan,
				plan->by_task ? "task-clock," DEFAULTS : "cpu-clock," DEFAULTS,
				NULL, err);
	for (i = 0; !rc && i < o->detail && i < PIPA_COUNT(details); i++)
		rc = add_events(plan, details[i], NULL, err);
	return rc;
}

static bool machine_has_event(void *ctx, const char *name)
{
	struct pipa_event_name fixed;

	return pipa_event_name_find(name, &fixed) || pipa_machine_has_alias(ctx, name);
}

static bool is_counted(const struct pipa_stat_plan *plan, const char *key)
{
	size_t i;

	for (i = 0; i < plan->events.n; i++)
		if (strcmp(plan->events.items[i].key, key) == 0)
			return true;
	return false;
}

/* Is `name` a word of the comma-separated list? */
static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (; *list; list += *list == ',') {
		size_t word = strcspn(list, ",");

		if (word == len && memcmp(list, name, len) == 0)
			return true;
		list += word;
	}
	return false;
}

static void add_word(struct pipa_buf *list, const struct pipa_stat_plan *plan, const char *name)
{
	if (is_listed(pipa_buf_str(list), name) || is_counted(plan, name))
		return;
	if (list->len)
		pipa_buf_putc(list, ',');
	pipa_buf_puts(list, name);
}

/*
 * The events that the metrics need and that are not counted yet. Those of grouped metrics go into
 * one group; what no metric stands beside comes first, since `slots` has to lead.
 */
static int add_metric_events(struct pipa_stat_plan *plan, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf alone = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf lead = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf group = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	size_t i, k;

	for (i = 0; i < plan->metrics.n; i++) {
		const struct pipa_metric_use *use = &plan->metrics.items[i];
		const char *anchor = pipa_metric_anchor(use);

		for (k = 0; k < use->expr.n_names; k++) {
			const char *name = use->expr.names[k].text;

			if (strcmp(name, "clock") == 0 && !use->expr.names[k].is_event)
				add_word(&alone, plan, plan->by_task ? "task-clock" : "cpu-clock");
			else if (use->expr.names[k].is_event && !use->metric.grouped)
				add_word(&alone, plan, name);
			else if (use->expr.names[k].is_event && strcmp(name, anchor) != 0)
				add_word(&lead, plan, name);
		}
		if (!use->metric.grouped)
			add_word(&alone, plan, anchor);
	}
	for (i = 0; i < plan->metrics.n; i++)
		if (plan->metrics.items[i].metric.grouped &&
		    !is_listed(pipa_buf_str(&lead), pipa_metric_anchor(&plan->metrics.items[i])))
			add_word(&group, plan, pipa_metric_anchor(&plan->metrics.items[i]));

	pipa_buf_puts(&text, pipa_buf_str(&alone));
	if (lead.len || group.len)
		pipa_buf_printf(&text, "%s{%s%s%s}", text.len ? "," : "", pipa_buf_str(&lead),
				lead.len && group.len ? "," : "", pipa_buf_str(&group));
	if (alone.status || lead.status || group.status || text.status)
		return pipa_fail(err, -ENOMEM, "set up metrics");
	return text.len ? add_events(plan, text.data, NULL, err) : 0;
}

static int plan_events(const struct pipa_stat_options *o, struct pipa_stat_plan *plan,
		       struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < o->n_events; i++)
		rc = add_events(plan, o->events[i].text, o->events[i].filter, err);
	if (!rc && o->metrics)
		rc = pipa_metric_uses_ask(&plan->metrics, o->metrics, machine_has_event,
					  &plan->machine, err);
	if (!rc && o->topdown)
		rc = pipa_metric_uses_ask(&plan->metrics, "topdown", machine_has_event,
					  &plan->machine, err);
	if (rc)
		return rc;
	if (plan->metrics.asked)
		return add_metric_events(plan, err);
	rc = add_default_events(o, plan, err);
	return rc ? rc : pipa_metric_uses_default(&plan->metrics, &plan->events, err);
}

/* ---- cgroups ----------------------------------------------------------------------------- */

static bool is_open(const struct pipa_stat_plan *plan, const char *cgroup)
{
	size_t i;

	for (i = 0; i < plan->n_cgroups; i++)
		if (plan->cgroups[i] && strcmp(plan->cgroups[i], cgroup) == 0)
			return true;
	return false;
}

/* perf wants a name per event (-G a,a,a): each is counted once. */
static int open_cgroups(struct pipa_stat_plan *plan, const char *names, struct pipa_error *err)
{
	PIPA_AUTO(free) char *copy = strdup(names);
	size_t most = 1;
	char *rest = copy, *name;
	const char *p;

	for (p = names; *p; p++)
		most += *p == ',';
	plan->cgroups = calloc(most, sizeof(*plan->cgroups));
	plan->cgroup_fds = calloc(most, sizeof(*plan->cgroup_fds));
	if (!copy || !plan->cgroups || !plan->cgroup_fds)
		return pipa_fail(err, -ENOMEM, "open cgroups");
	while ((name = strsep(&rest, ","))) {
		char *own;
		int fd;

		if (is_open(plan, name))
			continue;
		fd = *name ? pipa_cgroup_open(plan->machine.root, name, err) :
			     pipa_refuse(err, -EINVAL,
					 "a cgroup name is empty in '%s'; names have commas "
					 "between: a,b",
					 names);
		if (fd < 0)
			return fd;
		own = strdup(name);
		if (!own) {
			close(fd);
			return pipa_fail(err, -ENOMEM, "open cgroups");
		}
		plan->cgroup_fds[plan->n_cgroups] = fd;
		plan->cgroups[plan->n_cgroups++] = own;
	}
	return 0;
}

/* Repeat the event list once per cgroup, groups and families kept among themselves. */
static int spread_over_cgroups(struct pipa_stat_plan *plan, struct pipa_error *err)
{
	PIPA_AUTO(pipa_events_done) struct pipa_events once = plan->events;
	size_t c, e;

	plan->events = (struct pipa_events){ 0 };
	for (c = 0; c < plan->n_cgroups; c++) {
		size_t base = plan->events.n;

		for (e = 0; e < once.n; e++) {
			struct pipa_event *event = pipa_events_add_copy(&plan->events,
									&once.items[e]);

			if (!event)
				return pipa_fail(err, -ENOMEM, "set up cgroups");
			event->leader = base + once.items[e].leader;
			event->family = base + once.items[e].family;
			event->cgroup = (int)c;
		}
	}
	return 0;
}

/* ---- target ------------------------------------------------------------------------------ */

/* Call add for each number of "12,34". */
static int each_number(const char *list, const char *what,
		       int (*add)(struct pipa_root *root, pid_t id, struct pipa_tasks *tasks,
				  struct pipa_error *err),
		       struct pipa_stat_plan *plan, struct pipa_error *err)
{
	PIPA_AUTO(free) char *copy = strdup(list);
	char *rest = copy, *word;
	uint64_t id;
	int rc = 0;

	if (!copy)
		return pipa_fail(err, -ENOMEM, "parse %s", what);
	while (!rc && (word = strsep(&rest, ","))) {
		if (pipa_str_u64(word, &id) < 0 || id == 0 || id > INT32_MAX) {
			pipa_refuse(err, -EINVAL, "bad %s '%s'", what, word);
			return pipa_hint(err, "numbers, with commas between: 123,456");
		}
		rc = add(plan->machine.root, (pid_t)id, &plan->tasks, err);
	}
	return rc;
}

/* A thread that was named twice (-p 5,5 or -p 5 -t 5) would be counted twice. */
static void drop_doubles(struct pipa_tasks *tasks)
{
	size_t i, k, n = 0;

	for (i = 0; i < tasks->n; i++) {
		for (k = 0; k < n && tasks->items[k].tid != tasks->items[i].tid; k++)
			;
		if (k == n)
			tasks->items[n++] = tasks->items[i];
	}
	tasks->n = n;
}

static int plan_cpus(const struct pipa_stat_options *o, struct pipa_stat_plan *plan,
		     struct pipa_error *err)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus online = { 0 };
	size_t i;
	int rc = pipa_topology_online(plan->machine.root, &online, err);

	if (rc < 0)
		return rc;
	if (!o->cpus) {
		rc = pipa_cpus_copy(&online, &plan->cpus);
		return rc < 0 ? pipa_fail(err, rc, "list the CPUs") : 0;
	}
	rc = pipa_cpus_parse(o->cpus, &plan->cpus, err);
	if (rc == 0 && !plan->cpus.n)
		rc = pipa_refuse(err, -EINVAL, "the CPU list is empty; write it as 0-3,7");
	for (i = 0; !rc && i < plan->cpus.n; i++)
		if (!pipa_cpus_has(&online, plan->cpus.items[i])) {
			pipa_refuse(err, -ENODEV, "CPU %d is not online", plan->cpus.items[i]);
			rc = pipa_hint(err, "see /sys/devices/system/cpu/online");
		}
	return rc;
}

static int check_target(const struct pipa_stat_options *o, const struct pipa_stat_plan *plan,
			struct pipa_error *err)
{
	bool places = o->by != PIPA_AGGR_GLOBAL && o->by != PIPA_AGGR_THREAD;

	if (!o->command && !o->pids && !o->tids && !o->system_wide && !o->cpus && !o->cgroups) {
		pipa_refuse(err, -EINVAL, "nothing to count");
		return pipa_hint(err, "give a command, or -a for all CPUs, or -p PID");
	}
	if ((o->pids || o->tids) && (o->system_wide || o->cpus || o->cgroups)) {
		pipa_refuse(err, -EINVAL,
			    "-p and -t count threads, -a, -C and --cgroup whole CPUs");
		return pipa_hint(err, "choose one kind");
	}
	if (places && plan->by_task) {
		pipa_refuse(err, -EINVAL,
			    "per CPU, core, die, socket or node counts need whole CPUs");
		return pipa_hint(err, "add -a");
	}
	if (o->by == PIPA_AGGR_THREAD && !o->pids && !o->tids && !o->system_wide) {
		pipa_refuse(err, -EINVAL, "--per-thread needs threads that run already");
		return pipa_hint(err, "add -p PID, -t TID, or -a for all threads");
	}
	return 0;
}

static int describe_target(const struct pipa_stat_options *o, struct pipa_stat_plan *plan,
			   struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 64 << 10 };
	size_t i;

	if (o->cpus)
		pipa_buf_printf(&text, "'CPU(s) %s'", o->cpus);
	else if (o->system_wide || o->cgroups)
		pipa_buf_puts(&text, "'system wide'");
	else if (o->pids)
		pipa_buf_printf(&text, "process id '%s'", o->pids);
	else if (o->tids)
		pipa_buf_printf(&text, "thread id '%s'", o->tids);
	else
		for (i = 0; o->command[i]; i++)
			pipa_buf_printf(&text, "%s%s", i ? " " : "'", o->command[i]);
	if (plan->by_command)
		pipa_buf_putc(&text, '\'');
	if (text.status == -EFBIG) { /* a megabyte of arguments need not be shown whole */
		pipa_buf_reset(&text);
		pipa_buf_printf(&text, "'%.*s ...'", 1000,
				plan->by_command ? o->command[0] :
				o->cpus		 ? o->cpus :
				o->pids		 ? o->pids :
						   o->tids);
	}
	plan->target = pipa_buf_take(&text);
	return plan->target ? 0 : pipa_fail(err, -ENOMEM, "describe the target");
}

static int plan_target(const struct pipa_stat_options *o, struct pipa_stat_plan *plan,
		       struct pipa_error *err)
{
	int rc;

	plan->by_task = !o->system_wide && !o->cpus && !o->cgroups;
	plan->by_command = plan->by_task && o->command && !o->pids && !o->tids;
	rc = check_target(o, plan, err);
	if (!rc && o->by == PIPA_AGGR_THREAD && o->system_wide) {
		plan->by_task = true;
		rc = pipa_tasks_all(plan->machine.root, &plan->tasks, err);
	}
	if (!rc && o->pids)
		rc = each_number(o->pids, "process id", pipa_tasks_of, plan, err);
	if (!rc && o->tids)
		rc = each_number(o->tids, "thread id", pipa_tasks_add, plan, err);
	if (!rc && (o->pids || o->tids))
		drop_doubles(&plan->tasks);
	if (!rc && o->cgroups)
		rc = open_cgroups(plan, o->cgroups, err);
	return rc ? rc : describe_target(o, plan, err);
}

/* Threads are counted wherever they run; only package-wide events want a CPU even then. */
static bool needs_cpus(const struct pipa_stat_options *o, const struct pipa_stat_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->events.n; i++)
		if (plan->events.items[i].uncore)
			return true;
	return o->cpus || !plan->by_task;
}

/* --all-user and --all-kernel, where an event has no modifier of its own. */
static void restrict_modes(const struct pipa_stat_options *o, struct pipa_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		struct perf_event_attr *attr = &events->items[i].attr;

		if (attr->exclude_user || attr->exclude_kernel || events->items[i].uncore)
			continue;
		attr->exclude_user = o->kernel_only;
		attr->exclude_kernel = attr->exclude_hv = o->user_only;
	}
}

int pipa_stat_plan_make(const struct pipa_stat_options *o, struct pipa_root *root,
			struct pipa_stat_plan *plan, struct pipa_error *err)
{
	int rc = pipa_machine_load(&plan->machine, root, err);

	plan->machine.no_merge = o->no_merge;
	if (!rc)
		rc = plan_target(o, plan, err);
	if (!rc)
		rc = plan_events(o, plan, err);
	if (!rc && (o->user_only || o->kernel_only))
		restrict_modes(o, &plan->events);
	if (!rc && needs_cpus(o, plan))
		rc = plan_cpus(o, plan, err);
	if (!rc && plan->n_cgroups)
		rc = spread_over_cgroups(plan, err);
	return rc;
}
