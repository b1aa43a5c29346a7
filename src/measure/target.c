#include "measure/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "kernel/machine/cgroup.h"
#include "kernel/machine/root.h"
#include "kernel/machine/topology.h"
#include "perf/event_spec.h"

void pipa_target_list_done(struct pipa_target_list *targets)
{
	size_t i;

	pipa_tasks_done(&targets->tasks);
	pipa_cpus_done(&targets->cpus);
	for (i = 0; i < targets->n_cgroups; i++) {
		free(targets->cgroups[i]);
		pipa_fd_close(targets->cgroup_fds[i]);
	}
	free(targets->cgroups);
	free(targets->cgroup_fds);
	free(targets->text);
}

/* ---- events ------------------------------------------------------------------------------ */

int pipa_events_ask(struct pipa_machine *machine, const char *text, const char *filter,
		    struct pipa_events *events, struct pipa_error *err)
{
	PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = { 0 };
	size_t first = events->n, i;
	int rc = pipa_specs_parse(&specs, text, err);

	if (rc == 0)
		rc = pipa_resolve(machine, &specs, events, err);
	for (i = first; filter && !rc && i < events->n; i++) {
		struct pipa_event *event = &events->items[i];

		if (event->kind != PIPA_EVENT_TRACEPOINT) {
			pipa_refuse(err, -EINVAL, "%s is not a tracepoint: no filter possible",
				    event->name);
			return pipa_hint(err, "--filter applies to the preceding -e");
		}
		event->filter = strdup(filter);
		if (!event->filter)
			return pipa_fail(err, -ENOMEM, "set up filter");
	}
	return rc;
}

void pipa_events_restrict(struct pipa_events *events, bool user_only, bool kernel_only)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		struct perf_event_attr *attr = &events->items[i].attr;

		if (attr->exclude_user || attr->exclude_kernel || events->items[i].uncore)
			continue;
		attr->exclude_user = kernel_only;
		attr->exclude_kernel = attr->exclude_hv = user_only;
	}
}

/* ---- cgroups ----------------------------------------------------------------------------- */

static bool is_open(const struct pipa_target_list *targets, const char *cgroup)
{
	size_t i;

	for (i = 0; i < targets->n_cgroups; i++)
		if (targets->cgroups[i] && strcmp(targets->cgroups[i], cgroup) == 0)
			return true;
	return false;
}

/* Open cgroups. perf expects a name per event (-G a,a,a): each cgroup is opened once. */
static int open_cgroups(struct pipa_root *root, struct pipa_target_list *targets, const char *names,
			struct pipa_error *err)
{
	PIPA_AUTO(free) char *copy = strdup(names);
	size_t most = 1;
	char *rest = copy, *name;
	const char *p;

	for (p = names; *p; p++)
		most += *p == ',';
	targets->cgroups = calloc(most, sizeof(*targets->cgroups));
	targets->cgroup_fds = calloc(most, sizeof(*targets->cgroup_fds));
	if (!copy || !targets->cgroups || !targets->cgroup_fds)
		return pipa_fail(err, -ENOMEM, "open cgroups");
	while ((name = strsep(&rest, ","))) {
		char *own;
		int fd;

		if (is_open(targets, name))
			continue;
		fd = *name ? pipa_cgroup_open(root, name, err) :
			     pipa_refuse(
				     err, -EINVAL,
				     "empty cgroup name in '%s', expected comma-separated names",
				     names);
		if (fd < 0)
			return fd;
		own = strdup(name);
		if (!own) {
			close(fd);
			return pipa_fail(err, -ENOMEM, "open cgroups");
		}
		targets->cgroup_fds[targets->n_cgroups] = fd;
		targets->cgroups[targets->n_cgroups++] = own;
	}
	return 0;
}

int pipa_target_list_spread(const struct pipa_target_list *targets, struct pipa_events *events,
			    struct pipa_error *err)
{
	PIPA_AUTO(pipa_events_done) struct pipa_events once = *events;
	size_t c, e;

	*events = (struct pipa_events){ 0 };
	for (c = 0; c < targets->n_cgroups; c++) {
		size_t base = events->n;

		for (e = 0; e < once.n; e++) {
			struct pipa_event *event = pipa_events_add_copy(events, &once.items[e]);

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
static int for_each_number(const char *list, const char *what,
			   int (*add)(struct pipa_root *root, pid_t id, struct pipa_tasks *tasks,
				      struct pipa_error *err),
			   struct pipa_root *root, struct pipa_tasks *tasks, struct pipa_error *err)
{
	PIPA_AUTO(free) char *copy = strdup(list);
	char *rest = copy, *word;
	uint64_t id;
	int rc = 0;

	if (!copy)
		return pipa_fail(err, -ENOMEM, "parse %s", what);
	while (!rc && (word = strsep(&rest, ","))) {
		if (pipa_str_u64(word, &id) < 0 || id == 0 || id > INT32_MAX) {
			pipa_refuse(err, -EINVAL, "invalid %s '%s'", what, word);
			return pipa_hint(err, "expected comma-separated numbers: 123,456");
		}
		rc = add(root, (pid_t)id, tasks, err);
	}
	return rc;
}

/* Remove duplicate threads (-p 5,5 or -p 5 -t 5), which would be counted twice. */
static void remove_duplicates(struct pipa_tasks *tasks)
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

int pipa_target_list_cpus(const struct pipa_target_spec *o, struct pipa_root *root,
			  struct pipa_target_list *targets, struct pipa_error *err)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus online = { 0 };
	size_t i;
	int rc = pipa_topology_online(root, &online, err);

	if (rc < 0)
		return rc;
	if (!o->cpus) {
		rc = pipa_cpus_copy(&online, &targets->cpus);
		return rc < 0 ? pipa_fail(err, rc, "list the CPUs") : 0;
	}
	rc = pipa_cpus_parse(o->cpus, &targets->cpus, err);
	if (rc == 0 && !targets->cpus.n)
		rc = pipa_refuse(err, -EINVAL, "empty CPU list, expected e.g. 0-3,7");
	for (i = 0; !rc && i < targets->cpus.n; i++)
		if (!pipa_cpus_has(&online, targets->cpus.items[i])) {
			pipa_refuse(err, -ENODEV, "CPU %d is not online", targets->cpus.items[i]);
			rc = pipa_hint(err, "see /sys/devices/system/cpu/online");
		}
	return rc;
}

int pipa_target_spec_check(const struct pipa_target_spec *o, struct pipa_error *err)
{
	if (!o->command && !o->pids && !o->tids && !o->system_wide && !o->cpus && !o->cgroups) {
		pipa_refuse(err, -EINVAL, "nothing to %s", o->verb);
		return pipa_hint(err, "specify a command, -a for all CPUs, or -p PID");
	}
	if ((o->pids || o->tids) && (o->system_wide || o->cpus || o->cgroups)) {
		pipa_refuse(err, -EINVAL, "-p and -t %s threads, -a, -C and --cgroup whole CPUs",
			    o->verb);
		return pipa_hint(err, "these cannot be combined");
	}
	return 0;
}

static int describe_target(const struct pipa_target_spec *o, struct pipa_target_list *targets,
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
	if (targets->by_command)
		pipa_buf_putc(&text, '\'');
	if (text.status == -EFBIG) { /* very long command lines are truncated */
		pipa_buf_reset(&text);
		pipa_buf_printf(&text, "'%.*s ...'", 1000,
				targets->by_command ? o->command[0] :
				o->cpus		    ? o->cpus :
				o->pids		    ? o->pids :
						      o->tids);
	}
	targets->text = pipa_buf_take(&text);
	return targets->text ? 0 : pipa_fail(err, -ENOMEM, "describe the target");
}

/* List the threads of a process; one that has ended is not a failure. */
static int relist_process(struct pipa_root *root, pid_t pid, struct pipa_tasks *tasks,
			  struct pipa_error *err PIPA_UNUSED)
{
	int rc = pipa_tasks_of(root, pid, tasks, NULL);

	return rc == -ESRCH ? 0 : rc;
}

static int relist_task(struct pipa_root *root, pid_t tid, struct pipa_tasks *tasks,
		       struct pipa_error *err PIPA_UNUSED)
{
	int rc = pipa_tasks_add(root, tid, tasks, NULL);

	return rc == -ESRCH ? 0 : rc;
}

int pipa_target_list_relist(const struct pipa_target_spec *o, struct pipa_root *root,
			    struct pipa_target_list *targets, struct pipa_error *err)
{
	int rc = 0;

	targets->tasks.n = 0;
	if (o->pids)
		rc = for_each_number(o->pids, "process id", relist_process, root, &targets->tasks,
				     NULL);
	if (!rc && o->tids)
		rc = for_each_number(o->tids, "thread id", relist_task, root, &targets->tasks,
				     NULL);
	remove_duplicates(&targets->tasks);
	return rc < 0 ? pipa_fail(err, rc, "list threads") : 0;
}

/*
 * Has the new list a thread that the old one lacks? Both mostly have the same order: the search
 * continues where the last one ended.
 */
static bool has_new_task(const struct pipa_tasks *old, const struct pipa_tasks *now)
{
	size_t i, k, at = 0;

	for (i = 0; i < now->n; i++) {
		for (k = 0; k < old->n; k++)
			if (old->items[(at + k) % old->n].tid == now->items[i].tid)
				break;
		if (k == old->n)
			return true;
		at += k;
	}
	return false;
}

int pipa_target_list_add_new_threads(const struct pipa_target_spec *o, struct pipa_root *root,
				     struct pipa_target_list *targets, struct pipa_error *err)
{
	struct pipa_target_list now = { 0 };
	int rc = pipa_target_list_relist(o, root, &now, err);

	if (!rc && has_new_task(&targets->tasks, &now.tasks)) {
		pipa_tasks_done(&targets->tasks);
		targets->tasks = now.tasks;
		return 1;
	}
	pipa_tasks_done(&now.tasks);
	return rc;
}

static int refuse_zombie(struct pipa_root *root, pid_t id, const char *what, struct pipa_error *err)
{
	if (!pipa_task_is_zombie(root, id))
		return 0;
	pipa_refuse(err, -ESRCH, "%s %d has exited", what, (int)id);
	return pipa_hint(err, "it is a zombie");
}

/* List the threads of a process that has not ended. A zombie has only its first thread left. */
static int tasks_of_living(struct pipa_root *root, pid_t pid, struct pipa_tasks *tasks,
			   struct pipa_error *err)
{
	size_t before = tasks->n;
	int rc = pipa_tasks_of(root, pid, tasks, err);

	return rc || tasks->n > before + 1 ? rc : refuse_zombie(root, pid, "process", err);
}

static int living_task(struct pipa_root *root, pid_t tid, struct pipa_tasks *tasks,
		       struct pipa_error *err)
{
	int rc = pipa_tasks_add(root, tid, tasks, err);

	return rc ? rc : refuse_zombie(root, tid, "thread", err);
}

int pipa_target_list_make(const struct pipa_target_spec *o, struct pipa_root *root,
			  struct pipa_target_list *targets, struct pipa_error *err)
{
	int rc = 0;

	targets->by_task = pipa_target_spec_by_task(o);
	targets->by_command = targets->by_task && o->command && !o->pids && !o->tids;
	if (o->each_thread && o->system_wide) {
		targets->by_task = true;
		rc = pipa_tasks_all(root, &targets->tasks, err);
	}
	if (!rc && o->pids)
		rc = for_each_number(o->pids, "process id", tasks_of_living, root, &targets->tasks,
				     err);
	if (!rc && o->tids)
		rc = for_each_number(o->tids, "thread id", living_task, root, &targets->tasks, err);
	if (!rc && (o->pids || o->tids))
		remove_duplicates(&targets->tasks);
	if (!rc && o->cgroups)
		rc = open_cgroups(root, targets, o->cgroups, err);
	return rc ? rc : describe_target(o, targets, err);
}
