/* Texts of a call graph and its nodes, for all formats. */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_STYLE_H
#define PIPA_EXPORT_GRAPH_GRAPH_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/callgraph.h"

struct pipa_buf;

enum { PIPA_GRAPH_LIBRARIES = 6 }; /* number of libraries that have a colour of their own */

struct pipa_graph_style {
	const char *title;
	const char *event;		     /* name of the event; "": unknown */
	const char *unit;		     /* of the weights: "ns" is shown as time */
	bool by_library;		     /* show the library of each function */
	struct pipa_callgraph_limits limits; /* limits the graph was pruned by */
};

/* Format a weight: "1.25 s" for a clock, "3.2 M" for other events. */
const char *pipa_graph_amount(const struct pipa_graph_style *style, uint64_t weight,
			      char text[static 32]);

/* Format the share of a weight: "12.3 %", "0.04 %". */
const char *pipa_graph_share(const struct pipa_callgraph *graph, uint64_t weight,
			     char text[static 32]);

/* Append notes on what is shown and what is omitted, one per line. */
void pipa_graph_facts(const struct pipa_callgraph *graph, const struct pipa_graph_style *style,
		      struct pipa_buf *out);

/* Append the tooltip of a node, a few lines, or of an edge, one line. */
void pipa_graph_about_node(const struct pipa_callgraph *graph, const struct pipa_graph_style *style,
			   uint32_t node, struct pipa_buf *out);
void pipa_graph_about_edge(const struct pipa_callgraph *graph, const struct pipa_graph_style *style,
			   uint32_t edge, struct pipa_buf *out);

/* Append the name of a node's function, truncated to this many characters. */
void pipa_graph_name(const struct pipa_callgraph *graph, uint32_t node, size_t most,
		     struct pipa_buf *out);

/* Return the name of a node's library. */
const char *pipa_graph_library(const struct pipa_callgraph *graph, uint32_t node);

/* Does any node have a library? Folded stacks have none. */
bool pipa_graph_has_libraries(const struct pipa_callgraph *graph);

/* Libraries of a pruned graph by self weight, heaviest first. */
struct pipa_graph_libraries {
	uint32_t *of_node; /* [node] its library */
	struct pipa_graph_library {
		uint32_t node; /* one of its nodes */
		uint64_t self;
	} * items;
	size_t n;
};

/* Collect the libraries of a graph. 0 or -ENOMEM; call pipa_graph_libraries_done() in any case. */
int pipa_graph_libraries_find(const struct pipa_callgraph *graph, struct pipa_graph_libraries *ret);
void pipa_graph_libraries_done(struct pipa_graph_libraries *libraries);

static inline void pipa_graph_libraries_done_auto(struct pipa_graph_libraries *libraries)
{
	pipa_graph_libraries_done(libraries);
}

#endif
