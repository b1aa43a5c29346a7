/*
 * Write a call graph with its layout as JSON: the part "graph" of a page's data (web/README.md), which
 * web/graph.js draws. Names are sanitized as in an image.
 */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_DATA_H
#define PIPA_EXPORT_GRAPH_GRAPH_DATA_H

#include "export/graph/graph_style.h"

struct pipa_buf;

/*
 * `only`: the page has no other view, because the graph is of a part of the samples. 0 or -ENOMEM,
 * -EFBIG.
 */
int pipa_graph_data(const struct pipa_callgraph *graph, const struct pipa_graph_style *style,
		    bool only, struct pipa_buf *out);

#endif
