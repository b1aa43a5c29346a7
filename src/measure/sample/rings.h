/* Watch the rings of a sampler on a loop and drain them when the kernel wakes the reader. */
#ifndef PIPA_MEASURE_SAMPLE_RINGS_H
#define PIPA_MEASURE_SAMPLE_RINGS_H

#include <stddef.h>

#include "base/loop.h"

struct pipa_error;
struct pipa_loop;
struct pipa_rings;
struct pipa_sampler;

/* Descriptor of a ring in the loop. */
struct pipa_ring_watch {
	struct pipa_rings *rings;
	int fd; /* -1: no longer watched */
};

/* Zeroed: no ring is watched. Must not be moved while rings are watched. */
struct pipa_rings {
	struct pipa_loop *loop;
	/* reads all rings; 0, or a negative errno that ends the loop */
	pipa_loop_fd_fn drain;
	void *ctx;
	struct pipa_ring_watch *watches;
	size_t n;
};

/* Prepare to watch up to `max` descriptors. 0 or -ENOMEM. */
int pipa_rings_init(struct pipa_rings *rings, struct pipa_loop *loop, size_t max,
		    pipa_loop_fd_fn drain, void *ctx, struct pipa_error *err);

/*
 * Watch a descriptor. It hangs up when the thread of its event ends, and stays so: then it is
 * drained once and no longer watched. Others may still write to that ring: the caller drains by a
 * timer, too.
 */
int pipa_rings_add(struct pipa_rings *rings, int fd, struct pipa_error *err);

/* Watch all rings of a sampler. */
int pipa_rings_watch(struct pipa_rings *rings, struct pipa_loop *loop, struct pipa_sampler *sampler,
		     pipa_loop_fd_fn drain, void *ctx, struct pipa_error *err);

/* Stop watching; may be called by drain(). */
void pipa_rings_unwatch(struct pipa_rings *rings);

/* Free the memory; the loop may be gone already. */
void pipa_rings_done(struct pipa_rings *rings);

#endif
