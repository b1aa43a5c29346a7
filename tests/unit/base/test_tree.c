#include "base/tree.h"

#include "lib/test.h"

static struct pipa_tree tree;

static size_t children(uint32_t node)
{
	uint32_t at = tree.items[node].child;
	size_t n;

	for (n = 0; at != PIPA_TREE_NONE; n++, at = tree.items[at].next)
		CHECK_EQ(tree.items[at].parent, node);
	return n;
}

TEST(a_tree_has_a_node_for_each_key_below_each_node)
{
	uint32_t a, b;

	CHECK_EQ(pipa_tree_init(&tree, 0), 0);
	a = pipa_tree_step(&tree, 0, 7);
	b = pipa_tree_step(&tree, a, 7);
	CHECK_EQ(a, 1);
	CHECK_EQ(b, 2);
	CHECK_EQ(pipa_tree_step(&tree, 0, 7), a);
	CHECK_EQ(pipa_tree_step(&tree, a, 7), b);
	CHECK_EQ(pipa_tree_step(&tree, a, 8), 3);
	CHECK_EQ(tree.n, 4);
	CHECK_EQ(tree.items[b].parent, a);
	CHECK_EQ(tree.items[b].key, 7);
	CHECK_EQ(children(0), 1);
	CHECK_EQ(children(a), 2);
	pipa_tree_done(&tree);
}

/* More than the list is searched for, of two nodes that take turns. */
TEST(many_children_of_a_tree_are_found_again)
{
	enum { MANY = 1000 };
	uint32_t nodes[2][MANY], below[2], i, k;

	CHECK_EQ(pipa_tree_init(&tree, 10), 0);
	for (k = 0; k < 2; k++)
		below[k] = pipa_tree_step(&tree, 0, k);
	for (i = 0; i < MANY; i++)
		for (k = 0; k < 2; k++)
			nodes[k][i] = pipa_tree_step(&tree, below[k], i * 7919);
	CHECK_EQ(tree.n, 3 + 2 * MANY);
	for (i = 0; i < MANY; i++)
		for (k = 0; k < 2; k++) {
			CHECK_EQ(pipa_tree_step(&tree, below[k], i * 7919), nodes[k][i]);
			CHECK_EQ(tree.items[nodes[k][i]].parent, below[k]);
		}
	CHECK_EQ(tree.n, 3 + 2 * MANY);
	CHECK_EQ(children(below[0]), MANY);
	CHECK_EQ(children(below[1]), MANY);
	pipa_tree_done(&tree);
}

/* More ways than go on at once; some end early, some are known to their end. */
TEST(many_ways_are_followed_as_far_as_they_are_known)
{
	enum { WAYS = 50, DEPTH = 6 };
	uint32_t keys[WAYS][DEPTH], nodes[WAYS][DEPTH], want[WAYS][DEPTH], i, k;
	struct pipa_tree_way ways[WAYS];

	CHECK_EQ(pipa_tree_init(&tree, 0), 0);
	for (i = 0; i < WAYS; i++) {
		ways[i] = (struct pipa_tree_way){ keys[i], nodes[i], DEPTH, 99 };
		for (k = 0; k < DEPTH; k++)
			keys[i][k] = k < 3 ? (i >> k) % 3 : i;
	}
	pipa_tree_follow(&tree, ways, WAYS); /* there is nothing yet */
	for (i = 0; i < WAYS; i++)
		CHECK_EQ(ways[i].known, 0);
	for (i = 0; i < WAYS; i++)
		for (k = 0; k < i % (DEPTH + 1); k++)
			want[i][k] = pipa_tree_step(&tree, k ? want[i][k - 1] : 0, keys[i][k]);
	pipa_tree_follow(&tree, ways, WAYS);
	for (i = 0; i < WAYS; i++) {
		CHECK(ways[i].known >= i % (DEPTH + 1) && ways[i].known <= DEPTH);
		for (k = 0; k < i % (DEPTH + 1); k++)
			CHECK_EQ(nodes[i][k], want[i][k]);
		for (; k < ways[i].known; k++) /* others led there */
			CHECK_EQ(tree.items[nodes[i][k]].key, keys[i][k]);
	}
	ways[0].n = 0;
	pipa_tree_follow(&tree, ways, 1);
	CHECK_EQ(ways[0].known, 0);
	pipa_tree_done(&tree);
}

TEST(paths_are_followed_below_many_children)
{
	uint32_t keys[2] = { 0, 7 }, nodes[2], i;
	struct pipa_tree_way way = { keys, nodes, 2, 0 };

	CHECK_EQ(pipa_tree_init(&tree, 0), 0);
	for (i = 0; i < 100; i++)
		pipa_tree_step(&tree, pipa_tree_step(&tree, 0, i), 7);
	for (keys[0] = 0; keys[0] < 100; keys[0]++) {
		pipa_tree_follow(&tree, &way, 1);
		CHECK_EQ(way.known, 2);
		CHECK_EQ(nodes[0], pipa_tree_step(&tree, 0, keys[0]));
		CHECK_EQ(nodes[1], pipa_tree_step(&tree, nodes[0], 7));
	}
	pipa_tree_follow(&tree, &way, 1); /* the one after the last */
	CHECK_EQ(way.known, 0);
	pipa_tree_done(&tree);
}
