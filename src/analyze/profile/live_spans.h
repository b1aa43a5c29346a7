/*
 * Select the samples of a growing profile to show: those since the last refresh, or all with
 * exponential decay. Pure: the elapsed time is passed in.
 */
#ifndef PIPA_ANALYZE_PROFILE_LIVE_SPANS_H
#define PIPA_ANALYZE_PROFILE_LIVE_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum { PIPA_LIVE_HALF_LIFE_S = 10 };

struct pipa_live_spans {
	struct pipa_profile last, faded; /* they share everything except samples and events */
	uint32_t *last_origins;		 /* [sample of `last`] its index in the profile */
	struct pipa_live_past {
		uint64_t weight, count; /* at the last refresh */
		double faded_weight, faded_count;
	} * past; /* [sample of the profile] */
	size_t n;
};

void pipa_live_spans_done(struct pipa_live_spans *spans);

/*
 * Account for the time since the last refresh. Without new samples nothing decays, so that ended or
 * sleeping threads stay visible. 0 or -ENOMEM.
 */
int pipa_live_spans_make(struct pipa_live_spans *spans, const struct pipa_profile *profile,
			 uint64_t ns);

/*
 * Update without a refresh: the same samples, in tables that may have moved. False if there was no
 * refresh before.
 */
bool pipa_live_spans_keep(struct pipa_live_spans *spans, const struct pipa_profile *profile);

#endif
