/*
 * Finds the sample of a stack among those that an ingest added to its profile.
 *
 * Samples of a stack are linked: 4 bytes per stack and per sample, where the hash index of the
 * profile takes 11 to 21 per sample. Most stacks have one sample per thread. A stack with many is
 * left to the index.
 */
#ifndef PIPA_INGEST_STACK_SAMPLES_H
#define PIPA_INGEST_STACK_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

/* Zeroed: empty. */
struct pipa_stack_samples {
	struct {
		uint32_t *items; /* last sample of each stack + 1; 0: none */
		size_t n, cap;
	} last;
	struct {
		uint32_t *items; /* previous sample of the same stack + 1, per sample */
		size_t n, cap;
	} before;
};

void pipa_stack_samples_done(struct pipa_stack_samples *samples);

/*
 * Intern a sample and return its index in the profile; PIPA_NONE on allocation failure. Equivalent
 * to pipa_profile_sample().
 */
uint32_t pipa_stack_samples_get(struct pipa_stack_samples *samples, struct pipa_profile *profile,
				const struct pipa_sample *sample);

#endif
