/*
 * Write a call graph as one self-contained SVG file, in the light or dark colours that its reader
 * prefers. Colour shows self weight, the width of an edge its weight; the edges of a node stand
 * out under the pointer, by style sheet only.
 */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_SVG_H
#define PIPA_EXPORT_GRAPH_GRAPH_SVG_H

#include "export/graph/graph_style.h"

struct pipa_buf;

/* Write the graph. 0, -ENOMEM or -EFBIG. */
int pipa_graph_svg(const struct pipa_callgraph *graph, const struct pipa_graph_style *style,
		   struct pipa_buf *out);

#endif
