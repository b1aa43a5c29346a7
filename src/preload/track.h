/*
 * Samples: which allocation is one, and what is recorded of it and of its free. Called by the hooks on
 * the paths that are taken for samples only (preload/hooks.h).
 */
#ifndef PIPA_PRELOAD_TRACK_H
#define PIPA_PRELOAD_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/abi.h"
#include "preload/blocks.h"
#include "preload/walk.h"

struct pipa_heap_sampler;

/* An allocation that is a sample, between its two halves. */
struct pipa_heap_alloc {
	struct pipa_heap_sampler *state;
	struct pipa_heap_frame caller;
	uint64_t size;
	uint64_t position;
	uint64_t start_ns; /* 0: not timed */
};

/*
 * The countdown of the thread is over: is an allocation of `size` bytes a sample? Then the caller
 * allocates, and calls pipa_heap_track_alloc() with the result, NULL if that failed. Starts the next
 * countdown. Until then the thread is busy, and allocations inside the allocator are none of their own.
 */
bool pipa_heap_track_begin(struct pipa_heap_alloc *alloc, uint64_t size,
			   const struct pipa_heap_frame *caller);
void pipa_heap_track_alloc(struct pipa_heap_alloc *alloc, void *block, enum pipa_heap_kind kind);

/* The same for allocators that throw exceptions: the thread is not busy in between. */
void pipa_heap_track_may_throw(const struct pipa_heap_alloc *alloc);

/* A block that is about to be freed; it is not in the table any more. */
struct pipa_heap_free {
	struct pipa_heap_block block;
	uint64_t address;
	uint64_t start_ns;
	bool timed;
};

/* Is the block a sample? Then it is removed, and pipa_heap_track_freed() is to be called after the free. */
bool pipa_heap_track_free(struct pipa_heap_free *ret, void *block);
void pipa_heap_track_freed(const struct pipa_heap_free *freed);

/* The block was not freed after all. */
void pipa_heap_track_kept(const struct pipa_heap_free *freed);

/* A part of a freed block goes on at freed->address: an allocation with the stack of the whole. */
void pipa_heap_track_part(const struct pipa_heap_free *part);

/* May the address be that of a sample? */
static inline bool pipa_heap_track_maybe(const void *block)
{
	return __builtin_expect(
		__atomic_load_n(pipa_heap_filter_at((uint64_t)block), __ATOMIC_RELAXED) != 0, 0);
}

#endif
