/* SVG image under construction: shared by graph_{svg,draw,hulls,lines}.c only. */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_SVG_OWN_H
#define PIPA_EXPORT_GRAPH_GRAPH_SVG_OWN_H

#include "export/graph/graph_layout.h"
#include "export/graph/graph_style.h"

#define PIPA_GRAPH_HEATS 8	 /* colours of shares, the first for none */
#define PIPA_GRAPH_LOOP 26.0	 /* room on both sides of a node that calls itself */
#define PIPA_GRAPH_HOVER_MAX 400 /* nodes whose edges are found by the pointer */

struct pipa_buf;

struct pipa_graph_drawing {
	const struct pipa_callgraph *graph;
	const struct pipa_graph_style *look;
	struct pipa_graph_libraries libraries;
	struct pipa_graph_layout layout;
	bool *loops;	    /* [node] it calls itself */
	uint64_t hottest;   /* the most that a node used itself */
	double left, above; /* offset of the layout in the image */
	struct pipa_buf *out;
};

/* Sizes of nodes and weights of edges, for the layout. */
void pipa_graph_measure(struct pipa_graph_drawing *drawing);

/*
 * Draw the areas of libraries below neighbouring functions; their names are written apart, to be
 * above the edges. 0 or -ENOMEM.
 */
int pipa_graph_draw_hulls(const struct pipa_graph_drawing *drawing, struct pipa_buf *names);

void pipa_graph_draw_nodes(const struct pipa_graph_drawing *drawing);
void pipa_graph_draw_edges(const struct pipa_graph_drawing *drawing);

/* How much they led to, beside the heavier edges, as far as there is room. 0 or -ENOMEM. */
int pipa_graph_draw_labels(const struct pipa_graph_drawing *drawing);

#endif
