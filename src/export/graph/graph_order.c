/*
 * Order of items within layers. Each layer is sorted by the mean position of its neighbours above,
 * then, from the bottom up, of its neighbours below; the order with the fewest crossings is used.
 * In small graphs, neighbours are then swapped where that saves crossings. Nodes of a group go to
 * their mean position, and only edges may separate them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "export/graph/graph_layout_own.h"

#define SWEEPS 24
#define WORK 10000000 /* items and segments visited in sweeps, in all */
#define SMALL 4000    /* maximum segments for swapping neighbours */
#define ROUNDS 12     /* of swapping */

struct ordering {
	struct pipa_sketch *s;
	double *key;	 /* [item] desired position */
	double *common;	 /* [item] desired position of its group */
	double *sums;	 /* [group] sum of keys, while a layer is sorted */
	uint32_t *sizes; /* [group] number of nodes, likewise */
	bool grouped;	 /* the layer has several groups */
	uint32_t *best;	 /* [item] positions of the best order */
	uint32_t *tally; /* [position + 1] of a layer: a Fenwick tree of counts */
	uint64_t fewest;
};

static uint32_t layer_size(const struct pipa_sketch *s, size_t rank)
{
	return s->layers.start[rank + 1] - s->layers.start[rank];
}

static uint32_t group_of(const struct pipa_sketch *s, uint32_t item)
{
	return item < s->layout->n_nodes ? s->layout->nodes[item].group : 0;
}

/* ---- lists ------------------------------------------------------------------------------------------ */

/* Fill the lists of one side by iterating over the other side, whose items are in order. */
static void refill_lists(struct pipa_sketch *s, const struct pipa_sketch_lists *from,
			 struct pipa_sketch_lists *to)
{
	uint32_t i, k;

	memcpy(s->cursor, to->start, s->n_items * sizeof(*s->cursor));
	for (i = 0; i < s->n_items; i++) {
		uint32_t item = s->layers.items[i];

		for (k = from->start[item]; k < from->start[item + 1]; k++) {
			uint32_t seg = from->items[k];

			to->items[s->cursor[pipa_sketch_other(&s->segs[seg], item)]++] = seg;
		}
	}
}

void pipa_sketch_sort_lists(struct pipa_sketch *s)
{
	uint32_t i;

	for (i = 0; i < s->n_items; i++)
		s->layers.items[s->layers.start[s->rank[i]] + s->place[i]] = i;
	refill_lists(s, &s->down, &s->up);
	refill_lists(s, &s->up, &s->down);
}

/* ---- crossings -------------------------------------------------------------------------------------- */

/*
 * Count crossings between a layer and the next: for each segment, the earlier ones that end further
 * right.
 */
static uint64_t count_layer(struct ordering *o, size_t rank)
{
	const struct pipa_sketch *s = o->s;
	uint32_t size = layer_size(s, rank + 1), i, k, at;
	uint64_t n = 0, seen = 0;

	memset(o->tally, 0, (size + 1) * sizeof(*o->tally));
	for (i = s->layers.start[rank]; i < s->layers.start[rank + 1]; i++) {
		uint32_t item = s->layers.items[i];

		for (k = s->down.start[item]; k < s->down.start[item + 1]; k++) {
			uint64_t before = 0;
			uint32_t place = s->place[s->segs[s->down.items[k]].bottom] + 1;

			for (at = place; at; at &= at - 1)
				before += o->tally[at];
			n += seen - before;
			for (at = place; at <= size; at += at & -at)
				o->tally[at]++;
			seen++;
		}
	}
	return n;
}

static uint64_t count_all(struct ordering *o)
{
	uint64_t n = 0;
	size_t rank;

	for (rank = 0; rank + 1 < o->s->n_ranks; rank++)
		n += count_layer(o, rank);
	return n;
}

static void save_best_order(struct ordering *o)
{
	uint64_t crossings;

	pipa_sketch_sort_lists(o->s);
	crossings = count_all(o);
	if (crossings >= o->fewest)
		return;
	o->fewest = crossings;
	memcpy(o->best, o->s->place, o->s->n_items * sizeof(*o->best));
}

/* ---- the first order -------------------------------------------------------------------------------- */

/* Number items depth first along the segments, so that connected items are adjacent. */
static void walk_from(struct pipa_sketch *s, uint32_t item, bool *met, uint32_t *filled,
		      uint32_t *path)
{
	size_t depth = 0;
	uint32_t k;

	path[depth++] = item;
	met[item] = true;
	while (depth) {
		item = path[--depth];
		s->place[item] = filled[s->rank[item]]++;
		for (k = s->down.start[item + 1]; k-- > s->down.start[item];) {
			uint32_t to = s->segs[s->down.items[k]].bottom;

			if (met[to])
				continue;
			met[to] = true;
			path[depth++] = to;
		}
	}
}

static int order_first(struct pipa_sketch *s)
{
	PIPA_AUTO(free) bool *met = calloc(s->n_items + 1, sizeof(*met));
	PIPA_AUTO(free) uint32_t *filled = calloc(s->n_ranks + 1, sizeof(*filled));
	PIPA_AUTO(free) uint32_t *path = malloc((s->n_items + 1) * sizeof(*path));
	uint32_t i;

	if (!met || !filled || !path)
		return -ENOMEM;
	for (i = 0; i < s->n_items; i++)
		if (s->up.start[i] == s->up.start[i + 1])
			walk_from(s, i, met, filled, path);
	return 0;
}

/* ---- sweeps ----------------------------------------------------------------------------------------- */

/* Compute the desired positions of groups. Not needed for a layer with one group. */
static void find_common(struct ordering *o, const uint32_t *items, uint32_t n)
{
	uint32_t i, g, groups = 0;

	for (i = 0; i < n; i++) {
		g = group_of(o->s, items[i]);
		groups += !o->sizes[g];
		o->sizes[g]++;
		o->sums[g] += o->key[items[i]];
	}
	o->grouped = groups > 1U + (o->sizes[0] > 0);
	for (i = 0; i < n; i++) {
		g = group_of(o->s, items[i]);
		o->common[items[i]] = g && o->grouped ? o->sums[g] / o->sizes[g] : o->key[items[i]];
	}
	for (i = 0; i < n; i++) {
		o->sizes[group_of(o->s, items[i])] = 0;
		o->sums[group_of(o->s, items[i])] = 0;
	}
}

static int by_key(const void *a, const void *b, void *ctx)
{
	const struct ordering *o = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (o->common[x] != o->common[y])
		return o->common[x] < o->common[y] ? -1 : 1;
	if (o->grouped && group_of(o->s, x) != group_of(o->s, y))
		return group_of(o->s, x) < group_of(o->s, y) ? -1 : 1;
	if (o->key[x] != o->key[y])
		return o->key[x] < o->key[y] ? -1 : 1;
	return o->s->place[x] < o->s->place[y] ? -1 : 1;
}

static void put_in_order(struct ordering *o, uint32_t *items, uint32_t n)
{
	uint32_t i;

	find_common(o, items, n);
	qsort_r(items, n, sizeof(*items), by_key, o);
	for (i = 0; i < n; i++)
		o->s->place[items[i]] = i;
}

/*
 * Sort a layer by the positions of its neighbours on one side. Items without neighbours keep their
 * position.
 */
static void sort_layer(struct ordering *o, size_t rank, const struct pipa_sketch_lists *lists)
{
	struct pipa_sketch *s = o->s;
	uint32_t *items = s->layers.items + s->layers.start[rank];
	uint32_t n = layer_size(s, rank), i, k;

	for (i = 0; i < n; i++) {
		double sum = 0, weight = 0;
		uint32_t item = items[i];

		for (k = lists->start[item]; k < lists->start[item + 1]; k++) {
			const struct pipa_sketch_seg *seg = &s->segs[lists->items[k]];
			double own = 0.2 + seg->weight;

			sum += own * s->place[pipa_sketch_other(seg, item)];
			weight += own;
		}
		o->key[item] = weight > 0 ? sum / weight : s->place[item];
	}
	put_in_order(o, items, n);
}

/* Bring groups together in the initial order. */
static void group_layers(struct ordering *o)
{
	struct pipa_sketch *s = o->s;
	size_t rank;
	uint32_t i;

	pipa_sketch_sort_lists(s);
	for (i = 0; i < s->n_items; i++)
		o->key[i] = s->place[i];
	for (rank = 0; rank < s->n_ranks; rank++)
		put_in_order(o, s->layers.items + s->layers.start[rank], layer_size(s, rank));
}

static void sweep_layers(struct ordering *o)
{
	size_t cost = o->s->n_items + o->s->n_segs + 1, i, rank;

	for (i = 0; i < SWEEPS && o->fewest && i * cost < WORK; i++) {
		for (rank = 1; rank < o->s->n_ranks; rank++)
			sort_layer(o, i % 2 ? o->s->n_ranks - 1 - rank : rank,
				   i % 2 ? &o->s->down : &o->s->up);
		save_best_order(o);
	}
}

/* ---- changing places -------------------------------------------------------------------------------- */

/* Return the crossings saved on one side by swapping two adjacent items of a layer. */
static int64_t crossings_saved(const struct pipa_sketch *s, const struct pipa_sketch_lists *lists,
			       uint32_t left, uint32_t right)
{
	int64_t n = 0;
	uint32_t i, k;

	for (i = lists->start[left]; i < lists->start[left + 1]; i++)
		for (k = lists->start[right]; k < lists->start[right + 1]; k++) {
			uint32_t a = s->place[pipa_sketch_other(&s->segs[lists->items[i]], left)];
			uint32_t b = s->place[pipa_sketch_other(&s->segs[lists->items[k]], right)];

			n += a > b ? 1 : a < b ? -1 : 0;
		}
	return n;
}

/* May these items be swapped? Nodes of two groups keep their order; bends may be anywhere. */
static bool may_swap(const struct pipa_sketch *s, uint32_t a, uint32_t b)
{
	return a >= s->layout->n_nodes || b >= s->layout->n_nodes ||
	       group_of(s, a) == group_of(s, b);
}

static bool swap_neighbours(struct pipa_sketch *s, size_t rank)
{
	uint32_t *items = s->layers.items + s->layers.start[rank];
	uint32_t n = layer_size(s, rank), i;
	bool changed = false;

	for (i = 0; i + 1 < n; i++) {
		uint32_t left = items[i], right = items[i + 1];

		if (!may_swap(s, left, right) ||
		    crossings_saved(s, &s->up, left, right) +
				    crossings_saved(s, &s->down, left, right) <=
			    0)
			continue;
		items[i] = right;
		items[i + 1] = left;
		s->place[right] = i;
		s->place[left] = i + 1;
		changed = true;
	}
	return changed;
}

static void swap_until_stable(struct ordering *o)
{
	struct pipa_sketch *s = o->s;
	bool changed = o->s->n_segs <= SMALL;
	size_t rank;
	int round;

	for (round = 0; changed && round < ROUNDS; round++)
		for (changed = false, rank = 0; rank < s->n_ranks; rank++)
			changed |= swap_neighbours(s, rank);
	save_best_order(o);
}

static void restore_best_order(struct ordering *o)
{
	memcpy(o->s->place, o->best, o->s->n_items * sizeof(*o->best));
	pipa_sketch_sort_lists(o->s);
}

/* Return the highest group number. */
static size_t count_groups(const struct pipa_sketch *s)
{
	uint32_t i, most = 0;

	for (i = 0; i < s->layout->n_nodes; i++)
		if (s->layout->nodes[i].group > most)
			most = s->layout->nodes[i].group;
	return most;
}

int pipa_sketch_order(struct pipa_sketch *s)
{
	PIPA_AUTO(free) double *key = malloc((s->n_items + 1) * sizeof(*key));
	PIPA_AUTO(free) uint32_t *best = malloc((s->n_items + 1) * sizeof(*best));
	PIPA_AUTO(free) uint32_t *tally = malloc((s->n_items + 2) * sizeof(*tally));
	PIPA_AUTO(free) double *common = malloc((s->n_items + 1) * sizeof(*common));
	PIPA_AUTO(free) double *sums = calloc(count_groups(s) + 1, sizeof(*sums));
	PIPA_AUTO(free) uint32_t *sizes = calloc(count_groups(s) + 1, sizeof(*sizes));
	struct ordering o = { s, key, common, sums, sizes, false, best, tally, UINT64_MAX };
	int rc = key && best && tally && common && sums && sizes ? order_first(s) : -ENOMEM;

	if (rc < 0)
		return rc;
	group_layers(&o);
	save_best_order(&o);
	sweep_layers(&o);
	restore_best_order(&o);
	swap_until_stable(&o);
	restore_best_order(&o);
	return 0;
}
