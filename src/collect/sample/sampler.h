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
	/* The attrs have event and rate; exclude_kernel is set if only user mode is permitted. */
	struct pipa_events *events;
	const struct pipa_target *target; /* NULL tasks: whole CPUs */
	struct perf_event_attr side;	  /* the side-band event */
	/*
	 * CPUs of the side-band event; NULL: CPUs of the target. A thread that runs on a CPU of
	 * the target may have been created on another CPU.
	 */
	const struct pipa_cpus *side_cpus;
	size_t ring_bytes, side_bytes; /* powers of two; halved if the kernel refuses them */
	/* The tasks are running threads: the side-band events are enabled when they are opened. */
	bool running;
};

/*
 * Open all events, disabled; those with enable_on_exec are enabled by the exec of the command. The
 * attrs and ids are stored in ret_events in the order of the events, the side-band event last.
 */
int pipa_sampler_open(const struct pipa_sampler_options *options,
		      struct pipa_perf_events *ret_events, struct pipa_sampler **ret,
		      struct pipa_error *err);
void pipa_sampler_close(struct pipa_sampler *sampler);

/*
 * For running processes: open the events of threads in the list that neither existed when the
 * sampler was opened nor inherited its events, before sampling begins. If anything was opened
 * (ret_n), list the threads again and repeat.
 */
int pipa_sampler_catch_up(struct pipa_sampler *sampler, const struct pipa_tasks *tasks,
			  size_t *ret_n, struct pipa_error *err);

/* Enable the side-band event first, so that reading /proc afterwards misses nothing. */
int pipa_sampler_enable_sideband(struct pipa_sampler *sampler, struct pipa_error *err);
int pipa_sampler_enable(struct pipa_sampler *sampler, struct pipa_error *err);
void pipa_sampler_disable(struct pipa_sampler *sampler);

/*
 * Return the number of descriptors to poll, and descriptor i, -1 if a CPU has no such ring.
 * Readable when the ring is filled up to the attr's watermark.
 */
size_t pipa_sampler_fds(const struct pipa_sampler *sampler);
int pipa_sampler_fd(const struct pipa_sampler *sampler, size_t i);

/* Count of an event on a CPU, as the kernel has it, including inherited events. */
struct pipa_sampler_count {
	uint64_t count;
	uint64_t lost;	 /* samples that did not fit into the ring; 0 before kernel 6.0 */
	uint64_t opened; /* number of descriptors in this sum */
};

/*
 * Read the counts of all events into counts[event * n_cpus + cpu]; the last event is the side-band
 * event, whose counts are zero. Final after pipa_sampler_disable().
 */
void pipa_sampler_counts(const struct pipa_sampler *sampler, struct pipa_sampler_count *counts,
			 size_t n_cpus);

/* Return the actual size of the rings. */
size_t pipa_sampler_ring_bytes(const struct pipa_sampler *sampler);

/*
 * Receive ring memory. A record may be split at the end of a piece and continue in the next piece
 * of the same ring.
 */
typedef int (*pipa_sampler_fn)(void *ctx, int cpu, const uint8_t *bytes, size_t len);

/*
 * Pass the contents of the rings to fn: first side-band records, then the samples that the rings
 * contained at the start. Returns 0, or the result of fn. The space of passed records is released
 * to the kernel.
 */
int pipa_sampler_drain(struct pipa_sampler *sampler, pipa_sampler_fn fn, void *ctx);

static inline void pipa_sampler_close_auto(struct pipa_sampler **sampler)
{
	pipa_sampler_close(*sampler);
}

#endif
