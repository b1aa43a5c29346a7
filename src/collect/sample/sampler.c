#include "collect/sample/sampler.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "collect/sample/sampler_own.h"

enum { CHUNK = 256 << 10 }; /* bytes of a ring that are released at once */

void pipa_sampler_close(struct pipa_sampler *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_places; i++) {
		pipa_ring_unmap(&s->places[i].ring, s->o.perf);
		pipa_ring_unmap(&s->places[i].side, s->o.perf);
		pipa_buf_done(&s->places[i].early);
	}
	for (i = 0; s->o.running && i < s->n_places; i++) {
		pipa_perf_close(s->o.perf, s->places[i].fd);
		pipa_perf_close(s->o.perf, s->places[i].side_fd);
	}
	for (i = 0; i < s->fds.n; i++)
		pipa_perf_close(s->o.perf, s->fds.items[i].fd);
	pipa_inherit_tracker_done(&s->coverage);
	free(s->fds.items);
	free(s->places);
	free(s);
}

/* ---- running --------------------------------------------------------------------------------------- */

static bool is_sideband(const struct pipa_sampler *s, size_t i)
{
	return s->fds.items[i].event == s->o.events->n;
}

/*
 * Enable the events. Running threads can clone others meanwhile: a thread that inherits while its
 * parent's events are being enabled can get them disabled, and the scheduler swaps contexts between
 * threads. Enabling twice covers it: the second time it is a child whose events are enabled with
 * its parent's.
 */
static int enable(struct pipa_sampler *s, bool side, struct pipa_error *err)
{
	int times = s->o.running ? 2 : 1, rc = 0;
	size_t i;

	while (!rc && times--)
		for (i = 0; !rc && i < s->fds.n; i++)
			if (is_sideband(s, i) == side)
				rc = pipa_perf_ioctl(s->o.perf, s->fds.items[i].fd,
						     PERF_EVENT_IOC_ENABLE, 0);
	return rc < 0 ? pipa_fail(err, rc, "start sampling") : 0;
}

int pipa_sampler_enable_sideband(struct pipa_sampler *s, struct pipa_error *err)
{
	return enable(s, true, err);
}

int pipa_sampler_enable(struct pipa_sampler *s, struct pipa_error *err)
{
	return enable(s, false, err);
}

/* Disable twice, for threads that are created meanwhile: see enable(). */
void pipa_sampler_disable(struct pipa_sampler *s)
{
	int times = s->o.target->tasks ? 2 : 1;
	size_t i;

	while (times--)
		for (i = 0; i < s->fds.n; i++)
			pipa_perf_ioctl(s->o.perf, s->fds.items[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/*
 * Read a counter: read(2) returns [members] value [enabled] [running] [id] [lost]; of a group, the
 * leader.
 */
static bool read_count(const struct pipa_sampler *s, int fd, uint64_t format,
		       struct pipa_sampler_count *ret)
{
	uint64_t words[256];
	size_t at = format & PERF_FORMAT_GROUP ? 1 : 0;
	size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	ssize_t n = pipa_perf_read(s->o.perf, fd, words, sizeof(words));

	if (n < (ssize_t)((at + 1) * sizeof(*words)))
		return false;
	ret->count += words[at++];
	at += times + !!(format & PERF_FORMAT_ID);
	if (format & PIPA_FORMAT_LOST && n >= (ssize_t)((at + 1) * sizeof(*words)))
		ret->lost += words[at];
	return true;
}

void pipa_sampler_counts(const struct pipa_sampler *s, struct pipa_sampler_count *counts,
			 size_t n_cpus)
{
	size_t i;

	for (i = 0; i < s->fds.n; i++) {
		const struct opened *opened = &s->fds.items[i];
		struct pipa_sampler_count *cell =
			&counts[opened->event * n_cpus + (size_t)opened->cpu];

		if ((size_t)opened->cpu < n_cpus &&
		    read_count(s, opened->fd, s->events->items[opened->event].attr.read_format,
			       cell))
			cell->opened++;
	}
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

/*
 * Pass a ring up to `head` to the callback in chunks and release each to the kernel at once: if
 * stacks are unwound, reading a full ring takes longer than filling it.
 */
static int drain_ring(struct pipa_ring *ring, uint64_t head, int cpu, pipa_sampler_fn fn, void *ctx)
{
	int rc = 0;

	while (!rc && ring->base && ring->tail != head) {
		uint64_t left = head - ring->tail;
		uint64_t to = ring->tail + (left < CHUNK ? left : CHUNK);
		struct pipa_ring_span span = pipa_ring_peek(ring, to);

		rc = fn(ctx, cpu, span.first, span.first_len);
		if (!rc && span.second_len)
			rc = fn(ctx, cpu, span.second, span.second_len);
		pipa_ring_release(ring, to);
	}
	if (rc) /* the rest is not wanted */
		pipa_ring_release(ring, head);
	return rc;
}

static int drain_sideband(struct place *place, pipa_sampler_fn fn, void *ctx)
{
	int rc = 0;

	if (place->early.len)
		rc = fn(ctx, place->cpu, (const uint8_t *)place->early.data, place->early.len);
	pipa_buf_done(&place->early);
	if (!rc && place->side.base)
		rc = drain_ring(&place->side, pipa_ring_head(&place->side), place->cpu, fn, ctx);
	return rc;
}

int pipa_sampler_drain(struct pipa_sampler *s, pipa_sampler_fn fn, void *ctx)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < s->n_places; i++)
		s->places[i].head = s->places[i].ring.base ? pipa_ring_head(&s->places[i].ring) : 0;
	for (i = 0; !rc && i < s->n_places; i++)
		rc = drain_sideband(&s->places[i], fn, ctx);
	for (i = 0; !rc && i < s->n_places; i++)
		rc = drain_ring(&s->places[i].ring, s->places[i].head, s->places[i].cpu, fn, ctx);
	return rc;
}
