/* State of a sampler: shared by the sampler_*.c files only. */
#ifndef PIPA_COLLECT_SAMPLE_SAMPLER_OWN_H
#define PIPA_COLLECT_SAMPLE_SAMPLER_OWN_H

#include "base/buf.h"
#include "collect/sample/inherit_tracker.h"
#include "collect/sample/sampler.h"
#include "kernel/event/ring.h"

/* Rings of a CPU. */
struct place {
	int cpu;
	int fd, side_fd; /* owners of the rings; -1: none */
	struct pipa_ring ring, side;
	bool side_only;
	struct pipa_buf early; /* contents of the side-band ring while events were being opened */
	uint64_t head;	       /* head of the ring when the drain began */
};

struct pipa_sampler {
	struct pipa_sampler_options o;
	struct place *places;
	size_t n_places;
	struct {
		struct opened {
			int fd, cpu;
			uint32_t event; /* the index after the last is the side-band event */
			pid_t tid;
		} * items;
		size_t n, cap;
	} fds;
	struct pipa_perf_events *events;
	struct pipa_inherit_tracker coverage; /* of running processes */
	bool missed_forks;		      /* the kernel dropped fork records */
};

/* Open the events of a running thread on all CPUs; `side`: first the side-band event. */
int pipa_sampler_open_thread(struct pipa_sampler *sampler, pid_t tid, bool side,
			     struct pipa_error *err);

/* Read fork records from the side-band rings; all records are stored for the first drain. */
int pipa_sampler_read_forks(struct pipa_sampler *sampler);

#endif
