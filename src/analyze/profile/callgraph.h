/*
 * Call graph of a profile: functions with self and children, edges with the weight that passed
 * along them. A function and an edge count once per stack in spite of recursion, so nodes have the
 * numbers of analyze/profile/top.h by object and symbol.
 *
 * The whole graph is built, then pruned. If a function is pruned, an edge leads from its nearest
 * remaining caller and is marked as not direct.
 */
#ifndef PIPA_ANALYZE_PROFILE_CALLGRAPH_H
#define PIPA_ANALYZE_PROFILE_CALLGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/frames.h"
#include "analyze/profile/rollup.h"
#include "base/index.h"
#include "model/profile.h"

struct pipa_error;

struct pipa_callgraph_options {
	uint32_t event;	   /* PIPA_NONE: all; samples of an unnamed event always count */
	const char *comms; /* only these, comma-separated; NULL: all */
	const char *focus; /* only stacks with a function that matches the expression; NULL: all */
	/* only callers or callees of this function; its parameters may be omitted */
	const char *callers_of, *callees_of;
};

struct pipa_callgraph_node {
	/* see analyze/profile/frames.h; both PIPA_NONE: of samples without a stack */
	uint32_t object, symbol;
	struct pipa_weight self, total;
};

struct pipa_callgraph_edge {
	uint32_t from, to; /* nodes */
	bool direct; /* some of the weight is a direct call; otherwise omitted functions are between */
	struct pipa_weight weight;
};

struct pipa_callgraph {
	const struct pipa_profile *profile;
	struct pipa_frames frames;
	struct pipa_callgraph_options o;
	struct {
		/* pruned: by total, heaviest first, then by name */
		struct pipa_callgraph_node *items;
		size_t n, cap;
		struct pipa_index index;
	} nodes;
	struct {
		struct pipa_callgraph_edge *items; /* pruned: heaviest first */
		size_t n, cap;
		struct pipa_index index;
	} edges;
	struct pipa_weight all;		 /* of the event in the profile: base of percentages */
	struct pipa_weight chosen;	 /* of the samples in the graph */
	size_t n_functions;		 /* number of functions before pruning */
	size_t n_calls;			 /* number of edges before pruning */
	uint32_t *class_of;		 /* [frame] its node before pruning */
	uint8_t *marks;			 /* [frame] marks of the options */
	struct pipa_weight *own, *whole; /* [stack] self, and including stacks that extend it */
};

struct pipa_callgraph_limits {
	double min_node, min_edge; /* percent of the selected weight */
	size_t max_nodes;	   /* ranked by total plus three times self; 0: no limit */
};

/* Build the graph. -EINVAL for an invalid expression, or if no function has that name. */
int pipa_callgraph_make(const struct pipa_profile *profile,
			const struct pipa_callgraph_options *options, struct pipa_callgraph *ret,
			struct pipa_error *err);

/*
 * Prune once to the heaviest nodes and edges; of too many nodes, those with the most self weight
 * stay. The heaviest edge to a node always stays, so that the graph stays connected. 0 or -ENOMEM.
 */
int pipa_callgraph_prune(struct pipa_callgraph *graph, const struct pipa_callgraph_limits *limits);

void pipa_callgraph_done(struct pipa_callgraph *graph);

/* Return a weight as a percentage of `all`. */
double pipa_callgraph_percent(const struct pipa_callgraph *graph, uint64_t weight);

static inline void pipa_callgraph_done_auto(struct pipa_callgraph *graph)
{
	pipa_callgraph_done(graph);
}

#endif
