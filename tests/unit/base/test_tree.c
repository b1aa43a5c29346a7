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
