/*
 * Sum the weights of samples over the tree of stacks: the total of a stack is its own weight and
 * that of all stacks that extend it. Each stack is summed once.
 */
#ifndef PIPA_ANALYZE_PROFILE_ROLLUP_H
#define PIPA_ANALYZE_PROFILE_ROLLUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct pipa_weight {
	uint64_t weight, count;
};

struct pipa_rollup {
	const struct pipa_profile *profile;
	struct pipa_weight *sums; /* [stack] */
	bool *met;		  /* [stack] */
	uint32_t *stacks;	  /* stacks with samples; ascending after pipa_rollup_finish() */
	size_t n;
	bool most; /* most stacks will have samples: callers are found at the end, in one pass */
};

/* Initialize. 0 or -ENOMEM; call pipa_rollup_done() in any case. */
int pipa_rollup_init(struct pipa_rollup *spread, const struct pipa_profile *profile);
void pipa_rollup_done(struct pipa_rollup *spread);

/* Announce the number of samples that will be added; the default assumes few. */
void pipa_rollup_begin(struct pipa_rollup *spread, size_t samples);
void pipa_rollup_add(struct pipa_rollup *spread, uint32_t stack, const struct pipa_weight *weight);
void pipa_rollup_finish(struct pipa_rollup *spread); /* sums become totals */
void pipa_rollup_reset(struct pipa_rollup *spread);

#endif
