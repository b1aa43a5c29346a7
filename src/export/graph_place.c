/*
 * Where items of a layer are, left to right: the method of Brandes and Koepf. Each item is put in one line
 * with the middle one of its neighbours, such that lines do not cross and the bends of an edge share one;
 * then lines are pushed together. That is done four times, from the top and from the bottom, from the left
 * and from the right; an item is in the middle of the four.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "export/graph_layout_own.h"

struct placing {
	struct pipa_sketch *s;
	bool upwards, mirrored; /* from the bottom, from the right */
	uint32_t *root, *next;	/* [item] of its line: the first item, the one after it (a ring) */
	uint32_t *waits;	/* [root] lines left of it that have no place yet */
	uint32_t *sorted;	/* roots, left before right */
	size_t n_sorted;
	double *x; /* [item], of the four runs one after the other */
};

static uint32_t layer_size(const struct pipa_sketch *s, size_t rank)
{
	return s->layers.start[rank + 1] - s->layers.start[rank];
}

/* The i-th item of a layer, as this run sees it. */
static uint32_t item_at(const struct placing *p, size_t rank, uint32_t i)
{
	const struct pipa_sketch *s = p->s;

	return s->layers
		.items[p->mirrored ? s->layers.start[rank + 1] - 1 - i : s->layers.start[rank] + i];
}

static int64_t place_of(const struct placing *p, uint32_t item)
{
	const struct pipa_sketch *s = p->s;

	return p->mirrored ? (int64_t)layer_size(s, s->rank[item]) - 1 - s->place[item] :
			     s->place[item];
}

/* The next one in its layer, as this run sees it. */
static uint32_t right_of(const struct placing *p, uint32_t item)
{
	const struct pipa_sketch *s = p->s;
	uint32_t i = (uint32_t)place_of(p, item) + 1;

	return i < layer_size(s, s->rank[item]) ? item_at(p, s->rank[item], i) : PIPA_SKETCH_NONE;
}

/* ---- conflicts -------------------------------------------------------------------------------------- */

/* The item above, if a bend is below a bend; else none. */
static uint32_t bend_above(const struct pipa_sketch *s, uint32_t item)
{
	uint32_t first = s->up.start[item];

	if (first == s->up.start[item + 1] || !s->segs[s->up.items[first]].inner)
		return PIPA_SKETCH_NONE;
	return s->segs[s->up.items[first]].top;
}

/* Of a stretch of a layer, between two inner segments: those that leave it upwards cross one of these. */
static void mark_stretch(struct pipa_sketch *s, const uint32_t *items, uint32_t n, uint32_t low,
			 uint32_t high)
{
	uint32_t i, k;

	for (i = 0; i < n; i++)
		for (k = s->up.start[items[i]]; k < s->up.start[items[i] + 1]; k++) {
			struct pipa_sketch_seg *seg = &s->segs[s->up.items[k]];
			uint32_t place = s->place[seg->top];

			seg->conflict |= !seg->inner && (place < low || place > high);
		}
}

/* Segments that cross one that shall be straight give way. */
static void mark_conflicts(struct pipa_sketch *s)
{
	size_t rank;
	uint32_t i, done, low, high;

	for (rank = 1; rank < s->n_ranks; rank++) {
		const uint32_t *items = &s->layers.items[s->layers.start[rank]];
		uint32_t n = layer_size(s, rank);

		for (i = done = low = 0; i < n; i++) {
			uint32_t above = bend_above(s, items[i]);

			if (above == PIPA_SKETCH_NONE && i + 1 < n)
				continue;
			high = above == PIPA_SKETCH_NONE ? layer_size(s, rank - 1) - 1 :
							   s->place[above];
			mark_stretch(s, items + done, i + 1 - done, low, high);
			done = i + 1;
			low = high;
		}
	}
}

/* ---- lines ------------------------------------------------------------------------------------------ */

/* Two that shall be straight and cross each other: the later one has given way. */
static void join(struct placing *p, uint32_t item, uint32_t seg, int64_t *last)
{
	uint32_t other = pipa_sketch_other(&p->s->segs[seg], item);

	if (p->next[item] != item || p->s->segs[seg].conflict || place_of(p, other) <= *last)
		return;
	p->next[other] = item;
	p->root[item] = p->root[other];
	p->next[item] = p->root[item];
	*last = place_of(p, other);
}

static void join_layer(struct placing *p, size_t rank)
{
	const struct pipa_sketch_lists *lists = p->upwards ? &p->s->down : &p->s->up;
	uint32_t i, n = layer_size(p->s, rank);
	int64_t last = -1;

	for (i = 0; i < n; i++) {
		uint32_t item = item_at(p, rank, i), start = lists->start[item];
		uint32_t degree = lists->start[item + 1] - start;

		if (!degree)
			continue;
		join(p, item, lists->items[start + (p->mirrored ? degree / 2 : (degree - 1) / 2)],
		     &last);
		join(p, item, lists->items[start + (p->mirrored ? (degree - 1) / 2 : degree / 2)],
		     &last);
	}
}

static void make_lines(struct placing *p)
{
	uint32_t i;
	size_t rank;

	for (i = 0; i < p->s->n_items; i++)
		p->root[i] = p->next[i] = i;
	for (rank = 1; rank < p->s->n_ranks; rank++)
		join_layer(p, p->upwards ? p->s->n_ranks - 1 - rank : rank);
}

/* ---- pushing together ------------------------------------------------------------------------------- */

/* Lines in an order in which whatever is left of one comes before it. */
static void sort_lines(struct placing *p)
{
	uint32_t i, right, item;
	size_t done;

	memset(p->waits, 0, p->s->n_items * sizeof(*p->waits));
	for (i = 0; i < p->s->n_items; i++) {
		right = right_of(p, i);
		if (right != PIPA_SKETCH_NONE)
			p->waits[p->root[right]]++;
	}
	for (p->n_sorted = 0, i = 0; i < p->s->n_items; i++)
		if (p->root[i] == i && !p->waits[i])
			p->sorted[p->n_sorted++] = i;
	for (done = 0; done < p->n_sorted; done++) {
		item = p->sorted[done];
		do {
			right = right_of(p, item);
			if (right != PIPA_SKETCH_NONE && --p->waits[p->root[right]] == 0)
				p->sorted[p->n_sorted++] = p->root[right];
			item = p->next[item];
		} while (item != p->sorted[done]);
	}
}

/* Edges may be nearer to each other than nodes. */
static double gap_of(const struct pipa_sketch *s, uint32_t item)
{
	return item < s->layout->n_nodes ? s->layout->node_gap : s->layout->node_gap / 3;
}

static double apart(const struct pipa_sketch *s, uint32_t a, uint32_t b)
{
	return (s->width[a] + s->width[b] + gap_of(s, a) + gap_of(s, b)) / 2;
}

/* As far left as what is left of it allows. */
static void push_left(struct placing *p)
{
	size_t i;

	for (i = 0; i < p->n_sorted; i++)
		p->x[p->sorted[i]] = 0;
	for (i = 0; i < p->n_sorted; i++) {
		uint32_t root = p->sorted[i], item = root, right;

		do {
			right = right_of(p, item);
			if (right != PIPA_SKETCH_NONE) {
				double least = p->x[root] + apart(p->s, item, right);

				right = p->root[right];
				p->x[right] = least > p->x[right] ? least : p->x[right];
			}
			item = p->next[item];
		} while (item != root);
	}
}

/* Then towards what is right of it, where there is room. */
static void pull_right(struct placing *p)
{
	size_t i;

	for (i = p->n_sorted; i--;) {
		uint32_t root = p->sorted[i], item = root, right;
		double most = INFINITY;

		do {
			right = right_of(p, item);
			if (right != PIPA_SKETCH_NONE) {
				double own = p->x[p->root[right]] - apart(p->s, item, right);

				most = own < most ? own : most;
			}
			item = p->next[item];
		} while (item != root);
		if (most != INFINITY && most > p->x[root])
			p->x[root] = most;
	}
}

static void run(struct placing *p)
{
	uint32_t i;

	make_lines(p);
	sort_lines(p);
	push_left(p);
	pull_right(p);
	for (i = 0; i < p->s->n_items; i++)
		p->x[i] = p->x[p->root[i]];
	for (i = 0; p->mirrored && i < p->s->n_items; i++)
		p->x[i] = -p->x[i];
}

/* ---- the middle of four ----------------------------------------------------------------------------- */

static void measure(const struct pipa_sketch *s, const double *x, double *ret_low, double *ret_high)
{
	uint32_t i;

	*ret_low = INFINITY;
	*ret_high = -INFINITY;
	for (i = 0; i < s->n_items; i++) {
		double low = x[i] - s->width[i] / 2, high = x[i] + s->width[i] / 2;

		*ret_low = low < *ret_low ? low : *ret_low;
		*ret_high = high > *ret_high ? high : *ret_high;
	}
}

/* The middle two of four numbers, their mean. */
static double middle(const double v[4])
{
	double low = v[0], high = v[0], sum = 0;
	int i;

	for (i = 0; i < 4; i++) {
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
		sum += v[i];
	}
	return (sum - low - high) / 2;
}

/* Put side by side with the narrowest: runs from the left at its left edge, those from the right at its right. */
static void take_middle(struct pipa_sketch *s, const double *x)
{
	double low[4], high[4], shift[4], v[4];
	int run, best = 0;
	uint32_t i;

	for (run = 0; run < 4; run++) {
		measure(s, x + (size_t)run * s->n_items, &low[run], &high[run]);
		if (high[run] - low[run] < high[best] - low[best])
			best = run;
	}
	for (run = 0; run < 4; run++)
		shift[run] = run % 2 ? high[best] - high[run] : low[best] - low[run];
	for (i = 0; i < s->n_items; i++) {
		for (run = 0; run < 4; run++)
			v[run] = x[(size_t)run * s->n_items + i] + shift[run];
		s->x[i] = middle(v);
	}
}

int pipa_sketch_place(struct pipa_sketch *s)
{
	size_t n = s->n_items + 1;
	PIPA_AUTO(free) uint32_t *root = malloc(n * sizeof(*root));
	PIPA_AUTO(free) uint32_t *next = malloc(n * sizeof(*next));
	PIPA_AUTO(free) uint32_t *waits = malloc(n * sizeof(*waits));
	PIPA_AUTO(free) uint32_t *sorted = malloc(n * sizeof(*sorted));
	PIPA_AUTO(free) double *x = malloc(4 * n * sizeof(*x));
	struct placing p = { .s = s, .root = root, .next = next, .waits = waits, .sorted = sorted };
	unsigned int i;

	if (!root || !next || !waits || !sorted || !x)
		return -ENOMEM;
	mark_conflicts(s);
	for (i = 0; i < 4; i++) {
		p.upwards = i / 2;
		p.mirrored = i % 2;
		p.x = x + i * s->n_items;
		run(&p);
	}
	take_middle(s, x);
	return 0;
}
