/*
 * Find recursion in the tree of stacks: frames that occur again further out, whose weight counts
 * once, at the outermost. Two frames are equal if the caller gives them the same class.
 */
#ifndef PIPA_ANALYZE_PROFILE_RECURSION_H
#define PIPA_ANALYZE_PROFILE_RECURSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/frames.h"

struct pipa_recursion {
	uint32_t *first; /* [stack] of its frames, innermost first; NULL: each has one */
	bool *again;
};

/*
 * Find recursion; class_of[frame] is less than n_classes, or PIPA_NONE. 0 or -ENOMEM; call
 * pipa_recursion_done() in any case.
 */
int pipa_recursion_find(const struct pipa_frames *frames, const uint32_t *class_of,
			size_t n_classes, struct pipa_recursion *ret);
void pipa_recursion_done(struct pipa_recursion *recursion);

/* Return the index in `again` of the innermost frame of a stack. */
static inline size_t pipa_recursion_first(const struct pipa_recursion *recursion, uint32_t stack)
{
	return recursion->first ? recursion->first[stack] : stack;
}

#endif
