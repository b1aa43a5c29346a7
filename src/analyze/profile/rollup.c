#include "analyze/profile/rollup.h"

#include <errno.h>
#include <stdlib.h>

int pipa_rollup_init(struct pipa_rollup *s, const struct pipa_profile *profile)
{
	size_t n = profile->stacks.n + 1;

	*s = (struct pipa_rollup){ .profile = profile };
	s->sums = calloc(n, sizeof(*s->sums));
	s->met = calloc(n, sizeof(*s->met));
	s->stacks = malloc(n * sizeof(*s->stacks));
	return s->sums && s->met && s->stacks ? 0 : -ENOMEM;
}

void pipa_rollup_done(struct pipa_rollup *s)
{
	free(s->sums);
	free(s->met);
	free(s->stacks);
	*s = (struct pipa_rollup){ 0 };
}

void pipa_rollup_begin(struct pipa_rollup *s, size_t samples)
{
	s->most = samples >= s->profile->stacks.n / 16;
}

void pipa_rollup_add(struct pipa_rollup *s, uint32_t stack, const struct pipa_weight *weight)
{
	s->sums[stack].weight += weight->weight;
	s->sums[stack].count += weight->count;
	if (s->most) {
		s->met[stack] = true;
		return;
	}
	for (; stack != PIPA_NONE && !s->met[stack];
	     stack = s->profile->stacks.items[stack].parent) {
		s->met[stack] = true;
		s->stacks[s->n++] = stack;
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Sort the stacks. If most stacks have samples, a scan of all is cheaper than sorting. */
static void sort_stacks(struct pipa_rollup *s)
{
	size_t all = s->profile->stacks.n, i;

	if (s->n < all / 16) {
		qsort(s->stacks, s->n, sizeof(*s->stacks), by_number);
		return;
	}
	for (s->n = i = 0; i < all; i++)
		if (s->met[i])
			s->stacks[s->n++] = (uint32_t)i;
}

static void add_to_parent(struct pipa_rollup *s, size_t stack)
{
	uint32_t parent = s->profile->stacks.items[stack].parent;

	if (parent == PIPA_NONE)
		return;
	s->sums[parent].weight += s->sums[stack].weight;
	s->sums[parent].count += s->sums[stack].count;
	s->met[parent] = true;
}

/*
 * Add all stacks from the last to the first. The sums of parents are in random order and are
 * prefetched.
 */
static void finish_most(struct pipa_rollup *s)
{
	enum { AHEAD = 24 };
	const struct pipa_stack *stacks = s->profile->stacks.items;
	size_t all = s->profile->stacks.n, i;

	for (i = all; i--;) {
		if (i >= AHEAD && stacks[i - AHEAD].parent != PIPA_NONE)
			__builtin_prefetch(&s->sums[stacks[i - AHEAD].parent], 1);
		if (s->met[i])
			add_to_parent(s, i);
	}
	for (s->n = i = 0; i < all; i++) {
		s->stacks[s->n] = (uint32_t)i;
		s->n += s->met[i];
	}
}

/*
 * The index of a stack is larger than its parent's: from the last to the first, children come
 * before.
 */
void pipa_rollup_finish(struct pipa_rollup *s)
{
	size_t i;

	if (s->most) {
		finish_most(s);
		return;
	}
	sort_stacks(s);
	for (i = s->n; i--;)
		add_to_parent(s, s->stacks[i]);
}

void pipa_rollup_reset(struct pipa_rollup *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		s->met[s->stacks[i]] = false;
		s->sums[s->stacks[i]] = (struct pipa_weight){ 0 };
	}
	s->n = 0;
	s->most = false;
}
