/*
 * Sampling events on threads or CPUs: one data ring and one side-band ring per CPU, so that lost
 * samples never lose a mapping. Zero-copy: the drain callback gets pointers into the ring.
 */
#ifndef PIPA_COLLECT_SAMPLE_SAMPLER_H
#define PIPA_COLLECT_SAMPLE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/count/counters.h"
#include "kernel/event/perf_event.h"
#include "model/event.h"
#include "perf/attr.h"

struct pipa_error;
struct pipa_sampler;

struct pipa_sampler_options {
	const struct pipa_perf *perf;
	/* Their attrs say what is sampled and how often; altered where only user mode is permitted. */
	struct pipa_events *events;
	const struct pipa_target *target; /* its tasks NULL: all of the CPUs */
	struct perf_event_attr side;	  /* what tells of processes and mappings */
	/* The CPUs it does so on, NULL: the target's. Who runs here may have been mapped there. */
	const struct pipa_cpus *side_cpus;
	size_t ring_bytes, side_bytes; /* powers of two; a ring that is refused is halved */
	/* The tasks are threads that run already: the side events do from the start. */
	bool running;
};

/*
 * Everything is open and disabled, but for what a command's exec enables. The events' attrs and ids go
 * into ret_events in the order of the options' events, the side event last.
 */
int pipa_sampler_open(const struct pipa_sampler_options *options,
		      struct pipa_perf_events *ret_events, struct pipa_sampler **ret,
		      struct pipa_error *err);
void pipa_sampler_close(struct pipa_sampler *sampler);

/*
 * For tasks that ran already: these are their processes' threads now. Those that neither were there when
 * the sampler was opened nor have inherited its events are opened, before sampling begins. Whatever
 * was done (ret_n, 0: nothing) may leave something to do, so list the threads again and repeat.
 */
int pipa_sampler_catch_up(struct pipa_sampler *sampler, const struct pipa_tasks *tasks,
			  size_t *ret_n, struct pipa_error *err);

/* What tells of processes is started first, so that what is read from /proc then misses nothing. */
int pipa_sampler_enable_sideband(struct pipa_sampler *sampler, struct pipa_error *err);
int pipa_sampler_enable(struct pipa_sampler *sampler, struct pipa_error *err);
void pipa_sampler_disable(struct pipa_sampler *sampler);

/*
 * The descriptors to wait on: how many, and number i, -1 where a CPU has no such ring. Readable when the
 * ring has filled as far as the attr's watermark says.
 */
size_t pipa_sampler_fds(const struct pipa_sampler *sampler);
int pipa_sampler_fd(const struct pipa_sampler *sampler, size_t i);

/* What the kernel says of an event on a CPU, with what threads have inherited of it. */
struct pipa_sampler_count {
	uint64_t count;
	uint64_t lost;	 /* samples that found no room; 0 where it does not say (before 6.0) */
	uint64_t opened; /* descriptors that this is the sum of */
};

/*
 * Read every event's count into counts[event * n_cpus + cpu], the side event's last, which are zero.
 * After pipa_sampler_disable() nothing changes any more.
 */
void pipa_sampler_counts(const struct pipa_sampler *sampler, struct pipa_sampler_count *counts,
			 size_t n_cpus);

/* The size that rings really have. */
size_t pipa_sampler_ring_bytes(const struct pipa_sampler *sampler);

/* Lent memory; a record may be cut where one piece ends and goes on in the next of the same ring. */
typedef int (*pipa_sampler_fn)(void *ctx, int cpu, const uint8_t *bytes, size_t len);

/*
 * Hand out what is in the rings: first what was told of processes, then the samples that were there
 * when it began. Returns 0, or what fn returned; what was handed out is given back to the kernel.
 */
int pipa_sampler_drain(struct pipa_sampler *sampler, pipa_sampler_fn fn, void *ctx);

static inline void pipa_sampler_close_auto(struct pipa_sampler **sampler)
{
	pipa_sampler_close(*sampler);
}

#endif
