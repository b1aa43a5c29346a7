#include "collect/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "kernel/limit.h"
#include "kernel/ring.h"

/* A CPU's rings. */
struct place {
	int cpu;
	int fd, side_fd; /* that own the rings; -1: none */
	struct pipa_ring ring, side;
	bool side_only;
	uint64_t head; /* of the ring, as it was when a drain began */
};

struct pipa_sampler {
	struct pipa_sampler_options o;
	struct place *places;
	size_t n_places;
	struct {
		struct opened {
			int fd, cpu;
			uint32_t event;
		} * items;
		size_t n, cap;
	} fds;
	struct pipa_perf_events *events;
};

void pipa_sampler_close(struct pipa_sampler *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_places; i++) {
		pipa_ring_unmap(&s->places[i].ring, s->o.perf);
		pipa_ring_unmap(&s->places[i].side, s->o.perf);
	}
	for (i = 0; i < s->fds.n; i++)
		pipa_perf_close(s->o.perf, s->fds.items[i].fd);
	free(s->fds.items);
	free(s->places);
	free(s);
}

/* ---- opening --------------------------------------------------------------------------------------- */

/*
 * Flags that newer kernels know and older ones refuse: dropped one by one, the newest first, until the
 * kernel takes the rest. True when there was one to drop.
 */
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

/* What only the privileged may be told. True when there was something to drop. */
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

static int explain(const struct pipa_sampler *s, const char *name, int code, struct pipa_error *err)
{
	switch (code) {
	case -EMFILE:
		pipa_refuse(err, code, "too many open files for %s on each thread and CPU", name);
		return pipa_hint(err, "raise the limit (ulimit -n), or record fewer threads");
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
			pipa_refuse(err, code, "branches cannot be recorded with %s here", name);
			return pipa_hint(err, "leave out -b");
		}
		pipa_refuse(err, code, "this machine cannot sample %s", name);
		return pipa_hint(err, "pipa list shows what there is; cpu-clock works everywhere");
	default: return pipa_fail(err, code, "sample %s", name);
	}
}

/* Open with ever fewer wishes: without what old kernels lack, then without the kernel's share. */
static int open_event(struct pipa_sampler *s, struct perf_event_attr *attr, pid_t tid, int cpu,
		      int group, int cgroup, bool *user_only)
{
	unsigned long flags = cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0;
	int fd;

	for (;;) {
		fd = pipa_perf_open(s->o.perf, attr, cgroup >= 0 ? cgroup : tid, cpu, group, flags);
		if ((fd == -EOPNOTSUPP || fd == -EINVAL || fd == -ENOENT) && attr->precise_ip) {
			attr->precise_ip--; /* as exact as the processor can */
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

static int keep_fd(struct pipa_sampler *s, int fd, uint32_t event, int cpu)
{
	struct opened *slot = PIPA_VEC_ADD(&s->fds);
	uint64_t id = 0;

	if (!slot) {
		pipa_perf_close(s->o.perf, fd);
		return -ENOMEM;
	}
	*slot = (struct opened){ .fd = fd, .event = event, .cpu = cpu };
	if (pipa_perf_ioctl(s->o.perf, fd, PERF_EVENT_IOC_ID, (unsigned long)&id) < 0)
		return -ENOTSUP;
	return pipa_perf_events_add_id(s->events, id, event);
}

/* The first descriptor of a place gets the ring, the others write into it. */
static int share_ring(struct pipa_sampler *s, int fd, int *owner, struct pipa_ring *ring,
		      size_t *size)
{
	int rc;

	if (*owner >= 0)
		return pipa_perf_ioctl(s->o.perf, fd, PERF_EVENT_IOC_SET_OUTPUT,
				       (unsigned long)*owner);
	while ((rc = pipa_ring_map(ring, s->o.perf, fd, *size)) == -EPERM && *size > 32 << 10)
		*size /= 2; /* locked memory is rationed */
	if (!rc)
		*owner = fd;
	return rc;
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
		return 0; /* a thread that has ended meanwhile */
	if (fd < 0)
		return explain(s, name, fd, err);
	if (!side) {
		leaders[e] = fd;
		event->user_only |= user_only;
	}
	rc = keep_fd(s, fd, (uint32_t)e, place->cpu);
	if (!rc && side)
		rc = share_ring(s, fd, &place->side_fd, &place->side, &s->o.side_bytes);
	else if (!rc)
		rc = share_ring(s, fd, &place->fd, &place->ring, &s->o.ring_bytes);
	if (!rc && event && event->filter)
		rc = pipa_perf_ioctl(s->o.perf, fd, PERF_EVENT_IOC_SET_FILTER,
				     (unsigned long)event->filter);
	if (rc == -EPERM) {
		pipa_refuse(err, rc, "no memory may be locked for the rings");
		return pipa_hint(err, "raise kernel.perf_event_mlock_kb or ulimit -l, or use -m");
	}
	return rc < 0 ? pipa_fail(err, rc, "set up %s", name) : 0;
}

/* Does the event's PMU know this CPU? */
static bool belongs(const struct pipa_event *event, int cpu)
{
	return !event->cpus.n || pipa_cpus_has(&event->cpus, cpu);
}

static int open_place(struct pipa_sampler *s, struct place *place, struct pipa_error *err)
{
	const struct pipa_tasks *tasks = s->o.target->tasks;
	PIPA_AUTO(free) int *leaders = calloc(s->o.events->n + 1, sizeof(*leaders));
	size_t t, e;
	int rc = leaders ? 0 : pipa_fail(err, -ENOMEM, "set up sampling");

	for (t = 0; !rc && t < (tasks ? tasks->n : 1); t++) {
		for (e = 0; e < s->o.events->n; e++)
			leaders[e] = -1;
		for (e = 0; !rc && e <= s->o.events->n; e++) {
			if (e < s->o.events->n &&
			    (place->side_only || !belongs(&s->o.events->items[e], place->cpu)))
				continue;
			rc = open_one(s, place, e, tasks ? tasks->items[t].tid : -1, leaders, err);
		}
	}
	return rc;
}

/* What the recording's header says of the events, once every fallback has been taken. */
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
		rc = open_place(s, &s->places[i], err);
	}
	if (!rc && list_events(s) < 0)
		rc = pipa_fail(err, -ENOMEM, "set up sampling");
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(s);
	return 0;
}

/* ---- running --------------------------------------------------------------------------------------- */

static int enable(struct pipa_sampler *s, bool side, struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < s->fds.n; i++)
		if ((s->fds.items[i].event == s->o.events->n) == side)
			rc = pipa_perf_ioctl(s->o.perf, s->fds.items[i].fd, PERF_EVENT_IOC_ENABLE,
					     0);
	return rc < 0 ? pipa_fail(err, rc, "start sampling") : 0;
}

int pipa_sampler_enable_side(struct pipa_sampler *s, struct pipa_error *err)
{
	return enable(s, true, err);
}

int pipa_sampler_enable(struct pipa_sampler *s, struct pipa_error *err)
{
	return enable(s, false, err);
}

void pipa_sampler_disable(struct pipa_sampler *s)
{
	size_t i;

	for (i = 0; i < s->fds.n; i++)
		pipa_perf_ioctl(s->o.perf, s->fds.items[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* read(2) of one that asked for PERF_FORMAT_ID and PERF_FORMAT_LOST: value, id, lost */
uint64_t pipa_sampler_lost(const struct pipa_sampler *s, size_t event, int cpu)
{
	const struct perf_event_attr *attr = &s->events->items[event].attr;
	uint64_t words[3], lost = 0;
	size_t i;

	if (attr->read_format != (PERF_FORMAT_ID | PIPA_FORMAT_LOST))
		return 0;
	for (i = 0; i < s->fds.n; i++)
		if (s->fds.items[i].event == event && s->fds.items[i].cpu == cpu &&
		    pipa_perf_read(s->o.perf, s->fds.items[i].fd, words, sizeof(words)) ==
			    sizeof(words))
			lost += words[2];
	return lost;
}

size_t pipa_sampler_fds(const struct pipa_sampler *s)
{
	return 2 * s->n_places;
}

int pipa_sampler_fd(const struct pipa_sampler *s, size_t i)
{
	return i % 2 ? s->places[i / 2].side_fd : s->places[i / 2].fd;
}

size_t pipa_sampler_ring_bytes(const struct pipa_sampler *s)
{
	return s->o.ring_bytes;
}

static int drain_ring(struct pipa_ring *ring, uint64_t head, int cpu, pipa_sampler_fn fn, void *ctx)
{
	struct pipa_ring_span span;
	int rc;

	if (!ring->base || head == ring->tail)
		return 0;
	span = pipa_ring_peek(ring, head);
	rc = fn(ctx, cpu, span.first, span.first_len);
	if (!rc && span.second_len)
		rc = fn(ctx, cpu, span.second, span.second_len);
	pipa_ring_release(ring, head);
	return rc;
}

int pipa_sampler_drain(struct pipa_sampler *s, pipa_sampler_fn fn, void *ctx)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < s->n_places; i++)
		s->places[i].head = s->places[i].ring.base ? pipa_ring_head(&s->places[i].ring) : 0;
	for (i = 0; !rc && i < s->n_places; i++)
		if (s->places[i].side.base)
			rc = drain_ring(&s->places[i].side, pipa_ring_head(&s->places[i].side),
					s->places[i].cpu, fn, ctx);
	for (i = 0; !rc && i < s->n_places; i++)
		rc = drain_ring(&s->places[i].ring, s->places[i].head, s->places[i].cpu, fn, ctx);
	return rc;
}
