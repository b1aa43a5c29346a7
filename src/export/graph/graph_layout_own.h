/* Layout under construction: shared only by the graph_*.c files that make it. */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_LAYOUT_OWN_H
#define PIPA_EXPORT_GRAPH_GRAPH_LAYOUT_OWN_H

#include "export/graph/graph_layout.h"

#define PIPA_SKETCH_NONE UINT32_MAX

/* Part of an edge between items of two adjacent layers. */
struct pipa_sketch_seg {
	uint32_t top, bottom; /* items */
	double weight;
	bool inner; /* both ends are bends */
};

/* Lists of all items in one array: list i is items[start[i]] to items[start[i + 1] - 1]. */
struct pipa_sketch_lists {
	uint32_t *start, *items;
};

/* Items are nodes, by index, followed by the bends of edges in the layers that they cross. */
struct pipa_sketch {
	struct pipa_graph_layout *layout;
	size_t n_items, n_ranks;
	uint32_t *rank; /* [item] */
	bool *turned;	/* [edge] is drawn upwards */
	uint32_t *bend; /* [edge] its first bend from the top, or PIPA_SKETCH_NONE */
	/* [edge] its first segment, or PIPA_SKETCH_NONE if it is not in the sketch */
	uint32_t *seg;
	uint32_t *place;   /* [item] index in its layer */
	double *width, *x; /* [item] */
	struct pipa_sketch_seg *segs;
	size_t n_segs;
	struct pipa_sketch_lists up, down; /* [item] segments, in the order of their other ends */
	struct pipa_sketch_lists layers;   /* [rank] items in their order */
	uint32_t *cursor;		   /* [item] scratch */
};

/*
 * Assign a layer to each node, and mark the edges to reverse so that all others point down. 0 or
 * -ENOMEM.
 */
int pipa_sketch_rank(struct pipa_sketch *sketch);

/* Order each layer to reduce crossings. 0 or -ENOMEM. */
int pipa_sketch_order(struct pipa_sketch *sketch);

/* Store the items of each layer by `place`, and sort the segment lists accordingly. */
void pipa_sketch_sort_lists(struct pipa_sketch *sketch);

/* Compute the x of each item without changing the order. 0 or -ENOMEM. */
int pipa_sketch_place(struct pipa_sketch *sketch);

/* Return the item at the other end of a segment. */
static inline uint32_t pipa_sketch_other(const struct pipa_sketch_seg *seg, uint32_t item)
{
	return seg->top == item ? seg->bottom : seg->top;
}

#endif
