/*
 * What samples weigh, handed on to everything that led to them: a stack's total is its own and that of
 * all stacks above it. Each stack of the tree is summed once, however many samples came through it.
 */
#ifndef PIPA_ANALYZE_SPREAD_H
#define PIPA_ANALYZE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct pipa_weight {
	uint64_t weight, count;
};

struct pipa_spread {
	const struct pipa_profile *profile;
	struct pipa_weight *sums; /* [stack] */
	bool *met;		  /* [stack] */
	uint32_t *stacks;	  /* that were met; rising after pipa_spread_finish() */
	size_t n;
};

/* Returns 0 or -ENOMEM; pipa_spread_done() in any case. */
int pipa_spread_init(struct pipa_spread *spread, const struct pipa_profile *profile);
void pipa_spread_done(struct pipa_spread *spread);

void pipa_spread_add(struct pipa_spread *spread, uint32_t stack, const struct pipa_weight *weight);
void pipa_spread_finish(struct pipa_spread *spread); /* now sums are totals */
void pipa_spread_reset(struct pipa_spread *spread);

#endif
