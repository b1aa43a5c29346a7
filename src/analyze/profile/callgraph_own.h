/* Call graph under construction: shared by callgraph.c and callgraph_walk.c only. */
#ifndef PIPA_ANALYZE_PROFILE_CALLGRAPH_OWN_H
#define PIPA_ANALYZE_PROFILE_CALLGRAPH_OWN_H

#include "analyze/profile/callgraph.h"

/* Marks of frames, and of stacks for all the frames from the outermost to theirs. */
enum {
	PIPA_CALLGRAPH_FOCUS = 1,
	PIPA_CALLGRAPH_CALLERS = 2, /* the function whose callers are shown */
	PIPA_CALLGRAPH_CALLEES = 4,
};

/*
 * Walk the tree of stacks and recompute the edges. Without node_of also the weights of the nodes;
 * with it, node_of[class] is the node that a class is shown as, or PIPA_NONE. 0 or -ENOMEM.
 */
int pipa_callgraph_walk(struct pipa_callgraph *graph, const uint32_t *node_of);

/* Return the innermost frame of a stack, and the number of its frames. */
static inline uint32_t pipa_callgraph_frames(const struct pipa_profile *p, uint32_t stack,
					     uint32_t *ret_n)
{
	uint32_t place = p->stacks.items[stack].location;
	const struct pipa_location *location = &p->locations.items[place];

	*ret_n = location->n_lines ? location->n_lines : 1;
	return location->n_lines ? location->lines : (uint32_t)p->lines.n + place;
}

#endif
