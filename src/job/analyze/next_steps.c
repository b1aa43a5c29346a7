#include "job/analyze/next_steps.h"

#include "job/analyze/analysis.h"

int pipa_next_steps_of(const struct pipa_analysis *a, struct pipa_next_steps *ret)
{
	const struct pipa_profile *profile = &a->loaded.profile;
	struct pipa_next_input input = { .series = &a->dataset.series,
					 .quality = &a->quality,
					 .phases = &a->phases,
					 .rules = &a->rules,
					 .findings = &a->findings,
					 .has_profile = a->has_profile };
	size_t i;

	for (i = 0; a->has_profile && i < profile->samples.n; i++) {
		const struct pipa_sample *sample = &profile->samples.items[i];

		input.samples += sample->count;
		input.has_stacks |= sample->stack != PIPA_NONE &&
				    profile->stacks.items[sample->stack].depth > 1;
	}
	return pipa_collect_next(&input, ret);
}
