/*
 * Where items of a layer are, left to right. Edges are springs, heavy ones and those through bends strong
 * ones: each layer in turn goes to where the springs to the layers above and below pull it, as far as its
 * order and the room that its items need allow. For one layer the best answer is exact and found in one
 * pass (neighbours that would overlap move as one); some passes over all layers come near it for the whole.
 * Then whatever is nearly straight is made so.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "export/graph/graph_layout_own.h"

#define SWEEPS 60
#define WORK 12000000  /* items and segments looked at, in all */
#define MAIN_SHARE 0.6 /* of what goes out of a node: the edge goes straight down if it can */

/* Items that touch: they move as one. */
struct block {
	double weight, sum; /* of what pulls, and of where to, each by its weight */
	uint32_t last;	    /* item's place in the layer */
};

struct placing {
	struct pipa_sketch *s;
	struct block *blocks; /* as many as the largest layer has items */
	double *offset;	      /* [place] of an item if all of the layer stood as close as it can */
};

static uint32_t layer_size(const struct pipa_sketch *s, size_t rank)
{
	return s->layers.start[rank + 1] - s->layers.start[rank];
}

static bool is_bend(const struct pipa_sketch *s, uint32_t item)
{
	return item >= s->layout->n_nodes;
}

/* Edges may be nearer to each other than nodes. */
static double apart(const struct pipa_sketch *s, uint32_t a, uint32_t b)
{
	double gap = s->layout->node_gap;

	return (s->width[a] + s->width[b] + (is_bend(s, a) ? gap / 3 : gap) +
		(is_bend(s, b) ? gap / 3 : gap)) /
	       2;
}

/* ---- springs ---------------------------------------------------------------------------------------- */

static double strength(const struct pipa_sketch *s, const struct pipa_sketch_seg *seg)
{
	double bends = (is_bend(s, seg->top) ? 1.0 : 0.0) + (is_bend(s, seg->bottom) ? 1.0 : 0.0);

	return (0.2 + 10 * seg->weight) * (bends > 1 ? 8 : bends > 0 ? 2 : 1);
}

static void pull(const struct pipa_sketch *s, const struct pipa_sketch_lists *lists, uint32_t item,
		 struct block *to)
{
	uint32_t k;

	for (k = lists->start[item]; k < lists->start[item + 1]; k++) {
		const struct pipa_sketch_seg *seg = &s->segs[lists->items[k]];
		double own = strength(s, seg);

		to->weight += own;
		to->sum += own * s->x[pipa_sketch_other(seg, item)];
	}
}

/* The layer as close as it can stand, around 0. */
static void find_offsets(const struct placing *p, size_t rank)
{
	const struct pipa_sketch *s = p->s;
	const uint32_t *items = s->layers.items + s->layers.start[rank];
	uint32_t i, n = layer_size(s, rank);

	for (i = 0; i < n; i++)
		p->offset[i] = i ? p->offset[i - 1] + apart(s, items[i - 1], items[i]) : 0;
	for (i = 0; i < n; i++)
		p->offset[i] -= p->offset[n - 1] / 2;
}

static double middle_of(const struct block *block)
{
	return block->sum / block->weight;
}

/*
 * Less their offsets, items of a layer may only rise from left to right: those that would not are put
 * together to blocks, which go to the middle of what pulls at them.
 */
static void settle(const struct placing *p, size_t rank)
{
	struct pipa_sketch *s = p->s;
	const uint32_t *items = s->layers.items + s->layers.start[rank];
	uint32_t i, n = layer_size(s, rank), n_blocks = 0, k;

	find_offsets(p, rank);
	for (i = 0; i < n; i++) {
		/* who is pulled by nobody stays where it is, without force */
		struct block new = { 1e-4, 1e-4 * s->x[items[i]], i };

		pull(s, &s->up, items[i], &new);
		pull(s, &s->down, items[i], &new);
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

static void pack(const struct placing *p)
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

static void sweep(const struct placing *p)
{
	const struct pipa_sketch *s = p->s;
	size_t cost = s->n_items + 2 * s->n_segs + 1, i, rank;

	for (i = 0; i < SWEEPS && i * cost < WORK; i++)
		for (rank = 0; rank < s->n_ranks; rank++)
			settle(p, i % 2 ? s->n_ranks - 1 - rank : rank);
}

/* ---- straight lines --------------------------------------------------------------------------------- */

/* How far an item can go to either side. */
static void find_room(const struct pipa_sketch *s, uint32_t item, double *low, double *high)
{
	uint32_t first = s->layers.start[s->rank[item]], last = s->layers.start[s->rank[item] + 1];
	uint32_t at = first + s->place[item], other;

	if (at > first) {
		other = s->layers.items[at - 1];
		*low = fmax(*low, s->x[other] + apart(s, other, item));
	}
	if (at + 1 < last) {
		other = s->layers.items[at + 1];
		*high = fmin(*high, s->x[other] - apart(s, item, other));
	}
}

/* The bends of an edge one below the other, or at least as many of them in a row as can be. */
static void straighten(struct pipa_sketch *s, uint32_t first, uint32_t n)
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

/* The segment of a list that is the heaviest, and what all of them weigh. */
static const struct pipa_sketch_seg *heaviest(const struct pipa_sketch *s,
					      const struct pipa_sketch_lists *lists, uint32_t item,
					      double *ret_sum)
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

/* Below the caller that it has most from, if that calls it more than others. */
static void align(struct pipa_sketch *s, uint32_t item)
{
	double in, out, low = -INFINITY, high = INFINITY;
	const struct pipa_sketch_seg *seg = heaviest(s, &s->up, item, &in);

	if (is_bend(s, item) || !seg || heaviest(s, &s->down, seg->top, &out) != seg ||
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
		straighten(s, s->bend[i], l->nodes[bottom].rank - l->nodes[top].rank - 1);
	}
	for (i = 0; i < s->n_items; i++)
		align(s, s->layers.items[i]);
}

int pipa_sketch_place(struct pipa_sketch *s)
{
	PIPA_AUTO(free) struct block *blocks = malloc((s->n_items + 1) * sizeof(*blocks));
	PIPA_AUTO(free) double *offset = malloc((s->n_items + 1) * sizeof(*offset));
	struct placing p = { s, blocks, offset };

	if (!blocks || !offset)
		return -ENOMEM;
	pack(&p);
	sweep(&p);
	make_straight(s);
	return 0;
}
