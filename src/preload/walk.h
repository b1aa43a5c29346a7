/*
 * Unwinding of the calling thread.
 *
 * Each frame is unwound by call frame information, reduced to 8 bytes per address and kept in a table
 * for all threads. Where there is none (JIT code, assembly) the frame pointer is followed.
 *
 * Two walks of a thread in sequence have their outer frames in common. A thread keeps the last walk
 * with the addresses of the return addresses and frame pointers on the stack: where a new walk meets a
 * frame of the last one and these words are unchanged, the remaining frames are the same. Only words of frames
 * that are still on the stack are read: coroutines unmap stacks on which their thread allocated. After a frame
 * without call frame information the pages of the stack are checked first.
 */
#ifndef PIPA_PRELOAD_WALK_H
#define PIPA_PRELOAD_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/abi.h"

/* The frame of a calling function: its return address and registers. */
struct pipa_heap_frame {
	uint64_t pc, sp, fp;
};

/* A frame of a walk and how its caller was found. */
struct pipa_heap_step {
	struct pipa_heap_frame frame;
	uint64_t return_at,
		raw_return; /* its address on the stack and the word there, which may be signed */
	/* those of the frame pointer; if it is not saved, of the return address again */
	uint64_t fp_at, raw_fp;
	uint64_t hash; /* of this frame and all outer ones */
};

struct pipa_heap_walk {
	uint32_t n; /* frames of the last walk */
	uint32_t generation;
	uint64_t stack_end; /* the stack is readable up to here */
	uint64_t limit;	    /* of this walk: as far as that is certain */
	bool is_checked;    /* beyond the limit pages are checked, it is below stack_end */
	uint8_t end;	    /* enum pipa_stack_end */
	uint16_t fp_frames;
	bool reusable;
	struct pipa_heap_step steps[PIPA_HEAP_DEPTH_MAX]; /* outermost first */
	uint64_t pcs[PIPA_HEAP_DEPTH_MAX];		  /* see pipa_heap_walk_pcs() */
	struct pipa_heap_step inner[PIPA_HEAP_DEPTH_MAX]; /* new ones, innermost first */
};

/*
 * Walk from the frame of a caller, at most `depth` frames. Returns true if the stack is the one of the last
 * walk. walk->n is 0 if nothing was found.
 */
bool pipa_heap_walk_from(struct pipa_heap_walk *walk, const struct pipa_heap_frame *caller,
			 uint32_t depth);

/* Return the return addresses of the walk, outermost first, with PIPA_HEAP_EXACT; borrowed. */
const uint64_t *pipa_heap_walk_pcs(struct pipa_heap_walk *walk);

/* Return the hash of the walk's frames. */
uint64_t pipa_heap_walk_hash(const struct pipa_heap_walk *walk);

#endif
