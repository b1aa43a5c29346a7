/* Merge and sort folded stacks as a tree of names, without holding the lines. */
#ifndef PIPA_EXPORT_EXCHANGE_FOLD_TREE_H
#define PIPA_EXPORT_EXCHANGE_FOLD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/strings.h"

struct pipa_buf;

struct pipa_fold_node {
	uint32_t parent, name;
	uint64_t weight; /* of the stacks that end at this node */
	bool ends;	 /* a stack ends at this node */
	bool inner;	 /* a stack continues below this node */
};

struct pipa_fold_tree {
	struct pipa_strings names;
	struct pipa_fold_node *items;
	size_t n, cap;
	struct pipa_index index;
	uint32_t scale; /* a power of 10: weights are multiples of its inverse; 0: integers */
};

void pipa_fold_tree_done(struct pipa_fold_tree *tree);

/*
 * Return the node of a name below a node (PIPA_NONE: at the top); PIPA_NONE on allocation failure.
 */
uint32_t pipa_fold_tree_add(struct pipa_fold_tree *tree, uint32_t parent, uint32_t name);

/* Append a weight of the tree as a decimal number. */
void pipa_fold_tree_put_weight(const struct pipa_fold_tree *tree, uint64_t weight,
			       struct pipa_buf *out);

/* Write the lines in order, through the callback described in export/exchange/folded.h. */
int pipa_fold_tree_write(const struct pipa_fold_tree *tree,
			 int (*put)(void *ctx, const char *bytes, size_t len), void *ctx);

#endif
