/* Invariants of the layout of any graph. */
#ifndef PIPA_TESTS_GRAPH_CHECKS_H
#define PIPA_TESTS_GRAPH_CHECKS_H

#include <math.h>
#include <stdio.h>

#include "export/graph/graph_layout.h"

/* Nodes of one layer do not overlap, layers are below each other, all of it is on the paper. */
static inline const char *graph_nodes_wrong(const struct pipa_graph_layout *l)
{
	size_t i, k;

	for (i = 0; i < l->n_nodes; i++) {
		const struct pipa_graph_layout_node *a = &l->nodes[i];

		if (!(a->x - a->width / 2 >= -0.51 && a->x + a->width / 2 <= l->width + 0.51 &&
		      a->y - a->height / 2 >= -0.01 && a->y + a->height / 2 <= l->height + 0.01))
			return "a node is not on the paper";
		for (k = 0; k < i; k++) {
			const struct pipa_graph_layout_node *b = &l->nodes[k];

			if (a->rank == b->rank &&
			    fabs(a->x - b->x) < (a->width + b->width) / 2 + l->node_gap - 1.01)
				return "two nodes of a layer overlap";
			if (a->rank < b->rank && a->y + a->height / 2 >= b->y - b->height / 2)
				return "a layer is not below the one before it";
		}
	}
	return NULL;
}

static inline int graph_touches(const struct pipa_graph_layout_node *node, double x, double y,
				int below)
{
	return fabs(x - node->x) <= node->width / 2 &&
	       fabs(y - (node->y + (below ? node->height : -node->height) / 2)) < 0.01;
}

/* An edge starts and ends at its nodes and goes on downwards, or upwards if marked so. */
static inline const char *graph_edges_wrong(const struct pipa_graph_layout *l)
{
	size_t i, k;

	for (i = 0; i < l->n_edges; i++) {
		const struct pipa_graph_layout_edge *edge = &l->edges[i];
		const struct pipa_graph_layout_point *points = l->points + edge->first;

		if (edge->from == edge->to) {
			if (edge->n)
				return "an edge to itself has points";
			continue;
		}
		if (edge->n < 4 || edge->n % 2 || edge->first + edge->n > l->n_points)
			return "an edge has no pairs of points";
		if (!graph_touches(&l->nodes[edge->from], points[0].x, points[0].y,
				   !edge->upwards) ||
		    !graph_touches(&l->nodes[edge->to], points[edge->n - 1].x,
				   points[edge->n - 1].y, edge->upwards))
			return "an edge does not end at its nodes";
		for (k = 1; k < edge->n; k++) {
			if ((points[k].y < points[k - 1].y) != edge->upwards &&
			    points[k].y != points[k - 1].y)
				return "an edge turns back";
			if (k % 2 && points[k].x != points[k - 1].x)
				return "a pair of points is not one above the other";
		}
	}
	return NULL;
}

#endif
