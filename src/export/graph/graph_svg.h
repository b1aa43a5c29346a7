/*
 * A call graph as a picture: one SVG file that needs nothing else, in the light or dark colours that its
 * reader prefers. Functions that used much themselves are warm, calls that led to much are wide; a node's
 * own edges stand out while the pointer is on it, by style sheet alone.
 */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_SVG_H
#define PIPA_EXPORT_GRAPH_GRAPH_SVG_H

#include "export/graph/graph_look.h"

struct pipa_buf;

/* 0 or -ENOMEM, -EFBIG. */
int pipa_graph_svg(const struct pipa_callgraph *graph, const struct pipa_graph_style *look,
		   struct pipa_buf *out);

#endif
