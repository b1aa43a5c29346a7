/*
 * Frames sorted by their texts once; then children by their frames' numbers, along the way down the tree
 * that numbers the nodes anew.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/flame_own.h"
#include "base/auto.h"
#include "base/large.h"
#include "base/vec.h"

enum { ROOT = 0 };

/* ---- frames ------------------------------------------------------------------------------------------- */

struct ranked {
	uint64_t head; /* the first bytes of the name, which mostly tell */
	uint32_t frame;
};

static int by_text(const struct pipa_string *a, const struct pipa_string *b)
{
	int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);

	return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int by_frame(const void *a, const void *b, void *ctx)
{
	const struct ranked *x = a, *y = b;
	const struct pipa_flame_build *build = ctx;
	const struct pipa_string *strings = build->strings.items;
	const struct pipa_flame_frame *f = &build->frames.items[x->frame];
	const struct pipa_flame_frame *g = &build->frames.items[y->frame];
	int order;

	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	order = f->name == g->name ? 0 : by_text(&strings[f->name], &strings[g->name]);
	if (!order && f->object != g->object)
		order = by_text(&strings[f->object], &strings[g->object]);
	if (!order)
		order = f->kind != g->kind ? (int)f->kind - (int)g->kind : f->inlined - g->inlined;
	return order;
}

/* Rising as the bytes rise; what is shorter is filled up with zeros. */
static uint64_t head_of(const struct pipa_string *string)
{
	uint64_t head = 0;
	size_t i;

	for (i = 0; i < sizeof(head); i++)
		head = head << 8 | (i < string->len ? (unsigned char)string->text[i] : 0);
	return head;
}

/* ret_ranks: for each frame of the build its new number. */
static int sort_frames(struct pipa_flame_build *build, struct pipa_flame *flame,
		       uint32_t **ret_ranks)
{
	size_t n = build->frames.n, i;
	PIPA_AUTO(free) struct ranked *order = malloc((n + 1) * sizeof(*order));
	PIPA_AUTO(free) uint32_t *ranks = malloc((n + 1) * sizeof(*ranks));

	flame->frames = malloc((n + 1) * sizeof(*flame->frames));
	if (!order || !ranks || !flame->frames)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		order[i] = (struct ranked){
			head_of(&build->strings.items[build->frames.items[i].name]), (uint32_t)i
		};
	qsort_r(order, n, sizeof(*order), by_frame, build);
	for (i = 0; i < n; i++) {
		ranks[order[i].frame] = (uint32_t)i;
		flame->frames[i] = build->frames.items[order[i].frame];
	}
	flame->n_frames = n;
	*ret_ranks = PIPA_TAKE(ranks);
	return 0;
}

/* ---- nodes -------------------------------------------------------------------------------------------- */

struct child {
	uint32_t frame, node;
};

struct children {
	struct child *items;
	size_t n, cap;
};

static int by_rank(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Few children are the rule: they are put in their place one by one. */
static void sort_few(struct child *items, size_t n)
{
	size_t i, k;

	for (i = 1; i < n; i++) {
		struct child child = items[i];

		for (k = i; k > 0 && items[k - 1].frame > child.frame; k--)
			items[k] = items[k - 1];
		items[k] = child;
	}
}

static int sort_children(struct pipa_tree_node *nodes, uint32_t parent, struct children *children)
{
	enum { FEW = 16 };
	uint32_t *link = &nodes[parent].child, at = *link;
	size_t i;

	if (at == PIPA_NONE || nodes[at].next == PIPA_NONE)
		return 0;
	for (children->n = 0; at != PIPA_NONE; at = nodes[at].next) {
		struct child *child = PIPA_VEC_ADD(children);

		if (!child)
			return -ENOMEM;
		*child = (struct child){ nodes[at].key, at };
	}
	if (children->n <= FEW)
		sort_few(children->items, children->n);
	else
		qsort(children->items, children->n, sizeof(*children->items), by_rank);
	for (i = 0; i < children->n; i++) {
		*link = children->items[i].node;
		link = &nodes[*link].next;
	}
	*link = PIPA_NONE;
	return 0;
}

struct walk {
	struct pipa_flame *flame;
	struct pipa_tree_node *nodes; /* the build's */
	uint32_t *numbers;	      /* [node of the build] its new number */
	uint32_t depth;
};

/* The node behind `at` in preorder, PIPA_NONE behind the last; tells `at`, or who it is in, its sibling. */
static uint32_t walk_on(struct walk *w, uint32_t at)
{
	const struct pipa_tree_node *nodes = w->nodes;

	if (nodes[at].child != PIPA_NONE) {
		w->depth++;
		return nodes[at].child;
	}
	for (; at != ROOT; at = nodes[at].parent, w->depth--)
		if (nodes[at].next != PIPA_NONE) {
			w->flame->nodes[w->numbers[at]].next = (uint32_t)w->flame->n_nodes;
			return nodes[at].next;
		}
	return PIPA_NONE;
}

static void add_node(struct walk *w, uint32_t at)
{
	struct pipa_flame *flame = w->flame;
	size_t n = flame->n_nodes++;

	w->numbers[at] = (uint32_t)n;
	flame->nodes[n] = (struct pipa_flame_node){
		.parent = w->depth > 1 ? w->numbers[w->nodes[at].parent] : PIPA_NONE,
		.child = w->nodes[at].child == PIPA_NONE ? PIPA_NONE : (uint32_t)n + 1,
		.next = PIPA_NONE,
		.frame = w->nodes[at].key,
	};
	flame->depth = w->depth > flame->depth ? w->depth : flame->depth;
}

/* numbers: for each node of the build its new number; the root goes. */
static int sort_nodes(struct pipa_flame_build *build, struct pipa_flame *flame,
		      const uint32_t *ranks, uint32_t *numbers)
{
	struct walk w = { .flame = flame, .nodes = build->tree.items, .numbers = numbers };
	struct children children = { 0 };
	uint32_t at;
	size_t i;
	int rc;

	for (i = 1; i < build->tree.n; i++)
		w.nodes[i].key = ranks[w.nodes[i].key];
	rc = sort_children(w.nodes, ROOT, &children);
	for (at = ROOT; !rc && (at = walk_on(&w, at)) != PIPA_NONE;) {
		rc = sort_children(w.nodes, at, &children);
		add_node(&w, at);
	}
	free(children.items);
	return rc;
}

/* What ended where; then, as callees stand behind their callers, one pass from the end. */
static void sum_up(const struct pipa_flame_build *build, struct pipa_flame *flame,
		   const uint32_t *numbers)
{
	size_t i, side;

	for (i = 0; i < build->weights.n; i++) {
		const struct pipa_flame_weight *w = &build->weights.items[i];

		flame->nodes[numbers[w->node]].self[w->side] += w->weight;
		flame->nodes[numbers[w->node]].count[w->side] += w->count;
	}
	for (i = flame->n_nodes; i-- > 0;) {
		struct pipa_flame_node *node = &flame->nodes[i];

		for (side = 0; side < PIPA_FLAME_SIDES; side++) {
			node->total[side] += node->self[side];
			if (node->parent != PIPA_NONE)
				flame->nodes[node->parent].total[side] += node->total[side];
		}
	}
}

int pipa_flame_order(struct pipa_flame_build *build, struct pipa_flame *flame)
{
	PIPA_AUTO(free) uint32_t *ranks = NULL;
	PIPA_AUTO(free) uint32_t *numbers = pipa_large_alloc(build->tree.n * sizeof(*numbers));
	int rc = sort_frames(build, flame, &ranks);
	size_t i;

	flame->nodes = pipa_large_alloc(build->tree.n * sizeof(*flame->nodes));
	if (!rc && (!flame->nodes || !numbers))
		rc = -ENOMEM;
	if (!rc)
		rc = sort_nodes(build, flame, ranks, numbers);
	if (rc < 0)
		return rc;
	sum_up(build, flame, numbers);
	for (i = 0; i < build->ends.n; i++)
		build->ends.items[i].node = numbers[build->ends.items[i].node];
	flame->ends = PIPA_TAKE(build->ends.items);
	flame->n_ends = build->ends.n;
	flame->ends_index = build->ends.index;
	build->ends.index = (struct pipa_index){ 0 };
	flame->strings = build->strings;
	build->strings = (struct pipa_strings){ 0 };
	return 0;
}
