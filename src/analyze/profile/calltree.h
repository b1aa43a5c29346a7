/*
 * Callers (or callees) of each row of a table: a tree of frames with the part of the row's weight
 * that came along each.
 */
#ifndef PIPA_ANALYZE_PROFILE_CALLTREE_H
#define PIPA_ANALYZE_PROFILE_CALLTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/top.h"
#include "base/index.h"

struct pipa_call {
	uint32_t parent;      /* PIPA_NONE: the row itself */
	uint32_t child, next; /* first child, next sibling, heaviest first; PIPA_NONE: none */
	uint32_t location;    /* a location of its frame */
	uint32_t name;	      /* a symbol: see analyze/profile/frames.h */
	bool cut;	      /* a truncated stack ends with it: its callers are unknown */
	bool deeper;	      /* stacks go on below it, at more than max_depth */
	uint64_t weight;      /* of the event of the tree */
	uint64_t count;	      /* samples */
};

struct pipa_calltree {
	struct pipa_call *items;
	size_t n, cap;
	struct pipa_index index;
	uint32_t *rows; /* [row] index of its root, PIPA_NONE if it has no tree */
	uint32_t *met;	/* during construction: the last sample with a row, + 1 */
};

struct pipa_calltree_options {
	uint32_t event;
	bool callees;	/* callees instead of callers */
	bool from_root; /* with callees: first the frames from the outermost to the row */
	size_t first_row, max_rows; /* build trees for rows first_row to max_rows - 1 */
	size_t max_depth; /* levels below a row; 0: no limit, and quadratic in the depth of stacks */
};

int pipa_calltree_make(const struct pipa_top *top, const struct pipa_calltree_options *options,
		       struct pipa_calltree *ret);
void pipa_calltree_done(struct pipa_calltree *tree);

#endif
