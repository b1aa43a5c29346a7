/*
 * Finds the sample of a stack among those that an ingest added to its profile.
 *
 * Samples of a stack are linked: 4 bytes per stack and per sample, where the hash index of the profile takes 11
 * to 21 per sample. Most stacks have one sample per thread. A stack with many is left to the index.
 */
#ifndef PIPA_INGEST_STACK_SAMPLES_H
#define PIPA_INGEST_STACK_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

/* A zeroed one is empty and valid. */
struct pipa_stack_samples {
	struct {
		uint32_t *items; /* [stack] its last sample + 1; 0: none */
		size_t n, cap;
	} last;
	struct {
		uint32_t *items; /* [sample] the one before it of the same stack + 1 */
		size_t n, cap;
	} before;
};

void pipa_stack_samples_done(struct pipa_stack_samples *samples);

/*
 * Return the number of a sample in the profile, which is added when it is new; PIPA_NONE on allocation failure.
 * The same as pipa_profile_sample().
 */
uint32_t pipa_stack_samples_get(struct pipa_stack_samples *samples, struct pipa_profile *profile,
				const struct pipa_sample *sample);

#endif
