/*
 * Which frames of the tree of stacks are met again further out: recursion, whose weight counts once, at
 * the outermost. Two frames are the same when they are of one class, a number that the caller gives.
 */
#ifndef PIPA_ANALYZE_REPEATS_H
#define PIPA_ANALYZE_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/frames.h"

struct pipa_repeats {
	uint32_t *first; /* [stack] of its frames, innermost first; NULL: each has one */
	bool *again;
};

/* class_of[frame] is less than n_classes, or PIPA_NONE. 0 or -ENOMEM. */
int pipa_repeats_make(const struct pipa_frames *frames, const uint32_t *class_of, size_t n_classes,
		      struct pipa_repeats *ret);
void pipa_repeats_done(struct pipa_repeats *repeats);

/* The innermost frame of a stack, as a place in `again`. */
static inline size_t pipa_repeats_first(const struct pipa_repeats *repeats, uint32_t stack)
{
	return repeats->first ? repeats->first[stack] : stack;
}

#endif
