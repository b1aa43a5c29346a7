/*
 * Assign nodes to layers. Edges that close a cycle are reversed. Then each node goes as high as its
 * callers allow, then towards its neighbours, and layers that are too wide move their least
 * important nodes to the next layer.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "export/graph/graph_layout_own.h"

#define SWEEPS 8
#define LEAST_WIDTH 1400.0 /* width allowed for any layer */

struct ranking {
	struct pipa_sketch *s;
	struct pipa_graph_layout *l;
	struct pipa_sketch_lists out, in; /* [node] edges, after reversal */
	uint32_t *sorted;		  /* nodes, callers before callees */
	uint32_t *rank;
	bool *moved; /* [node] moved to the next layer because its own was too wide */
};

/* Return the upper end of an edge as it is drawn. */
static uint32_t top_of(const struct ranking *r, uint32_t edge)
{
	return r->s->turned[edge] ? r->l->edges[edge].to : r->l->edges[edge].from;
}

static uint32_t bottom_of(const struct ranking *r, uint32_t edge)
{
	return r->s->turned[edge] ? r->l->edges[edge].from : r->l->edges[edge].to;
}

static bool is_loop(const struct ranking *r, uint32_t edge)
{
	return r->l->edges[edge].from == r->l->edges[edge].to;
}

/* List edges by one of their ends, in order. */
static void list_edges(const struct ranking *r, bool by_top, struct pipa_sketch_lists *lists)
{
	uint32_t i, n = (uint32_t)r->l->n_nodes, m = (uint32_t)r->l->n_edges;

	memset(lists->start, 0, (n + 2) * sizeof(*lists->start));
	for (i = 0; i < m; i++)
		if (!is_loop(r, i))
			lists->start[(by_top ? top_of(r, i) : bottom_of(r, i)) + 2]++;
	for (i = 0; i < n; i++)
		lists->start[i + 2] += lists->start[i + 1];
	for (i = 0; i < m; i++)
		if (!is_loop(r, i))
			lists->items[lists->start[(by_top ? top_of(r, i) : bottom_of(r, i)) +
						  1]++] = i;
}

/* ---- cycles ----------------------------------------------------------------------------------------- */

enum { NEW, OPEN, DONE };

/*
 * Walk depth first along the edges from a node; reverse those that lead back to a node on the path.
 */
static void walk_from(struct ranking *r, uint32_t node, uint8_t *state, uint32_t *next,
		      uint32_t *path)
{
	size_t depth = 0;

	path[depth++] = node;
	state[node] = OPEN;
	while (depth) {
		uint32_t at = path[depth - 1], edge, to;

		if (next[at] == r->out.start[at + 1]) {
			state[at] = DONE;
			depth--;
			continue;
		}
		edge = r->out.items[next[at]++];
		to = r->l->edges[edge].to;
		if (state[to] == OPEN)
			r->s->turned[edge] = true;
		if (state[to] != NEW)
			continue;
		state[to] = OPEN;
		path[depth++] = to;
	}
}

/*
 * Reverse the edges that close cycles. Walks start at nodes without callers, then at the heaviest
 * unvisited nodes.
 */
static int turn_edges(struct ranking *r)
{
	size_t n = r->l->n_nodes;
	PIPA_AUTO(free) uint8_t *state = calloc(n + 1, sizeof(*state));
	PIPA_AUTO(free) uint32_t *next = malloc((n + 1) * sizeof(*next));
	PIPA_AUTO(free) uint32_t *path = malloc((n + 1) * sizeof(*path));
	uint32_t i;

	if (!state || !next || !path)
		return -ENOMEM;
	memcpy(next, r->out.start, (n + 1) * sizeof(*next));
	for (i = 0; i < n; i++)
		if (r->in.start[i] == r->in.start[i + 1])
			walk_from(r, i, state, next, path);
	for (i = 0; i < n; i++)
		if (state[i] == NEW)
			walk_from(r, i, state, next, path);
	return 0;
}

/* ---- layers ----------------------------------------------------------------------------------------- */

/* Move each node at least one layer below each of its callers. */
static void push_down(struct ranking *r)
{
	uint32_t i, k;

	for (i = 0; i < r->l->n_nodes; i++) {
		uint32_t node = r->sorted[i];

		for (k = r->in.start[node]; k < r->in.start[node + 1]; k++) {
			uint32_t above = r->rank[top_of(r, r->in.items[k])];

			if (r->rank[node] <= above)
				r->rank[node] = above + 1;
		}
	}
}

/* Sort nodes topologically. */
static int sort_nodes(struct ranking *r)
{
	uint32_t i, k, n = (uint32_t)r->l->n_nodes, done = 0, found = 0;
	PIPA_AUTO(free) uint32_t *waits = malloc((n + 1) * sizeof(*waits));

	if (!waits)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		waits[i] = r->in.start[i + 1] - r->in.start[i];
		if (!waits[i])
			r->sorted[found++] = i;
	}
	for (; done < found; done++)
		for (k = r->out.start[r->sorted[done]]; k < r->out.start[r->sorted[done] + 1];
		     k++) {
			uint32_t to = bottom_of(r, r->out.items[k]);

			if (--waits[to] == 0)
				r->sorted[found++] = to;
		}
	return 0;
}

/*
 * Move a node to where its weighted edge length is smallest, within the limits set by its
 * neighbours.
 */
static void shorten_edges(struct ranking *r, uint32_t node)
{
	double pull = 0;
	uint32_t k, low = 0, high = UINT32_MAX;

	for (k = r->in.start[node]; k < r->in.start[node + 1]; k++) {
		uint32_t above = r->rank[top_of(r, r->in.items[k])] + 1;

		low = above > low ? above : low;
		pull -= 1 + 8 * r->l->edges[r->in.items[k]].weight;
	}
	for (k = r->out.start[node]; k < r->out.start[node + 1]; k++) {
		uint32_t below = r->rank[bottom_of(r, r->out.items[k])] - 1;

		high = below < high ? below : high;
		pull += 1 + 8 * r->l->edges[r->out.items[k]].weight;
	}
	if (pull < 0)
		r->rank[node] = low;
	else if (pull > 0 && high != UINT32_MAX)
		r->rank[node] = high;
}

static bool is_leaf(const struct ranking *r, uint32_t node)
{
	return r->out.start[node] == r->out.start[node + 1];
}

static bool is_isolated(const struct ranking *r, uint32_t node)
{
	return is_leaf(r, node) && r->in.start[node] == r->in.start[node + 1];
}

/* Return the width allowed for layers: the image should be somewhat wider than high. */
static double allowed_width(const struct ranking *r)
{
	const struct pipa_graph_layout *l = r->l;
	double area = 0, width;
	size_t i;

	for (i = 0; i < l->n_nodes; i++)
		area += (l->nodes[i].width + l->node_gap) * (l->nodes[i].height + l->rank_gap);
	width = sqrt(2 * area);
	return width > LEAST_WIDTH ? width : LEAST_WIDTH;
}

/*
 * Move nodes that do not fit into a layer to the next. Of leaves, every other one moves, and only
 * once: the edges to the lower ones pass between the upper ones, and more rows would not be
 * narrower.
 */
static bool narrow_layer(struct ranking *r, const uint32_t *nodes, size_t n, double most)
{
	bool any = false, other = false;
	double width = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t node = nodes[i];
		double own = r->l->nodes[node].width + r->l->node_gap;
		bool goes;

		if (is_leaf(r, node)) {
			goes = other && !r->moved[node];
			other = !other && !r->moved[node];
		} else {
			width += own;
			goes = width > most && width > own;
		}
		r->rank[node] += goes;
		r->moved[node] |= goes;
		any |= goes;
	}
	return any;
}

/* Measure the width of each layer without isolated nodes; returns the number of layers. */
static uint32_t measure_layers(const struct ranking *r, double *widths)
{
	uint32_t i, n = 0;

	memset(widths, 0, (r->l->n_nodes + 1) * sizeof(*widths));
	for (i = 0; i < r->l->n_nodes; i++) {
		if (is_isolated(r, i))
			continue;
		widths[r->rank[i]] += r->l->nodes[i].width + r->l->node_gap;
		n = r->rank[i] >= n ? r->rank[i] + 1 : n;
	}
	return n;
}

/*
 * Narrow layers that are too wide. No layer is empty before or after, so there are never more
 * layers than nodes.
 */
static uint32_t narrow_layers(struct ranking *r, double most, double *widths, uint32_t *layer)
{
	uint32_t rank, i, n_ranks = measure_layers(r, widths);

	for (rank = 0; rank < n_ranks; rank++) {
		size_t n = 0;

		if (widths[rank] <= most)
			continue;
		for (i = 0; i < r->l->n_nodes; i++)
			if (r->rank[i] == rank && !is_isolated(r, i))
				layer[n++] = i;
		if (!narrow_layer(r, layer, n, most))
			continue;
		push_down(r);
		n_ranks = measure_layers(r, widths);
	}
	return n_ranks;
}

/* Place isolated nodes in rows below all others. */
static void place_isolated(struct ranking *r, uint32_t rank, double most)
{
	double width = 0;
	uint32_t i;

	for (i = 0; i < r->l->n_nodes; i++) {
		double own = r->l->nodes[i].width + r->l->node_gap;

		if (!is_isolated(r, i))
			continue;
		if (width > 0 && width + own > most) {
			rank++;
			width = 0;
		}
		r->rank[i] = rank;
		width += own;
	}
}

/* Remove empty layers. */
static void close_gaps(struct ranking *r, uint32_t *numbers)
{
	uint32_t i, n = 0, most = 0;

	for (i = 0; i < r->l->n_nodes; i++)
		most = !is_isolated(r, i) && r->rank[i] > most ? r->rank[i] : most;
	memset(numbers, 0, (most + 1) * sizeof(*numbers));
	for (i = 0; i < r->l->n_nodes; i++)
		if (!is_isolated(r, i))
			numbers[r->rank[i]] = 1;
	for (i = 0; i <= most; i++) {
		bool used = numbers[i];

		numbers[i] = n;
		n += used;
	}
	for (i = 0; i < r->l->n_nodes; i++)
		if (!is_isolated(r, i))
			r->rank[i] = numbers[r->rank[i]];
}

static int assign_layers(struct ranking *r)
{
	uint32_t n = (uint32_t)r->l->n_nodes, i, sweep;
	PIPA_AUTO(free) double *widths = malloc((n + 1) * sizeof(*widths));
	PIPA_AUTO(free) uint32_t *scratch = malloc((n + 1) * sizeof(*scratch));
	double most = allowed_width(r);

	if (!widths || !scratch)
		return -ENOMEM;
	memset(r->rank, 0, n * sizeof(*r->rank));
	push_down(r);
	for (sweep = 0; sweep < SWEEPS; sweep++)
		for (i = 0; i < n; i++)
			shorten_edges(r, r->sorted[sweep % 2 ? i : n - 1 - i]);
	close_gaps(r, scratch);
	place_isolated(r, narrow_layers(r, most, widths, scratch), most);
	return 0;
}

static int rank_nodes(struct ranking *r)
{
	int rc;

	list_edges(r, true, &r->out);
	list_edges(r, false, &r->in);
	rc = turn_edges(r);
	if (rc < 0)
		return rc;
	list_edges(r, true, &r->out);
	list_edges(r, false, &r->in);
	rc = sort_nodes(r);
	return rc < 0 ? rc : assign_layers(r);
}

int pipa_sketch_rank(struct pipa_sketch *s)
{
	size_t n = s->layout->n_nodes + 2, m = s->layout->n_edges + 1;
	struct ranking r = { .s = s, .l = s->layout };
	uint32_t i;
	int rc;

	r.out.start = malloc(n * sizeof(*r.out.start));
	r.out.items = malloc(m * sizeof(*r.out.items));
	r.in.start = malloc(n * sizeof(*r.in.start));
	r.in.items = malloc(m * sizeof(*r.in.items));
	r.sorted = malloc(n * sizeof(*r.sorted));
	r.rank = malloc(n * sizeof(*r.rank));
	r.moved = calloc(n, sizeof(*r.moved));
	rc = r.out.start && r.out.items && r.in.start && r.in.items && r.sorted && r.rank &&
			     r.moved ?
		     rank_nodes(&r) :
		     -ENOMEM;
	for (i = 0; !rc && i < s->layout->n_nodes; i++)
		s->layout->nodes[i].rank = r.rank[i];
	free(r.out.start);
	free(r.out.items);
	free(r.in.start);
	free(r.in.items);
	free(r.sorted);
	free(r.rank);
	free(r.moved);
	return rc;
}
