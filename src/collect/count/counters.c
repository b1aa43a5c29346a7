#include "collect/count/counters.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "kernel/machine/limit.h"
#include "kernel/machine/root.h"
#include "model/event.h"

enum {
	MAX_GROUP = 256,  /* the kernel refuses groups whose read would exceed 16 KiB */
	UNSUPPORTED = 1,  /* open_slot(): the machine lacks it */
	GROUP_BROKEN = 2, /* open_slot(): a weak group cannot be scheduled */
};

#define TO_REOPEN SIZE_MAX /* lead of an event while its weak group is split */

/* Counters of one event. */
struct bank {
	struct pipa_slot *slots;
	struct pipa_count *counts;
	int *fds; /* -1: not open here */
	size_t n;
	size_t lead;	/* event whose descriptors lead its group; its own index if ungrouped */
	size_t members; /* of a group it leads, itself included */
	bool supported;
};

struct pipa_counters {
	const struct pipa_perf *perf;
	struct pipa_root *root;
	struct pipa_events *events;
	const struct pipa_target *target;
	struct bank *banks;
	bool no_exclude_guest; /* this kernel or PMU does not know the flag */
};

void pipa_counters_close(struct pipa_counters *counters)
{
	size_t e, i;

	if (!counters)
		return;
	for (e = 0; counters->banks && e < counters->events->n; e++) {
		struct bank *bank = &counters->banks[e];

		for (i = 0; bank->fds && i < bank->n; i++)
			pipa_perf_close(counters->perf, bank->fds[i]);
		free(bank->fds);
		free(bank->slots);
		free(bank->counts);
	}
	free(counters->banks);
	free(counters);
}

/* ---- slots ------------------------------------------------------------------------------- */

static int alloc_slots(struct bank *bank, size_t n)
{
	size_t i;

	bank->slots = calloc(n ? n : 1, sizeof(*bank->slots));
	bank->counts = calloc(n ? n : 1, sizeof(*bank->counts));
	bank->fds = malloc((n ? n : 1) * sizeof(*bank->fds));
	if (!bank->slots || !bank->counts || !bank->fds)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		bank->fds[i] = -1;
	bank->n = n;
	return 0;
}

/* Is the event counted on CPUs? A package-wide event always is, on its PMU's CPUs. */
static bool on_cpus(const struct pipa_counters *c, const struct pipa_event *event)
{
	return !c->target->tasks || event->uncore;
}

static int place_on_cpus(struct pipa_counters *c, const struct pipa_event *event, struct bank *bank)
{
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus both = { 0 };
	const struct pipa_cpus *cpus = c->target->cpus;
	size_t i;
	int rc;

	if (event->cpus.n) {
		rc = pipa_cpus_common(c->target->cpus, &event->cpus, &both);
		if (rc < 0)
			return rc;
		cpus = &both;
	}
	rc = alloc_slots(bank, cpus->n);
	for (i = 0; !rc && i < cpus->n; i++)
		bank->slots[i] = (struct pipa_slot){ .cpu = cpus->items[i], .tid = -1 };
	return rc;
}

static int place_on_tasks(struct pipa_counters *c, struct bank *bank)
{
	const struct pipa_tasks *tasks = c->target->tasks;
	size_t i;
	int rc = alloc_slots(bank, tasks->n);

	for (i = 0; !rc && i < tasks->n; i++)
		bank->slots[i] =
			(struct pipa_slot){ .cpu = -1, .tid = tasks->items[i].tid, .task = i };
	return rc;
}

/* ---- groups ------------------------------------------------------------------------------ */

/* May this event be in the implicit group of software events? */
static bool groupable(const struct pipa_counters *c, size_t e)
{
	const struct pipa_event *event = &c->events->items[e];

	return !c->target->tasks && !event->tool && event->leader == e &&
	       (event->kind == PIPA_EVENT_SW || event->kind == PIPA_EVENT_TRACEPOINT) &&
	       !event->attr.pinned && !event->attr.exclusive;
}

static bool leads_users_group(const struct pipa_counters *c, size_t e)
{
	size_t i;

	for (i = e + 1; i < c->events->n; i++)
		if (c->events->items[i].leader == e)
			return true;
	return false;
}

/*
 * Return the leader of an event: of the user's group, else of the implicit group of its cgroup,
 * else itself.
 */
static size_t choose_lead(struct pipa_counters *c, size_t e)
{
	const struct pipa_event *items = c->events->items;
	size_t i;

	if (items[e].leader != e || !groupable(c, e) || leads_users_group(c, e))
		return items[e].leader;
	for (i = 0; i < e; i++)
		if (c->banks[i].supported && c->banks[i].lead == i && groupable(c, i) &&
		    items[i].cgroup == items[e].cgroup && c->banks[i].members < MAX_GROUP &&
		    !leads_users_group(c, i))
			return i;
	return e;
}

/* Return the slot at the same CPU or thread as the given one, or n. Usually the same index. */
static size_t same_place(const struct bank *bank, const struct pipa_slot *slot, size_t hint)
{
	size_t i;

	if (hint < bank->n && bank->slots[hint].cpu == slot->cpu &&
	    bank->slots[hint].tid == slot->tid)
		return hint;
	for (i = 0; i < bank->n; i++)
		if (bank->slots[i].cpu == slot->cpu && bank->slots[i].tid == slot->tid)
			return i;
	return bank->n;
}

/* Return the leader's descriptor for a slot; -1 if the event leads or has no leader there. */
static int lead_fd(const struct pipa_counters *c, size_t e, size_t i)
{
	const struct bank *bank = &c->banks[e], *lead = &c->banks[bank->lead];
	size_t at;

	if (bank->lead == e)
		return -1;
	at = same_place(lead, &bank->slots[i], i);
	return at < lead->n ? lead->fds[at] : -1;
}

/* ---- opening ----------------------------------------------------------------------------- */

static int paranoid_level(struct pipa_counters *c)
{
	int level;

	if (pipa_root_read_int(c->root, PIPA_PROC, &level, "sys/kernel/perf_event_paranoid") < 0)
		return 2;
	return level;
}

static int permission_failure(struct pipa_counters *c, const struct pipa_event *event, int code,
			      struct pipa_error *err)
{
	int level = paranoid_level(c);

	pipa_fail(err, code, "count %s", event->name);
	if (event->kind == PIPA_EVENT_TRACEPOINT)
		return pipa_hint(err,
				 "tracepoints need root or CAP_PERFMON, or: sudo sysctl "
				 "kernel.perf_event_paranoid=-1 (now %d)",
				 level);
	if (on_cpus(c, event))
		return pipa_hint(err,
				 "counting whole CPUs needs root or CAP_PERFMON, or: sudo sysctl "
				 "kernel.perf_event_paranoid=0 (now %d)",
				 level);
	if (event->attr.exclude_user)
		return pipa_hint(err,
				 "counting the kernel needs root or CAP_PERFMON, or: sudo sysctl "
				 "kernel.perf_event_paranoid=1 (now %d)",
				 level);
	if (level > 2)
		return pipa_hint(err,
				 "kernel.perf_event_paranoid is %d: sudo sysctl "
				 "kernel.perf_event_paranoid=2 allows counting user space",
				 level);
	return pipa_hint(
		err,
		"run as root if it is another user's process; pipa doctor shows what is missing");
}

static int open_failure(struct pipa_counters *c, const struct pipa_event *event,
			const struct pipa_slot *slot, int code, struct pipa_error *err)
{
	if (code == -EACCES || code == -EPERM)
		return permission_failure(c, event, code, err);
	if (slot->cpu >= 0)
		pipa_fail(err, code, "count %s on CPU %d", event->name, slot->cpu);
	else
		pipa_fail(err, code, "count %s of thread %d", event->name, slot->tid);
	if (code == -EMFILE)
		return pipa_hint(
			err,
			"use fewer events or CPUs, or raise the limit: ulimit -n 65536 (now %zu)",
			pipa_limit_raise_files());
	if (code == -EBUSY)
		return pipa_hint(err, "the PMU is in use, e.g. by another profiler or KVM");
	if (code == -ENOSPC)
		return pipa_hint(err, "all hardware breakpoints are in use");
	return code;
}

static bool is_unsupported(int code)
{
	return code == -ENOENT || code == -EOPNOTSUPP || code == -EINVAL || code == -ENODEV ||
	       code == -ENXIO || code == -ENOSYS;
}

/* Copy the event's attr and set the fields that depend on slot and group. */
static struct perf_event_attr slot_attr(struct pipa_counters *c, size_t e,
					const struct pipa_slot *slot)
{
	struct perf_event_attr attr = c->events->items[e].attr;
	bool leads = c->banks[e].lead == e;

	attr.sample_type = 0; /* :S is for sampling */
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (leads && slot->cpu >= 0)
		attr.read_format |= PERF_FORMAT_GROUP;
	attr.disabled = leads; /* members are enabled with their leader */
	attr.inherit = slot->cpu < 0 && c->target->inherit;
	attr.enable_on_exec = leads && slot->cpu < 0 && c->target->enable_on_exec;
	if (c->no_exclude_guest)
		attr.exclude_guest = 0;
	return attr;
}

static int try_open(struct pipa_counters *c, size_t e, size_t i)
{
	const struct pipa_event *event = &c->events->items[e];
	struct bank *bank = &c->banks[e];
	const struct pipa_slot *slot = &bank->slots[i];
	struct perf_event_attr attr = slot_attr(c, e, slot);
	int group_fd = lead_fd(c, e, i);
	pid_t pid = slot->tid;
	unsigned long flags = 0;

	if (event->cgroup >= 0) {
		pid = c->target->cgroups[event->cgroup];
		flags = PERF_FLAG_PID_CGROUP;
	}
	if (bank->lead != e && group_fd < 0) { /* its leader is not open here: ungrouped */
		attr.disabled = 1;
		attr.enable_on_exec = slot->cpu < 0 && c->target->enable_on_exec;
	}
	return pipa_perf_open(c->perf, &attr, pid, slot->cpu, group_fd, flags);
}

/* Return the separator between a name and a further modifier. */
static const char *modifier_separator(const char *name)
{
	bool breakpoint = pipa_str_starts(name, "mem:");

	return breakpoint || !strpbrk(name, ":/") ? ":" : "";
}

/* Exclude the kernel and append :u to the name. Fails for events that count only in the kernel. */
static int restrict_to_user(struct pipa_event *event)
{
	char *sum = NULL;

	if (event->attr.exclude_kernel || event->attr.exclude_user ||
	    event->kind == PIPA_EVENT_TRACEPOINT)
		return -EACCES;
	event->attr.exclude_kernel = 1;
	event->attr.exclude_hv = 1;
	event->user_only = true;
	if (event->sum) {
		if (asprintf(&sum, "%s%su", event->sum, modifier_separator(event->sum)) < 0)
			return -ENOMEM;
		free(event->sum);
		event->sum = sum;
	}
	return pipa_event_rename(event, "%s%su", event->name, modifier_separator(event->name));
}

/*
 * Open one slot with fallbacks: raise the file limit, drop an unknown flag, exclude the kernel if
 * it is not permitted. Returns 0, UNSUPPORTED, GROUP_BROKEN or a negative errno.
 */
static int open_slot(struct pipa_counters *c, size_t e, size_t i, struct pipa_error *err)
{
	struct pipa_event *event = &c->events->items[e];
	struct bank *bank = &c->banks[e];
	bool raised = false;

	for (;;) {
		int fd = try_open(c, e, i);

		if (fd >= 0) {
			bank->fds[i] = fd;
			return 0;
		}
		if (fd == -EMFILE && !raised) {
			raised = true;
			pipa_limit_raise_files();
		} else if (fd == -EINVAL && event->attr.exclude_guest && !c->no_exclude_guest) {
			c->no_exclude_guest = true;
		} else if (fd == -EINVAL && bank->lead != e && c->events->items[bank->lead].weak) {
			return GROUP_BROKEN;
		} else if (fd == -ESRCH && bank->slots[i].tid > 0) {
			return 0; /* the thread has ended since it was listed */
		} else if (is_unsupported(fd)) {
			return UNSUPPORTED;
		} else if ((fd == -EACCES || fd == -EPERM) && !on_cpus(c, event) && i == 0 &&
			   restrict_to_user(event) == 0) {
			continue;
		} else {
			return open_failure(c, event, &bank->slots[i], fd, err);
		}
	}
}

static void close_bank(struct pipa_counters *c, struct bank *bank)
{
	size_t i;

	for (i = 0; i < bank->n; i++) {
		pipa_perf_close(c->perf, bank->fds[i]);
		bank->fds[i] = -1;
	}
}

static int set_filter(struct pipa_counters *c, const struct pipa_event *event, struct bank *bank,
		      struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; event->filter && !rc && i < bank->n; i++)
		if (bank->fds[i] >= 0)
			rc = pipa_perf_ioctl(c->perf, bank->fds[i], PERF_EVENT_IOC_SET_FILTER,
					     (unsigned long)(uintptr_t)event->filter);
	if (rc < 0) {
		pipa_fail(err, rc, "set filter '%s' on %s", event->filter, event->name);
		return pipa_hint(err,
				 "the fields are in events/%s/format of tracefs (with / for :)",
				 event->key);
	}
	return 0;
}

/* Open all slots of an event. Distinguishes a missing exclude_guest flag from a missing event. */
static int open_bank(struct pipa_counters *c, size_t e, struct pipa_error *err)
{
	struct bank *bank = &c->banks[e];
	bool guest_known = c->no_exclude_guest;
	size_t i, opened = 0;
	int rc = 0;

	bank->lead = choose_lead(c, e);
	for (i = 0; i < bank->n; i++) {
		rc = open_slot(c, e, i, err);
		if (rc == GROUP_BROKEN)
			c->no_exclude_guest = guest_known;
		if (rc < 0 || rc == GROUP_BROKEN)
			return rc;
		if (rc == UNSUPPORTED && i == 0)
			break; /* if the first CPU lacks it, all do */
		opened += bank->fds[i] >= 0;
	}
	if (!opened)
		c->no_exclude_guest = guest_known;
	bank->supported = opened > 0 || (bank->n && rc == 0);
	bank->members = 1;
	if (bank->supported && bank->lead != e)
		c->banks[bank->lead].members++;
	return set_filter(c, &c->events->items[e], bank, err);
}

/* Split a weak group: open each member again without a group. */
static int open_broken_group(struct pipa_counters *c, size_t leader, size_t upto,
			     struct pipa_error *err)
{
	size_t e;
	int rc = 0;

	for (e = leader; e <= upto; e++)
		if (c->events->items[e].leader == leader) {
			close_bank(c, &c->banks[e]);
			c->banks[e].supported = false;
			c->banks[e].lead = TO_REOPEN;
		}
	for (e = leader; e < c->events->n; e++)
		if (c->events->items[e].leader == leader)
			c->events->items[e].leader = e;
	for (e = leader; !rc && e <= upto; e++)
		if (c->banks[e].lead == TO_REOPEN)
			rc = open_bank(c, e, err);
	return rc;
}

static int open_event(struct pipa_counters *c, size_t e, struct pipa_error *err)
{
	const struct pipa_event *event = &c->events->items[e];
	struct bank *bank = &c->banks[e];
	int rc;

	bank->lead = e;
	bank->members = 1;
	if (event->tool) {
		bank->supported = true;
		return 0;
	}
	rc = on_cpus(c, event) ? place_on_cpus(c, event, bank) : place_on_tasks(c, bank);
	if (rc < 0)
		return pipa_fail(err, rc, "count %s", event->name);
	rc = open_bank(c, e, err);
	if (rc == GROUP_BROKEN)
		rc = open_broken_group(c, event->leader, e, err);
	return rc;
}

int pipa_counters_open(const struct pipa_perf *perf, struct pipa_root *root,
		       struct pipa_events *events, const struct pipa_target *target,
		       struct pipa_counters **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_counters_close) struct pipa_counters *c = calloc(1, sizeof(*c));
	size_t e;
	int rc = 0;

	if (!c)
		return pipa_fail(err, -ENOMEM, "open counters");
	c->perf = perf;
	c->root = root;
	c->events = events;
	c->target = target;
	c->banks = calloc(events->n ? events->n : 1, sizeof(*c->banks));
	if (!c->banks)
		return pipa_fail(err, -ENOMEM, "open counters");
	for (e = 0; !rc && e < events->n; e++)
		rc = open_event(c, e, err);
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(c);
	return 0;
}

/* ---- running and reading ----------------------------------------------------------------- */

int pipa_counters_enable(struct pipa_counters *c, bool all, struct pipa_error *err)
{
	size_t e, i;
	int rc;

	for (e = 0; e < c->events->n; e++) {
		struct bank *bank = &c->banks[e];

		for (i = 0; i < bank->n; i++) {
			if (bank->fds[i] < 0 || lead_fd(c, e, i) >= 0)
				continue;
			if (!all && c->target->enable_on_exec && bank->slots[i].cpu < 0)
				continue;
			rc = pipa_perf_ioctl(c->perf, bank->fds[i], PERF_EVENT_IOC_ENABLE,
					     bank->members > 1 ? PERF_IOC_FLAG_GROUP : 0);
			if (rc < 0)
				return pipa_fail(err, rc, "start counting %s",
						 c->events->items[e].name);
		}
	}
	return 0;
}

/* Read an ungrouped descriptor: value, enabled, running. */
static int read_single(struct pipa_counters *c, struct bank *bank, size_t i)
{
	uint64_t words[3];
	ssize_t n = pipa_perf_read(c->perf, bank->fds[i], words, sizeof(words));

	if (n < 0)
		return (int)n;
	if (n == sizeof(words)) /* 0: a pinned event that lost its counter */
		bank->counts[i] = (struct pipa_count){ words[0], words[1], words[2] };
	return 0;
}

/*
 * Read the group of a CPU: count, enabled, running, then a value per member in the order of
 * opening.
 */
static int read_group(struct pipa_counters *c, size_t leader, size_t i)
{
	uint64_t words[3 + MAX_GROUP];
	const struct bank *lead = &c->banks[leader];
	ssize_t n = pipa_perf_read(c->perf, lead->fds[i], words, sizeof(words));
	size_t e, at, next = 0;

	if (n < 0)
		return (int)n;
	if ((size_t)n < 3 * sizeof(uint64_t))
		return 0;
	for (e = leader; e < c->events->n && next < words[0] && next < MAX_GROUP; e++) {
		struct bank *bank = &c->banks[e];

		if (bank->lead != leader)
			continue;
		at = same_place(bank, &lead->slots[i], i);
		if (at < bank->n && bank->fds[at] >= 0)
			bank->counts[at] = (struct pipa_count){ words[3 + next++], words[1],
								words[2] };
	}
	return 0;
}

int pipa_counters_read(struct pipa_counters *c, struct pipa_error *err)
{
	size_t e, i;
	int rc = 0;

	for (e = 0; e < c->events->n; e++) {
		struct bank *bank = &c->banks[e];

		for (i = 0; i < bank->n; i++) {
			if (bank->fds[i] < 0)
				continue;
			if (bank->lead == e && bank->slots[i].cpu >= 0)
				rc = read_group(c, e, i);
			else if (bank->slots[i].cpu < 0 || lead_fd(c, e, i) < 0)
				rc = read_single(c, bank, i);
			if (rc < 0)
				return pipa_fail(err, rc, "read %s", c->events->items[e].name);
		}
	}
	return 0;
}

bool pipa_counters_supported(const struct pipa_counters *c, size_t event)
{
	return c->banks[event].supported;
}

size_t pipa_counters_slots(const struct pipa_counters *c, size_t event,
			   const struct pipa_slot **ret_slots, const struct pipa_count **ret_counts)
{
	*ret_slots = c->banks[event].slots;
	*ret_counts = c->banks[event].counts;
	return c->banks[event].n;
}
