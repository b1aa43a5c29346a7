/* Open the events of a sampler and map their rings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "collect/sample/sampler_own.h"
#include "kernel/machine/limit.h"

/* Drop the newest flag that older kernels refuse. False if there is none left. */
static bool drop_newest(struct perf_event_attr *attr)
{
	if (attr->read_format & PIPA_FORMAT_LOST)
		attr->read_format &= ~PIPA_FORMAT_LOST;
	else if (attr->build_id)
		attr->build_id = 0;
	else if (attr->cgroup)
		attr->cgroup = 0;
	else if (attr->bpf_event || attr->ksymbol)
		attr->bpf_event = attr->ksymbol = 0;
	else if (attr->namespaces)
		attr->namespaces = 0;
	else if (attr->exclude_guest)
		attr->exclude_guest = 0;
	else
		return false;
	return true;
}

/* Drop a flag that needs privileges. False if there is none left. */
static bool drop_privileged(struct perf_event_attr *attr)
{
	if (attr->namespaces)
		attr->namespaces = 0;
	else if (attr->ksymbol || attr->bpf_event)
		attr->ksymbol = attr->bpf_event = 0;
	else
		return false;
	return true;
}

static int explain_refusal(const struct pipa_sampler *s, const char *name, int code,
			   struct pipa_error *err)
{
	switch (code) {
	case -EMFILE:
		pipa_refuse(err, code, "too many open files for %s on each thread and CPU", name);
		return pipa_hint(err, "raise the limit (ulimit -n) or record fewer threads");
	case -EACCES:
	case -EPERM:
		pipa_fail(err, code, "sample %s", name);
		return pipa_hint(err, "see kernel.perf_event_paranoid, or pipa doctor");
	case -EINVAL:
		pipa_fail(err, code, "sample %s", name);
		return s->o.events->items[0].attr.freq ?
			       pipa_hint(err, "see kernel.perf_event_max_sample_rate") :
			       code;
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
		if (s->o.events->items[0].attr.sample_type & PERF_SAMPLE_BRANCH_STACK) {
			pipa_refuse(err, code,
				    "branch stacks are not supported with %s on this machine",
				    name);
			return pipa_hint(err, "omit -b");
		}
		pipa_refuse(err, code, "this machine cannot sample %s", name);
		return pipa_hint(
			err, "list supported events with pipa list; cpu-clock works everywhere");
	default: return pipa_fail(err, code, "sample %s", name);
	}
}

/* Open with fallbacks: without flags that old kernels lack, then without kernel mode. */
static int open_event(struct pipa_sampler *s, struct perf_event_attr *attr, pid_t tid, int cpu,
		      int group, int cgroup, bool *user_only)
{
	unsigned long flags = cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0;
	int fd;

	for (;;) {
		fd = pipa_perf_open(s->o.perf, attr, cgroup >= 0 ? cgroup : tid, cpu, group, flags);
		if ((fd == -EOPNOTSUPP || fd == -EINVAL || fd == -ENOENT) && attr->precise_ip) {
			attr->precise_ip--; /* the highest precision that the processor supports */
			continue;
		}
		if (fd == -EINVAL && drop_newest(attr))
			continue;
		if ((fd == -EACCES || fd == -EPERM) && drop_privileged(attr))
			continue;
		if ((fd == -EACCES || fd == -EPERM) && !attr->exclude_kernel &&
		    !attr->exclude_user) {
			attr->exclude_kernel = attr->exclude_hv = 1;
			*user_only = true;
			continue;
		}
		return fd;
	}
}

static int keep_fd(struct pipa_sampler *s, const struct opened *opened)
{
	struct opened *slot = PIPA_VEC_ADD(&s->fds);
	uint64_t id = 0;

	if (!slot) {
		pipa_perf_close(s->o.perf, opened->fd);
		return -ENOMEM;
	}
	*slot = *opened;
	if (pipa_perf_ioctl(s->o.perf, slot->fd, PERF_EVENT_IOC_ID, (unsigned long)&id) < 0)
		return -ENOTSUP;
	return pipa_perf_events_add_id(s->events, id, slot->event);
}

/*
 * Give the ring to the first descriptor of a CPU; the others are redirected to it
 * (PERF_EVENT_IOC_SET_OUTPUT).
 */
static int share_ring(struct pipa_sampler *s, int fd, int *owner, struct pipa_ring *ring,
		      size_t *size)
{
	int rc;

	if (*owner >= 0)
		return pipa_perf_ioctl(s->o.perf, fd, PERF_EVENT_IOC_SET_OUTPUT,
				       (unsigned long)*owner);
	while ((rc = pipa_ring_map(ring, s->o.perf, fd, *size)) == -EPERM && *size > 32 << 10)
		*size /= 2; /* the limit on locked memory */
	if (!rc)
		*owner = fd;
	return rc;
}

static int explain_ring(int rc, const char *name, struct pipa_error *err)
{
	if (rc == -EPERM) {
		pipa_refuse(err, rc, "cannot lock memory for the ring buffers");
		return pipa_hint(
			err, "raise kernel.perf_event_mlock_kb or ulimit -l, or use a smaller -m");
	}
	return rc < 0 ? pipa_fail(err, rc, "set up %s", name) : 0;
}

static int set_filter(struct pipa_sampler *s, const struct pipa_event *event, int fd)
{
	return event->filter ? pipa_perf_ioctl(s->o.perf, fd, PERF_EVENT_IOC_SET_FILTER,
					       (unsigned long)event->filter) :
			       0;
}

static int open_one(struct pipa_sampler *s, struct place *place, size_t e, pid_t tid, int *leaders,
		    struct pipa_error *err)
{
	bool side = e == s->o.events->n, user_only = false;
	struct pipa_event *event = side ? NULL : &s->o.events->items[e];
	struct perf_event_attr *attr = side ? &s->o.side : &event->attr;
	const char *name = side ? "process events" : event->name;
	int group = side || event->leader == e ? -1 : leaders[event->leader];
	int cgroup = side || event->cgroup < 0 ? -1 : s->o.target->cgroups[event->cgroup];
	int fd = open_event(s, attr, tid, place->cpu, group, cgroup, &user_only), rc;

	if (fd == -ESRCH)
		return 0; /* the thread has ended */
	if (fd < 0)
		return explain_refusal(s, name, fd, err);
	if (!side) {
		leaders[e] = fd;
		event->user_only |= user_only;
	}
	rc = keep_fd(s, &(struct opened){
				.fd = fd, .event = (uint32_t)e, .cpu = place->cpu, .tid = tid });
	if (!rc && side)
		rc = share_ring(s, fd, &place->side_fd, &place->side, &s->o.side_bytes);
	else if (!rc)
		rc = share_ring(s, fd, &place->fd, &place->ring, &s->o.ring_bytes);
	if (!rc && event)
		rc = set_filter(s, event, fd);
	return explain_ring(rc, name, err);
}

/* Does the event's PMU support this CPU? */
static bool is_on_cpu(const struct pipa_event *event, int cpu)
{
	return !event->cpus.n || pipa_cpus_has(&event->cpus, cpu);
}

static int open_samples(struct pipa_sampler *s, struct place *place, pid_t tid,
			struct pipa_error *err)
{
	PIPA_AUTO(free) int *leaders = calloc(s->o.events->n + 1, sizeof(*leaders));
	size_t e;
	int rc = leaders ? 0 : pipa_fail(err, -ENOMEM, "set up sampling");

	for (e = 0; !rc && e < s->o.events->n; e++)
		leaders[e] = -1;
	for (e = 0; !rc && e < s->o.events->n; e++)
		if (!place->side_only && is_on_cpu(&s->o.events->items[e], place->cpu))
			rc = open_one(s, place, e, tid, leaders, err);
	return rc;
}

static int open_sides(struct pipa_sampler *s, pid_t tid, struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < s->n_places; i++)
		rc = open_one(s, &s->places[i], s->o.events->n, tid, NULL, err);
	return rc;
}

static int open_all_samples(struct pipa_sampler *s, pid_t tid, struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < s->n_places; i++)
		rc = open_samples(s, &s->places[i], tid, err);
	return rc;
}

int pipa_sampler_open_thread(struct pipa_sampler *s, pid_t tid, bool side, struct pipa_error *err)
{
	uint64_t begun;
	int rc = side ? open_sides(s, tid, err) : 0;

	begun = pipa_clock_read(pipa_attr_clock(&s->o.side));
	if (!rc)
		rc = open_all_samples(s, tid, err);
	if (!rc && pipa_inherit_tracker_opened(&s->coverage, tid, begun,
					       pipa_clock_read(pipa_attr_clock(&s->o.side))) < 0)
		rc = pipa_fail(err, -ENOMEM, "set up sampling");
	if (!rc && pipa_sampler_read_forks(s) < 0)
		rc = pipa_fail(err, -ENOMEM, "set up sampling");
	return rc;
}

/*
 * Open the samples before the side-band event: if they are not permitted, the error is about the
 * requested event.
 */
static int open_thread_events(struct pipa_sampler *s, pid_t tid, struct pipa_error *err)
{
	int rc = open_all_samples(s, tid, err);

	return rc ? rc : open_sides(s, tid, err);
}

static int open_target(struct pipa_sampler *s, struct pipa_error *err)
{
	const struct pipa_tasks *tasks = s->o.target->tasks;
	size_t i;
	int rc = 0;

	if (!tasks)
		return open_thread_events(s, -1, err);
	for (i = 0; !rc && i < tasks->n; i++)
		rc = s->o.running ? pipa_sampler_open_thread(s, tasks->items[i].tid, true, err) :
				    open_thread_events(s, tasks->items[i].tid, err);
	return rc;
}

/*
 * Open an owner of each ring on this process: a thread that has ended or is reopened cannot own
 * one.
 */
static int open_owners(struct pipa_sampler *s, struct place *place, struct pipa_error *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = s->o.side.use_clockid,
		.clockid = s->o.side.clockid,
		.watermark = s->o.side.watermark,
		.wakeup_watermark = s->o.side.wakeup_watermark,
	};
	const struct perf_event_attr *first = &s->o.events->items[0].attr;
	int fd = pipa_perf_open(s->o.perf, &attr, 0, place->cpu, -1, 0), rc;

	if (fd < 0)
		return explain_refusal(s, "process events", fd, err);
	rc = share_ring(s, fd, &place->side_fd, &place->side, &s->o.side_bytes);
	if (rc < 0)
		pipa_perf_close(s->o.perf, fd);
	if (rc < 0 || place->side_only)
		return explain_ring(rc, "process events", err);
	attr.watermark = first->watermark;
	attr.wakeup_watermark = first->wakeup_watermark;
	fd = pipa_perf_open(s->o.perf, &attr, 0, place->cpu, -1, 0);
	if (fd < 0)
		return explain_refusal(s, "process events", fd, err);
	rc = share_ring(s, fd, &place->fd, &place->ring, &s->o.ring_bytes);
	if (rc < 0)
		pipa_perf_close(s->o.perf, fd);
	return explain_ring(rc, s->o.events->items[0].name, err);
}

/* List the events for the recording's header, after all fallbacks. */
static int list_events(struct pipa_sampler *s)
{
	size_t e;
	int rc = 0;

	for (e = 0; !rc && e < s->o.events->n; e++) {
		const struct pipa_event *event = &s->o.events->items[e];

		s->events->items[e].attr = event->attr;
		s->events->items[e].leader = (uint32_t)event->leader;
		s->events->items[event->leader].n_members++;
		rc = pipa_perf_events_rename(s->events, (uint32_t)e, event->name);
	}
	s->events->items[e].attr = s->o.side;
	return rc ? rc : pipa_perf_events_rename(s->events, (uint32_t)e, "dummy:HG");
}

static int add_events(struct pipa_sampler *s)
{
	static const struct perf_event_attr none;
	size_t e;
	int rc = 0;

	for (e = 0; !rc && e <= s->o.events->n; e++)
		rc = pipa_perf_events_add(s->events, &none);
	return rc;
}

int pipa_sampler_open(const struct pipa_sampler_options *options,
		      struct pipa_perf_events *ret_events, struct pipa_sampler **ret,
		      struct pipa_error *err)
{
	PIPA_AUTO(pipa_sampler_close) struct pipa_sampler *s = calloc(1, sizeof(*s));
	const struct pipa_cpus *cpus = options->side_cpus ? options->side_cpus :
							    options->target->cpus;
	size_t i;
	int rc = 0;

	if (!s)
		return pipa_fail(err, -ENOMEM, "set up sampling");
	s->o = *options;
	if (s->o.running)
		s->o.side.disabled = 0;
	s->events = ret_events;
	s->places = calloc(cpus->n + 1, sizeof(*s->places));
	if (!s->places || add_events(s) < 0)
		return pipa_fail(err, -ENOMEM, "set up sampling");
	pipa_limit_raise_files();
	for (i = 0; !rc && i < cpus->n; i++) {
		s->places[s->n_places++] = (struct place){
			.cpu = cpus->items[i],
			.fd = -1,
			.side_fd = -1,
			.side_only = !pipa_cpus_has(options->target->cpus, cpus->items[i]),
		};
		if (s->o.running)
			rc = open_owners(s, &s->places[i], err);
	}
	if (!rc)
		rc = open_target(s, err);
	if (!rc && list_events(s) < 0)
		rc = pipa_fail(err, -ENOMEM, "set up sampling");
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(s);
	return 0;
}
