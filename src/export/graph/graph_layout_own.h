/* Layout under construction: shared only by the graph_*.c files that make it. */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_LAYOUT_OWN_H
#define PIPA_EXPORT_GRAPH_GRAPH_LAYOUT_OWN_H

#include "export/graph/graph_layout.h"

#define PIPA_SKETCH_NONE UINT32_MAX

/* From an item of one layer to one of the next. */
struct pipa_sketch_seg {
	uint32_t top, bottom; /* items */
	double weight;
	bool inner; /* both are bends */
};

/*
 * The lists of all items, one after the other: list i is items[start[i]] to items[start[i + 1] -
 * 1].
 */
struct pipa_sketch_lists {
	uint32_t *start, *items;
};

/* Items are nodes, by index, followed by the bends of edges in the layers that they cross. */
struct pipa_sketch {
	struct pipa_graph_layout *layout;
	size_t n_items, n_ranks;
	uint32_t *rank;	   /* [item] */
	bool *turned;	   /* [edge] goes upwards */
	uint32_t *bend;	   /* [edge] its first bend, from the top; PIPA_SKETCH_NONE: it has none */
	uint32_t *seg;	   /* [edge] its first segment; PIPA_SKETCH_NONE: it is not in the sketch */
	uint32_t *place;   /* [item] in its layer */
	double *width, *x; /* [item] */
	struct pipa_sketch_seg *segs;
	size_t n_segs;
	struct pipa_sketch_lists up, down; /* [item] segments, in the order of their other ends */
	struct pipa_sketch_lists layers;   /* [rank] items in their order */
	uint32_t *cursor;		   /* [item] scratch */
};

/* The layer of every node, and which edges are turned round so that all others go down. */
int pipa_sketch_rank(struct pipa_sketch *sketch);

/* The order of each layer, such that few edges cross. */
int pipa_sketch_order(struct pipa_sketch *sketch);

/* Put the items of the layers at their places, and neighbours in the order of these. */
void pipa_sketch_sort_lists(struct pipa_sketch *sketch);

/* The x of every item, its order kept. */
int pipa_sketch_place(struct pipa_sketch *sketch);

/* The item at the other end of a segment. */
static inline uint32_t pipa_sketch_other(const struct pipa_sketch_seg *seg, uint32_t item)
{
	return seg->top == item ? seg->bottom : seg->top;
}

#endif
