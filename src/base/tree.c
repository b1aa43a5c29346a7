#include "base/tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/large.h"

enum { LIST = 8 };

int pipa_tree_init(struct pipa_tree *tree, size_t room)
{
	static const struct pipa_tree_node root = { .parent = PIPA_TREE_NONE,
						    .child = PIPA_TREE_NONE,
						    .next = PIPA_TREE_NONE,
						    .key = PIPA_TREE_NONE };

	*tree = (struct pipa_tree){ .cap = room + 1 };
	tree->items = pipa_large_alloc(tree->cap * sizeof(root));
	if (!tree->items)
		return -ENOMEM;
	tree->items[tree->n++] = root;
	return 0;
}

void pipa_tree_done(struct pipa_tree *tree)
{
	free(tree->items);
	pipa_index_done(&tree->index);
	*tree = (struct pipa_tree){ 0 };
}

static uint64_t hash_of(uint32_t parent, uint32_t key)
{
	return pipa_hash_u64((uint64_t)parent << 32 | key, PIPA_HASH_SEED);
}

static uint32_t find_indexed(const struct pipa_tree *tree, uint32_t parent, uint32_t key)
{
	const struct pipa_index_slot *slot = pipa_index_start(&tree->index, hash_of(parent, key));

	for (; slot->id; slot = pipa_index_after(&tree->index, slot))
		if (tree->items[slot->id - 1].parent == parent &&
		    tree->items[slot->id - 1].key == key)
			return slot->id - 1;
	return PIPA_TREE_NONE;
}

/* Twice the room, in large pages once it is worth it: nodes are met in no order. */
static int grow(struct pipa_tree *tree)
{
	size_t cap = tree->cap < 16 ? 32 : 2 * tree->cap;
	struct pipa_tree_node *bigger = pipa_large_alloc(cap * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	memcpy(bigger, tree->items, tree->n * sizeof(*bigger));
	free(tree->items);
	tree->items = bigger;
	tree->cap = cap;
	return 0;
}

/* Behind `last` in the parent's list, or as its first. */
static uint32_t add(struct pipa_tree *tree, uint32_t parent, uint32_t last, uint32_t key)
{
	uint32_t new = (uint32_t)tree->n;
	struct pipa_tree_node *node;
	uint32_t *link;

	if (tree->n >= PIPA_TREE_NONE - 1 || (tree->n == tree->cap && grow(tree) < 0))
		return PIPA_TREE_NONE;
	node = &tree->items[tree->n++];
	link = last == PIPA_TREE_NONE ? &tree->items[parent].child : &tree->items[last].next;
	*node = (struct pipa_tree_node){
		.parent = parent, .child = PIPA_TREE_NONE, .next = *link, .key = key
	};
	*link = new;
	return new;
}

uint32_t pipa_tree_step(struct pipa_tree *tree, uint32_t parent, uint32_t key)
{
	const struct pipa_tree_node *nodes = tree->items;
	uint32_t last = PIPA_TREE_NONE, at = nodes[parent].child;
	size_t n;

	for (n = 0; at != PIPA_TREE_NONE && n < LIST; n++, last = at, at = nodes[at].next)
		if (nodes[at].key == key)
			return at;
	if (n < LIST)
		return add(tree, parent, last, key);
	at = find_indexed(tree, parent, key);
	if (at != PIPA_TREE_NONE)
		return at;
	at = add(tree, parent, last, key);
	if (at != PIPA_TREE_NONE && pipa_index_add(&tree->index, hash_of(parent, key), at) < 0)
		return PIPA_TREE_NONE;
	return at;
}

/* Where a way is: at a node that is requested its key, having passed some of its siblings. */
struct walker {
	struct pipa_tree_way *way;
	uint32_t at, passed;
};

/* One node further; false where the way ends. */
static bool go_on(const struct pipa_tree *tree, struct walker *w)
{
	struct pipa_tree_way *way = w->way;
	const struct pipa_tree_node *node = &tree->items[w->at];

	if (node->key != way->keys[way->known]) {
		w->at = node->next;
		if (++w->passed == LIST && w->at != PIPA_TREE_NONE)
			w->at = find_indexed(tree, node->parent, way->keys[way->known]);
		return w->at != PIPA_TREE_NONE;
	}
	way->nodes[way->known++] = w->at;
	w->at = node->child;
	w->passed = 0;
	return way->known < way->n && w->at != PIPA_TREE_NONE;
}

static void follow(const struct pipa_tree *tree, struct walker *walkers, size_t n)
{
	size_t i;

	while (n)
		for (i = 0; i < n;)
			if (go_on(tree, &walkers[i]))
				__builtin_prefetch(&tree->items[walkers[i++].at]);
			else
				walkers[i] = walkers[--n];
}

void pipa_tree_follow(const struct pipa_tree *tree, struct pipa_tree_way *ways, size_t n)
{
	enum { AT_ONCE = 16 };
	struct walker walkers[AT_ONCE];
	size_t i, walking = 0;

	for (i = 0; i < n; i++) {
		ways[i].known = 0;
		if (ways[i].n && tree->items[0].child != PIPA_TREE_NONE)
			walkers[walking++] = (struct walker){ &ways[i], tree->items[0].child, 0 };
		if (walking == AT_ONCE || i + 1 == n) {
			follow(tree, walkers, walking);
			walking = 0;
		}
	}
}
