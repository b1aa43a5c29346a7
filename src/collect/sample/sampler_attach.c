/* Open events of threads that are created while the sampler is being opened. */
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "collect/sample/sampler_own.h"
#include "kernel/process/task.h"

/* header | u32 pid, ppid | u32 tid, ptid | u64 time */
struct fork_record {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t ns;
};

static int read_forks(struct pipa_sampler *s, const struct pipa_buf *records, size_t at)
{
	struct fork_record r = { 0 };
	int rc = 0;

	while (!rc && records->len - at >= sizeof(r.header)) {
		size_t left = records->len - at;

		memcpy(&r, records->data + at, left < sizeof(r) ? left : sizeof(r));
		if (r.header.size < sizeof(r.header) || r.header.size > left)
			break;
		if (r.header.type == PERF_RECORD_LOST)
			s->missed_forks = true;
		if (r.header.type == PERF_RECORD_FORK && r.header.size >= sizeof(r))
			rc = pipa_inherit_tracker_forked(
				&s->coverage, &(struct pipa_fork){ .tid = (pid_t)r.tid,
								   .parent = (pid_t)r.parent_tid,
								   .ns = r.ns });
		at += r.header.size;
	}
	return rc;
}

int pipa_sampler_read_forks(struct pipa_sampler *s)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < s->n_places; i++) {
		struct place *place = &s->places[i];
		uint64_t head = pipa_ring_head(&place->side);
		struct pipa_ring_span span = pipa_ring_peek(&place->side, head);
		size_t before = place->early.len;

		pipa_buf_add(&place->early, span.first, span.first_len);
		pipa_buf_add(&place->early, span.second, span.second_len);
		pipa_ring_release(&place->side, head);
		rc = place->early.status;
		if (!rc)
			rc = read_forks(s, &place->early, before);
	}
	return rc;
}

/* Close all events and start again, because fork records were lost and inheritance is unknown. */
static void start_over(struct pipa_sampler *s)
{
	size_t i;

	for (i = 0; i < s->fds.n; i++)
		pipa_perf_close(s->o.perf, s->fds.items[i].fd);
	s->fds.n = s->coverage.opened.n = s->coverage.forks.n = 0;
	s->missed_forks = false;
}

/* Close the events of a thread, and with them those that others inherited from it. */
static void close_samples(struct pipa_sampler *s, pid_t tid)
{
	size_t i, n = 0;

	for (i = 0; i < s->fds.n; i++) {
		const struct opened *opened = &s->fds.items[i];

		if (opened->tid == tid && opened->event < s->o.events->n)
			pipa_perf_close(s->o.perf, opened->fd);
		else
			s->fds.items[n++] = *opened;
	}
	s->fds.n = n;
}

static int open_missing(struct pipa_sampler *s, pid_t tid, size_t *n, struct pipa_error *err)
{
	pid_t parent = 0;

	switch (pipa_inherit_tracker_of(&s->coverage, tid, &parent)) {
	case PIPA_COVERED_NOT: ++*n; return pipa_sampler_open_thread(s, tid, true, err);
	case PIPA_COVERED_PARTLY:
		++*n;
		close_samples(s, parent);
		return pipa_sampler_open_thread(s, parent, false, err);
	case PIPA_COVERED: return 0;
	}
	return 0;
}

int pipa_sampler_catch_up(struct pipa_sampler *s, const struct pipa_tasks *tasks, size_t *ret_n,
			  struct pipa_error *err)
{
	pid_t twice;
	size_t i;
	int rc = pipa_sampler_read_forks(s);

	*ret_n = 0;
	if (rc < 0)
		return pipa_fail(err, rc, "list threads");
	if (s->missed_forks)
		start_over(s);
	if (!s->o.events->items[0].attr.inherit)
		s->coverage.forks.n = 0;
	while ((twice = pipa_inherit_tracker_twice(&s->coverage))) {
		close_samples(s, twice);
		++*ret_n;
	}
	for (i = 0; !rc && i < tasks->n; i++)
		rc = open_missing(s, tasks->items[i].tid, ret_n, err);
	return rc;
}
