/*
 * Callers or callees of a function, expanded one level at a time: nodes that are never expanded
 * cost nothing, and a stack of 10,000 frames is walked only as far as it is shown.
 */
#ifndef PIPA_ANALYZE_PROFILE_LAZY_CALLTREE_H
#define PIPA_ANALYZE_PROFILE_LAZY_CALLTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/top.h"

struct pipa_lazy_node {
	uint32_t parent;	 /* PIPA_NONE: the root */
	uint32_t child, next;	 /* first child, next sibling, heaviest first; PIPA_NONE: none */
	uint32_t name;		 /* a symbol: see analyze/profile/frames.h */
	uint32_t location;	 /* a location of its frame */
	uint32_t steps, n_steps; /* steps that continue below it; n_steps 0: a leaf */
	bool grown;		 /* its children were made */
	bool cut;		 /* a truncated stack ends with it: its callers are unknown */
	uint64_t weight, count;
};

/* A position in a stack to be visited next. */
struct pipa_lazy_step {
	uint32_t stack;	  /* callees: an index in `inner` */
	uint32_t inlined; /* frame of its location, 0 the innermost */
	uint64_t weight, count;
};

/* A stack that contains the function. */
struct pipa_lazy_inner {
	uint32_t stack;
	uint32_t child, next; /* stacks that extend it */
	uint64_t weight, count;
};

struct pipa_lazy_calltree {
	const struct pipa_top *top; /* borrowed, with its frames and its profile */
	bool callees;
	struct pipa_lazy_node *items; /* item 0 is the root */
	size_t n, cap;
	struct {
		struct pipa_lazy_step *items;
		size_t n, cap;
	} steps;
	struct {
		struct pipa_lazy_inner *items;
		size_t n, cap;
	} inner;
};

/*
 * Root of a row, or of all frames with a symbol. A row without a symbol has the functions it
 * contains as its first level: the innermost for callers, the outermost for callees.
 */
struct pipa_lazy_calltree_of {
	uint32_t event;
	bool callees;			/* callees instead of callers */
	const struct pipa_top_row *row; /* or NULL, then: */
	uint32_t symbol;		/* inlined or not */
	uint32_t object;		/* in this object, PIPA_NONE: any */
};

/* Make only the root. 0 or -ENOMEM. */
int pipa_lazy_calltree_make(const struct pipa_top *top, const struct pipa_lazy_calltree_of *of,
			    struct pipa_lazy_calltree *ret);
void pipa_lazy_calltree_done(struct pipa_lazy_calltree *branches);

/* Make the children of a node, if they were not made yet. 0 or -ENOMEM, which leaves it without. */
int pipa_lazy_calltree_expand(struct pipa_lazy_calltree *branches, uint32_t node);

#endif
