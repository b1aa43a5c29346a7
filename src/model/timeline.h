/*
 * When the samples of a profile were: what a profile sums up, one by one and with the time. Beside the
 * profile and filled only for those who ask, as it grows with the samples: 24 bytes each.
 */
#ifndef PIPA_MODEL_TIMELINE_H
#define PIPA_MODEL_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct pipa_moment {
	uint64_t time; /* ns, the recording's clock */
	uint64_t weight;
	uint32_t sample; /* the profile's: it has event, thread and stack */
	uint32_t cpu;	 /* PIPA_NONE: not known */
};

struct pipa_timeline {
	struct pipa_moment *items; /* by their time, once they are sorted */
	size_t n, cap;
	uint64_t untimed; /* samples that have no time, which are not in it */
};

void pipa_timeline_done(struct pipa_timeline *timeline);

/* One more; without a time (PIPA_UNKNOWN) it is counted alone. 0 or -ENOMEM. */
int pipa_timeline_add(struct pipa_timeline *timeline, const struct pipa_moment *moment);

/* All of `from`, whose profile's samples have these numbers now. 0 or -ENOMEM: nothing was added. */
int pipa_timeline_merge(struct pipa_timeline *timeline, const struct pipa_timeline *from,
			const uint32_t *samples);

/* By time; what was at the same time stays in its order. 0 or -ENOMEM: as it was. */
int pipa_timeline_sort(struct pipa_timeline *timeline);

static inline void pipa_timeline_done_auto(struct pipa_timeline *timeline)
{
	pipa_timeline_done(timeline);
}

#endif
