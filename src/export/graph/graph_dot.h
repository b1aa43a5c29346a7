/* Write a call graph in the language of Graphviz. */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_DOT_H
#define PIPA_EXPORT_GRAPH_GRAPH_DOT_H

#include "export/graph/graph_style.h"

struct pipa_buf;

/* Write the graph in DOT. 0 or -ENOMEM. */
int pipa_graph_dot(const struct pipa_callgraph *graph, const struct pipa_graph_style *style,
		   struct pipa_buf *out);

#endif
