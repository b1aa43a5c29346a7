/*
 * Horizontal positions of items. Edges act as springs; heavy edges and those between bends are
 * stronger. Each layer in turn moves to where the springs to the layers above and below pull it,
 * within its order and the width of its items. For one layer the optimum is exact and found in one
 * pass (overlapping neighbours move as one block); several passes over all layers approximate the
 * optimum for the graph. Afterwards edges that are nearly straight are made straight.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "export/graph/graph_layout_own.h"

#define SWEEPS 60
#define WORK 12000000 /* items and segments visited, in all */
#define MAIN_SHARE                                                                                 \
	0.6 /* share of a node's outgoing weight: the edge goes straight down if possible */

/* Items that touch and move together. */
struct block {
	double weight, sum; /* sum of spring weights, and of weight times target */
	uint32_t last;	    /* index of its last item in the layer */
};

struct placing {
	struct pipa_sketch *s;
	struct block *blocks; /* as many as the largest layer has items */
	double *offset; /* [position] offset of an item in the tightest packing of the layer */
};

static uint32_t layer_size(const struct pipa_sketch *s, size_t rank)
{
	return s->layers.start[rank + 1] - s->layers.start[rank];
}

static bool is_bend(const struct pipa_sketch *s, uint32_t item)
{
	return item >= s->layout->n_nodes;
}

/* Return the minimum distance of two items. Bends may be closer than nodes. */
static double minimum_distance(const struct pipa_sketch *s, uint32_t a, uint32_t b)
{
	double gap = s->layout->node_gap;

	return (s->width[a] + s->width[b] + (is_bend(s, a) ? gap / 3 : gap) +
		(is_bend(s, b) ? gap / 3 : gap)) /
	       2;
}

/* ---- springs ---------------------------------------------------------------------------------------- */

static double spring_strength(const struct pipa_sketch *s, const struct pipa_sketch_seg *seg)
{
	double bends = (is_bend(s, seg->top) ? 1.0 : 0.0) + (is_bend(s, seg->bottom) ? 1.0 : 0.0);

	return (0.2 + 10 * seg->weight) * (bends > 1 ? 8 : bends > 0 ? 2 : 1);
}

static void add_spring_pull(const struct pipa_sketch *s, const struct pipa_sketch_lists *lists,
			    uint32_t item, struct block *to)
{
	uint32_t k;

	for (k = lists->start[item]; k < lists->start[item + 1]; k++) {
		const struct pipa_sketch_seg *seg = &s->segs[lists->items[k]];
		double own = spring_strength(s, seg);

		to->weight += own;
		to->sum += own * s->x[pipa_sketch_other(seg, item)];
	}
}

/* Compute the tightest packing of a layer around 0. */
static void find_offsets(const struct placing *p, size_t rank)
{
	const struct pipa_sketch *s = p->s;
	const uint32_t *items = s->layers.items + s->layers.start[rank];
	uint32_t i, n = layer_size(s, rank);

	for (i = 0; i < n; i++)
		p->offset[i] = i ? p->offset[i - 1] + minimum_distance(s, items[i - 1], items[i]) :
				   0;
	for (i = 0; i < n; i++)
		p->offset[i] -= p->offset[n - 1] / 2;
}

static double middle_of(const struct block *block)
{
	return block->sum / block->weight;
}

/*
 * Place the items of a layer. After subtracting the offsets, positions must not decrease from left
 * to right: items that would violate this are merged into blocks, which move to the weighted mean
 * of their targets.
 */
static void place_layer(const struct placing *p, size_t rank)
{
	struct pipa_sketch *s = p->s;
	const uint32_t *items = s->layers.items + s->layers.start[rank];
	uint32_t i, n = layer_size(s, rank), n_blocks = 0, k;

	find_offsets(p, rank);
	for (i = 0; i < n; i++) {
		/* an item without springs keeps its position, with negligible weight */
		struct block new = { 1e-4, 1e-4 * s->x[items[i]], i };

		add_spring_pull(s, &s->up, items[i], &new);
		add_spring_pull(s, &s->down, items[i], &new);
		new.sum -= new.weight * p->offset[i];
		for (; n_blocks && middle_of(&p->blocks[n_blocks - 1]) >= middle_of(&new);
		     n_blocks--) {
			new.weight += p->blocks[n_blocks - 1].weight;
			new.sum += p->blocks[n_blocks - 1].sum;
		}
		p->blocks[n_blocks++] = new;
	}
	for (i = k = 0; i < n; i++) {
		k += i > p->blocks[k].last;
		s->x[items[i]] = middle_of(&p->blocks[k]) + p->offset[i];
	}
}

static void place_all_layers(const struct placing *p)
{
	struct pipa_sketch *s = p->s;
	size_t rank;
	uint32_t i;

	for (rank = 0; rank < s->n_ranks; rank++) {
		find_offsets(p, rank);
		for (i = 0; i < layer_size(s, rank); i++)
			s->x[s->layers.items[s->layers.start[rank] + i]] = p->offset[i];
	}
}

static void sweep_layers(const struct placing *p)
{
	const struct pipa_sketch *s = p->s;
	size_t cost = s->n_items + 2 * s->n_segs + 1, i, rank;

	for (i = 0; i < SWEEPS && i * cost < WORK; i++)
		for (rank = 0; rank < s->n_ranks; rank++)
			place_layer(p, i % 2 ? s->n_ranks - 1 - rank : rank);
}

/* ---- straight lines --------------------------------------------------------------------------------- */

/* Compute how far an item can move to either side. */
static void find_room(const struct pipa_sketch *s, uint32_t item, double *low, double *high)
{
	uint32_t first = s->layers.start[s->rank[item]], last = s->layers.start[s->rank[item] + 1];
	uint32_t at = first + s->place[item], other;

	if (at > first) {
		other = s->layers.items[at - 1];
		*low = fmax(*low, s->x[other] + minimum_distance(s, other, item));
	}
	if (at + 1 < last) {
		other = s->layers.items[at + 1];
		*high = fmin(*high, s->x[other] - minimum_distance(s, item, other));
	}
}

/* Align the bends of an edge vertically, or the longest possible runs of them. */
static void straighten_edge(struct pipa_sketch *s, uint32_t first, uint32_t n)
{
	uint32_t start, end, i;

	for (start = 0; start < n; start = end) {
		double low = -INFINITY, high = INFINITY, sum = 0;

		for (end = start; end < n; end++) {
			double l = low, h = high;

			find_room(s, first + end, &l, &h);
			if (l > h && end > start)
				break;
			low = l;
			high = h;
			sum += s->x[first + end];
		}
		for (i = start; i < end && low <= high; i++)
			s->x[first + i] = fmin(fmax(sum / (end - start), low), high);
	}
}

/* Return the heaviest segment of a list, and the sum of all weights. */
static const struct pipa_sketch_seg *heaviest_segment(const struct pipa_sketch *s,
						      const struct pipa_sketch_lists *lists,
						      uint32_t item, double *ret_sum)
{
	const struct pipa_sketch_seg *best = NULL;
	uint32_t k;

	*ret_sum = 0;
	for (k = lists->start[item]; k < lists->start[item + 1]; k++) {
		const struct pipa_sketch_seg *seg = &s->segs[lists->items[k]];

		*ret_sum += seg->weight;
		best = !best || seg->weight > best->weight ? seg : best;
	}
	return best;
}

/* Move an item below its heaviest caller, if that caller has most of its weight. */
static void align_with_caller(struct pipa_sketch *s, uint32_t item)
{
	double in, out, low = -INFINITY, high = INFINITY;
	const struct pipa_sketch_seg *seg = heaviest_segment(s, &s->up, item, &in);

	if (is_bend(s, item) || !seg || heaviest_segment(s, &s->down, seg->top, &out) != seg ||
	    seg->weight < MAIN_SHARE * out)
		return;
	find_room(s, item, &low, &high);
	if (s->x[seg->top] >= low && s->x[seg->top] <= high)
		s->x[item] = s->x[seg->top];
}

static void make_straight(struct pipa_sketch *s)
{
	const struct pipa_graph_layout *l = s->layout;
	uint32_t i, top, bottom;

	for (i = 0; i < l->n_edges; i++) {
		if (s->seg[i] == PIPA_SKETCH_NONE)
			continue;
		top = s->turned[i] ? l->edges[i].to : l->edges[i].from;
		bottom = s->turned[i] ? l->edges[i].from : l->edges[i].to;
		straighten_edge(s, s->bend[i], l->nodes[bottom].rank - l->nodes[top].rank - 1);
	}
	for (i = 0; i < s->n_items; i++)
		align_with_caller(s, s->layers.items[i]);
}

int pipa_sketch_place(struct pipa_sketch *s)
{
	PIPA_AUTO(free) struct block *blocks = malloc((s->n_items + 1) * sizeof(*blocks));
	PIPA_AUTO(free) double *offset = malloc((s->n_items + 1) * sizeof(*offset));
	struct placing p = { s, blocks, offset };

	if (!blocks || !offset)
		return -ENOMEM;
	place_all_layers(&p);
	sweep_layers(&p);
	make_straight(s);
	return 0;
}
