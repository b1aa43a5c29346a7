#include "ingest/stack_samples.h"

#include <stdlib.h>

#include "base/vec.h"

enum { MANY = 16 }; /* samples of a stack that are compared */

void pipa_stack_samples_done(struct pipa_stack_samples *s)
{
	free(s->last.items);
	free(s->before.items);
	*s = (struct pipa_stack_samples){ 0 };
}

static bool is_same(const struct pipa_sample *a, const struct pipa_sample *b)
{
	return a->thread == b->thread && a->event == b->event && a->cpu == b->cpu &&
	       a->labels == b->labels;
}

/* Extend the lists by the stack, if any, and by one sample. False on allocation failure. */
static bool make_room(struct pipa_stack_samples *s, uint32_t stack)
{
	while (stack != PIPA_NONE && s->last.n <= stack)
		if (!PIPA_VEC_ADD(&s->last))
			return false;
	if (!PIPA_VEC_ADD(&s->before))
		return false;
	s->before.n--;
	return true;
}

uint32_t pipa_stack_samples_get(struct pipa_stack_samples *s, struct pipa_profile *profile,
				const struct pipa_sample *sample)
{
	bool known = sample->stack != PIPA_NONE;
	uint32_t number, next;
	size_t seen = 0;

	if (s->before.n != profile->samples.n) /* some were added elsewhere and are not linked */
		return pipa_profile_sample(profile, sample);
	if (!make_room(s, sample->stack))
		return PIPA_NONE;
	for (next = known ? s->last.items[sample->stack] : 0; next && seen < MANY; seen++) {
		if (is_same(&profile->samples.items[next - 1], sample))
			return next - 1;
		next = s->before.items[next - 1];
	}
	number = next || !known ? pipa_profile_sample(profile, sample) :
				  pipa_profile_new_sample(profile, sample);
	if (number == PIPA_NONE || number != s->before.n)
		return number;
	s->before.items[s->before.n++] = known ? s->last.items[sample->stack] : 0;
	if (known)
		s->last.items[sample->stack] = number + 1;
	return number;
}
