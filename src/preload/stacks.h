/*
 * Distinct stacks, appended to the shared file (abi.h) and found by hash, and their sums. Any number
 * of threads and signal handlers at once, without locks.
 *
 * A stack is identified by its 64-bit hash and its number of frames. The sums of a thread with a
 * shard are kept there, where it is the only writer, until the slot is needed for another stack.
 */
#ifndef PIPA_PRELOAD_STACKS_H
#define PIPA_PRELOAD_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/abi.h"

struct pipa_heap_stacks {
	struct pipa_heap_status *status;
	struct pipa_heap_stack *stacks;
	uint64_t n_stacks;
	uint64_t *frames;
	uint64_t n_frames;
	uint32_t *index; /* number + 1 by hash; private */
	uint64_t index_mask;
	bool (*commit)(void *at, uint64_t size); /* as in preload/blocks.h */
};

/* A stack as it was walked: frames outermost first, so that a thread can keep the outer part. */
struct pipa_heap_chain {
	const uint64_t *frames;
	uint32_t n;
	uint64_t hash;
	uint32_t maps_generation;
	uint8_t kind;
	uint8_t end;
	uint16_t fp_frames;
};

enum { PIPA_HEAP_NO_STACK = UINT32_MAX };

/* Find a stack or append it. Returns its number, or PIPA_HEAP_NO_STACK, counted as lost. */
uint32_t pipa_heap_stacks_add(struct pipa_heap_stacks *table, const struct pipa_heap_chain *chain,
			      uint64_t now_ns);

/* One sampled allocation or free. */
struct pipa_heap_sample {
	uint64_t size;
	uint64_t weight;
	uint64_t ns;	      /* in the allocator, already scaled */
	uint64_t lifetime_ns; /* of a free */
	bool freed;
	bool temporary;
};

/*
 * Add a sample to the sums of a stack: in the shard, whose only writer is the caller, or, if it is
 * NULL, in the stack itself.
 */
void pipa_heap_stacks_sum(struct pipa_heap_stacks *table, struct pipa_heap_shard *shard,
			  uint32_t stack, const struct pipa_heap_sample *sample);

/*
 * Subtract `size` bytes of a block, which are `scaled` ones, from what is in use at a stack. If the block is split, the
 * other part has its weight, else it is 0.
 */
void pipa_heap_stacks_cut(struct pipa_heap_stacks *table, uint32_t stack, uint64_t size,
			  uint64_t scaled, uint64_t weight);

/* Change the bytes in use of the process; raises the peak. */
void pipa_heap_stacks_in_use(struct pipa_heap_stacks *table, int64_t change, uint64_t now_ns);

/* The class of a size or of a lifetime, see struct pipa_heap_sums. */
static inline unsigned int pipa_heap_class(uint64_t value, unsigned int first_bit)
{
	unsigned int bits;

	value >>= first_bit;
	if (!value)
		return 0;
	bits = 63 - (unsigned int)__builtin_clzll(value);
	if (first_bit)
		bits++;
	return bits < PIPA_HEAP_CLASSES ? bits : PIPA_HEAP_CLASSES - 1;
}

#endif
