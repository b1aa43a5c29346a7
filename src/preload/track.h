/*
 * Decide which allocations are samples, and record them and their frees. Called by the slow paths of the
 * hooks (preload/hooks.h).
 */
#ifndef PIPA_PRELOAD_TRACK_H
#define PIPA_PRELOAD_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/abi.h"
#include "preload/blocks.h"
#include "preload/walk.h"

struct pipa_heap_sampler;

/* A sampled allocation, from before the call of the allocator until after it. */
struct pipa_heap_alloc {
	struct pipa_heap_sampler *state;
	struct pipa_heap_frame caller;
	uint64_t size;
	uint64_t position;
	uint64_t start_ns; /* 0: not timed */
};

/*
 * Decide whether an allocation of `size` bytes is a sample when the countdown of the thread is over, and
 * start the next countdown. If true, the caller allocates and calls pipa_heap_track_alloc() with the
 * result, NULL if that failed. Until then allocations inside the allocator are not samples.
 */
bool pipa_heap_track_begin(struct pipa_heap_alloc *alloc, uint64_t size,
			   const struct pipa_heap_frame *caller);
void pipa_heap_track_alloc(struct pipa_heap_alloc *alloc, void *block, enum pipa_heap_kind kind);

/* Call this before an allocator that may throw an exception: the thread is not busy in it. */
void pipa_heap_track_may_throw(const struct pipa_heap_alloc *alloc);

/* A block that is about to be freed; it is not in the table any more. */
struct pipa_heap_free {
	struct pipa_heap_block block;
	uint64_t address;
	uint64_t start_ns;
	bool timed;
};

/* Remove a block that is a sample. If true, call pipa_heap_track_freed() after the free. */
bool pipa_heap_track_free(struct pipa_heap_free *ret, void *block);
void pipa_heap_track_freed(const struct pipa_heap_free *freed);

/* Add the block again: it was not freed. */
void pipa_heap_track_kept(const struct pipa_heap_free *freed);

/* What is left of a mapping. */
struct pipa_heap_part {
	uint64_t address; /* with PIPA_HEAP_MAPPED */
	uint64_t size;
};

/*
 * Record that a part of a block is unmapped: its size is that of the one or two parts that are left, which are added
 * instead. The second one is another block.
 */
void pipa_heap_track_cut(const struct pipa_heap_free *whole, const struct pipa_heap_part *parts,
			 unsigned int n);

/* Can the address be that of a sample? */
static inline bool pipa_heap_track_maybe(const void *block)
{
	return __builtin_expect(
		__atomic_load_n(pipa_heap_filter_at((uint64_t)block), __ATOMIC_RELAXED) != 0, 0);
}

#endif
