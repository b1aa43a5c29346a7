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
	uint32_t event;	   /* PIPA_NONE: all; samples whose event has no name are of any */
	const char *comms; /* only these, comma-separated; NULL: all */
	const char *focus; /* only stacks with a function that matches the expression; NULL: all */
	/* only callers or callees of this function; its parameters may be omitted */
	const char *callers_of, *callees_of;
};

struct pipa_callgraph_node {
	uint32_t object,
		symbol; /* see analyze/profile/frames.h; both PIPA_NONE: of samples without a stack */
	struct pipa_weight self, total;
};

struct pipa_callgraph_edge {
	uint32_t from, to; /* nodes */
	bool direct;	   /* some of it is a call; else functions that are not shown are between */
	struct pipa_weight weight;
};

struct pipa_callgraph {
	const struct pipa_profile *profile;
	struct pipa_frames frames;
	struct pipa_callgraph_options o;
	struct {
		struct pipa_callgraph_node
			*items; /* pruned: by total, heaviest first, then by name */
		size_t n, cap;
		struct pipa_index index;
	} nodes;
	struct {
		struct pipa_callgraph_edge *items; /* pruned: heaviest first */
		size_t n, cap;
		struct pipa_index index;
	} edges;
	struct pipa_weight all;	   /* of the event in the whole profile: percentages are of this */
	struct pipa_weight chosen; /* of the samples that it is made of */
	size_t n_functions;	   /* before it was pruned, */
	size_t n_calls;		   /* and how many edges it had */
	uint32_t *class_of;	   /* [frame] its node before it was pruned */
	uint8_t *marks;		   /* [frame] what the options say of it */
	struct pipa_weight *own, *whole; /* [stack] that ended there; and with all stacks above */
};

struct pipa_callgraph_limits {
	double min_node, min_edge; /* percent of the selected weight */
	size_t max_nodes;	   /* by total and three times self; 0: no such limit */
};

/* -EINVAL for an invalid expression, or if no function has that name. */
int pipa_callgraph_make(const struct pipa_profile *profile,
			const struct pipa_callgraph_options *options, struct pipa_callgraph *ret,
			struct pipa_error *err);

/*
 * Leave the heaviest nodes and edges, once; of too many nodes those with the most of their own. The heaviest edge to a node stays, whatever it weighs, so that
 * what belongs together hangs together. 0 or -ENOMEM.
 */
int pipa_callgraph_prune(struct pipa_callgraph *graph, const struct pipa_callgraph_limits *limits);

void pipa_callgraph_done(struct pipa_callgraph *graph);

/* A part of what percents are of. */
double pipa_callgraph_percent(const struct pipa_callgraph *graph, uint64_t weight);

static inline void pipa_callgraph_done_auto(struct pipa_callgraph *graph)
{
	pipa_callgraph_done(graph);
}

#endif
