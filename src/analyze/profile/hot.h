/* Functions and instructions with the most self weight, summed over all threads for one event. */
#ifndef PIPA_ANALYZE_PROFILE_HOT_H
#define PIPA_ANALYZE_PROFILE_HOT_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct pipa_hot_place {
	uint32_t location;
	/*
	 * start of its function in the unit of the location's offset; the offset itself if
	 * unresolved
	 */
	uint64_t start;
	uint64_t weight, count;
};

struct pipa_hot_symbol {
	uint32_t object, function; /* function PIPA_NONE: unresolved */
	uint64_t start;
	uint64_t weight, count;
	size_t places, n; /* range of places, by ascending offset */
};

struct pipa_hot {
	uint32_t event;		/* PIPA_NONE: no samples */
	uint64_t weight, count; /* of all samples, also those without a location */
	struct pipa_hot_place *places;
	struct pipa_hot_symbol *symbols; /* most weight first */
	size_t n_places, n_symbols;
};

/* Sum the samples; event PIPA_NONE: the first one that has samples. 0 or -ENOMEM. */
int pipa_hot_make(const struct pipa_profile *profile, uint32_t event, struct pipa_hot *ret);
void pipa_hot_done(struct pipa_hot *hot);

#endif
