/*
 * Lay out a directed graph in layers from top to bottom, callers above callees (Sugiyama's
 * method). Nodes of a layer do not overlap, edges run between them; an edge that closes a cycle
 * goes upwards. The same graph gives the same layout.
 */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_LAYOUT_H
#define PIPA_EXPORT_GRAPH_GRAPH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_graph_layout_node {
	double width, height; /* input */
	uint32_t group;	      /* input: nodes of a group are adjacent in a layer; 0: no group */
	double x, y;	      /* output: centre */
	uint32_t rank;	      /* layer, from the top */
};

struct pipa_graph_layout_point {
	double x, y;
};

/*
 * An edge runs straight (and downwards) from the first point to the second, curved to the third,
 * straight to the fourth, and so on: its points come in pairs, one pair per layer.
 */
struct pipa_graph_layout_edge {
	uint32_t from, to; /* input */
	double weight;	   /* input, 0 to 1: heavier edges become shorter and straighter */
	bool upwards;	   /* from its first point to its last */
	uint32_t first, n; /* points; n is 0 for an edge from a node to itself */
};

struct pipa_graph_layout {
	/* input, owned by the caller; nodes and edges by decreasing importance */
	struct pipa_graph_layout_node *nodes;
	struct pipa_graph_layout_edge *edges;
	size_t n_nodes, n_edges;
	double node_gap, rank_gap;

	struct pipa_graph_layout_point *points;
	size_t n_points;
	double width, height; /* all coordinates are between 0 and these */
};

/*
 * Compute the layout. Time is bounded by the size of the graph: if edges have too many bends, the
 * last edges are drawn straight. 0 or -ENOMEM; call pipa_graph_layout_done() in any case.
 */
int pipa_graph_layout_make(struct pipa_graph_layout *layout);
void pipa_graph_layout_done(struct pipa_graph_layout *layout);

#endif
