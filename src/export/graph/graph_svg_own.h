/* SVG image under construction: shared by graph_{svg,draw,hulls,lines,data}.c only. */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_SVG_OWN_H
#define PIPA_EXPORT_GRAPH_GRAPH_SVG_OWN_H

#include "export/graph/graph_layout.h"
#include "export/graph/graph_style.h"

#define PIPA_GRAPH_HEATS 8	 /* colours of shares; the first is for 0 */
#define PIPA_GRAPH_LOOP 26.0	 /* space on both sides of a recursive node */
#define PIPA_GRAPH_HOVER_MAX 400 /* maximum nodes with hover rules for their edges */

struct pipa_buf;

struct pipa_graph_drawing {
	const struct pipa_callgraph *graph;
	const struct pipa_graph_style *style;
	struct pipa_graph_libraries libraries;
	struct pipa_graph_layout layout;
	bool *loops;	    /* [node] it calls itself */
	uint64_t hottest;   /* largest self weight of a node */
	double left, above; /* offset of the layout in the image */
	struct pipa_buf *out;
};

/* Measure the nodes and lay them out. 0 or -ENOMEM; pipa_graph_drawing_done() in any case. */
int pipa_graph_drawing_lay_out(struct pipa_graph_drawing *drawing);
void pipa_graph_drawing_done(struct pipa_graph_drawing *drawing);

/* Set sizes of nodes and weights of edges for the layout. */
void pipa_graph_measure(struct pipa_graph_drawing *drawing);

/*
 * Draw the areas of libraries below neighbouring functions; their names go to a separate buffer, to
 * be drawn above the edges. 0 or -ENOMEM.
 */
int pipa_graph_draw_hulls(const struct pipa_graph_drawing *drawing, struct pipa_buf *names);

void pipa_graph_draw_nodes(const struct pipa_graph_drawing *drawing);
void pipa_graph_draw_edges(const struct pipa_graph_drawing *drawing);

/* Draw the weight beside the heavier edges where there is space. 0 or -ENOMEM. */
int pipa_graph_draw_labels(const struct pipa_graph_drawing *drawing);

#endif
