/* Sort frames by their strings, children by frame index, and renumber nodes in preorder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/flame_own.h"
#include "base/auto.h"
#include "base/large.h"

enum { ROOT = 0 };

/* ---- frames ------------------------------------------------------------------------------------------- */

struct ranked {
	uint64_t head; /* first bytes of the name, which usually decide */
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

/* Order by bytes; shorter names are padded with zeros. */
static uint64_t head_of(const struct pipa_string *string)
{
	uint64_t head = 0;
	size_t i;

	for (i = 0; i < sizeof(head); i++)
		head = head << 8 | (i < string->len ? (unsigned char)string->text[i] : 0);
	return head;
}

/* Sort the frames; ret_ranks: [frame of the build] its new index. */
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

/*
 * Sort only parents whose children are out of order, all at once: walking from list to list would
 * miss the cache at each step.
 */
struct order {
	struct pipa_tree_node *nodes;
	size_t n;
	const uint32_t *ranks;
	uint64_t *parents; /* a bit per node whose children must be sorted */
	uint32_t *starts;  /* [rank] start of its children in sorted */
	uint32_t *sorted;  /* children, ascending by rank */
};

static void order_done(struct order *o)
{
	free(o->parents);
	free(o->starts);
	free(o->sorted);
}

static bool is_marked(const struct order *o, uint32_t parent)
{
	return o->parents[parent / 64] >> parent % 64 & 1;
}

static bool mark_parents(struct order *o)
{
	bool any = false;
	size_t i;

	for (i = 1; i < o->n; i++) {
		const struct pipa_tree_node *node = &o->nodes[i];

		if (node->next == PIPA_NONE ||
		    o->ranks[node->key] < o->ranks[o->nodes[node->next].key])
			continue;
		o->parents[node->parent / 64] |= UINT64_C(1) << node->parent % 64;
		any = true;
	}
	return any;
}

/* Sort the children of marked parents by rank: a counting sort. */
static int sort_marked(struct order *o, size_t n_ranks)
{
	uint32_t sum = 0, count;
	size_t i;

	o->starts = calloc(n_ranks + 1, sizeof(*o->starts));
	if (!o->starts)
		return -ENOMEM;
	for (i = 1; i < o->n; i++)
		if (is_marked(o, o->nodes[i].parent))
			o->starts[o->ranks[o->nodes[i].key]]++;
	for (i = 0; i <= n_ranks; i++, sum += count) {
		count = o->starts[i];
		o->starts[i] = sum;
	}
	o->sorted = malloc((sum + 1) * sizeof(*o->sorted));
	if (!o->sorted)
		return -ENOMEM;
	for (i = 1; i < o->n; i++)
		if (is_marked(o, o->nodes[i].parent)) {
			o->sorted[o->starts[o->ranks[o->nodes[i].key]]++] = (uint32_t)i;
			o->nodes[o->nodes[i].parent].child = PIPA_NONE;
		}
	for (; sum-- > 0;) { /* prepend: lists are built backwards */
		struct pipa_tree_node *node = &o->nodes[o->sorted[sum]];

		node->next = o->nodes[node->parent].child;
		o->nodes[node->parent].child = o->sorted[sum];
	}
	return 0;
}

static int sort_children(struct pipa_tree *tree, const uint32_t *ranks, size_t n_ranks)
{
	struct order o = { .nodes = tree->items, .n = tree->n, .ranks = ranks };
	int rc = 0;

	o.parents = calloc(tree->n / 64 + 1, sizeof(*o.parents));
	if (!o.parents)
		return -ENOMEM;
	if (mark_parents(&o))
		rc = sort_marked(&o, n_ranks);
	order_done(&o);
	return rc;
}

/* Return the node after `at` in preorder, PIPA_NONE after the last. */
static uint32_t next_node(const struct pipa_tree_node *nodes, uint32_t at, uint32_t *depth)
{
	if (nodes[at].child != PIPA_NONE) {
		++*depth;
		return nodes[at].child;
	}
	for (; at != ROOT; at = nodes[at].parent, --*depth)
		if (nodes[at].next != PIPA_NONE)
			return nodes[at].next;
	return PIPA_NONE;
}

/* Move the build's nodes except the root to the flame graph; their keys become the new indexes. */
static void number_nodes(struct pipa_tree_node *nodes, const uint32_t *ranks,
			 struct pipa_flame *flame)
{
	uint32_t at = ROOT, depth = 0;

	while ((at = next_node(nodes, at, &depth)) != PIPA_NONE) {
		uint32_t n = (uint32_t)flame->n_nodes++, next = nodes[at].next;

		/* the sibling comes after the subtree: prefetch it */
		__builtin_prefetch(&nodes[next == PIPA_NONE ? at : next]);
		flame->nodes[n] = (struct pipa_flame_node){
			.parent = depth > 1 ? nodes[nodes[at].parent].key : PIPA_NONE,
			.child = PIPA_NONE,
			.next = PIPA_NONE,
			.frame = ranks[nodes[at].key],
		};
		nodes[at].key = n;
		flame->depth = depth > flame->depth ? depth : flame->depth;
	}
}

/* ---- costs -------------------------------------------------------------------------------------------- */

static int add_costs(const struct pipa_flame_build *build, struct pipa_flame *flame, size_t side)
{
	size_t size = flame->n_nodes * sizeof(struct pipa_flame_cost), i;
	struct pipa_flame_cost *costs = pipa_large_alloc(size);

	if (!costs)
		return -ENOMEM;
	flame->costs[side] = costs;
	memset(costs, 0, size);
	for (i = 0; i < build->weights.n; i++) {
		const struct pipa_flame_weight *w = &build->weights.items[i];
		struct pipa_flame_cost *cost = &costs[build->tree.items[w->node].key];

		if (w->side != side)
			continue;
		cost->self += w->weight;
		cost->count += w->count;
	}
	for (i = flame->n_nodes; i-- > 0;) {
		uint32_t parent = flame->nodes[i].parent;

		costs[i].total += costs[i].self;
		if (parent != PIPA_NONE)
			costs[parent].total += costs[i].total;
	}
	return 0;
}

/* Callees follow their callers, so one pass from the end is enough. */
static void link_nodes(struct pipa_flame *flame)
{
	uint32_t outermost = PIPA_NONE, i;

	for (i = (uint32_t)flame->n_nodes; i-- > 0;) {
		struct pipa_flame_node *node = &flame->nodes[i];
		uint32_t *first = node->parent == PIPA_NONE ? &outermost :
							      &flame->nodes[node->parent].child;

		node->next = *first;
		*first = i;
	}
}

int pipa_flame_order(struct pipa_flame_build *build, struct pipa_flame *flame)
{
	PIPA_AUTO(free) uint32_t *ranks = NULL;
	int rc = sort_frames(build, flame, &ranks);
	size_t i;

	flame->nodes = pipa_large_alloc(build->tree.n * sizeof(*flame->nodes));
	if (!rc && !flame->nodes)
		rc = -ENOMEM;
	if (!rc)
		rc = sort_children(&build->tree, ranks, flame->n_frames);
	if (!rc) {
		number_nodes(build->tree.items, ranks, flame);
		link_nodes(flame);
	}
	for (i = 0; !rc && i < (flame->has_base ? PIPA_FLAME_SIDES : 1); i++)
		rc = add_costs(build, flame, i);
	if (rc < 0)
		return rc;
	for (i = 0; i < build->ends.n; i++)
		build->ends.items[i].node = build->tree.items[build->ends.items[i].node].key;
	flame->ends = PIPA_TAKE(build->ends.items);
	flame->n_ends = build->ends.n;
	flame->ends_index = build->ends.index;
	build->ends.index = (struct pipa_index){ 0 };
	flame->strings = build->strings;
	build->strings = (struct pipa_strings){ 0 };
	return 0;
}
