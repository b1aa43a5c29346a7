/*
 * Samples of a profile with their times, filled only on request.
 *
 * Memory is bounded: an entry has 24 bytes, and once there are PIPA_TIMELINE_MAX of them, samples
 * of the same stack, thread, event and CPU within a short time become one entry. That time, the
 * resolution, doubles until half of the entries are free again. Weights and counts stay exact.
 */
#ifndef PIPA_MODEL_TIMELINE_H
#define PIPA_MODEL_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum {
	PIPA_TIMELINE_MAX = 4 << 20, /* entries; sorting takes as much memory again */
	PIPA_MOMENT_NO_CPU = UINT16_MAX,
};

struct pipa_timed_sample {
	uint64_t
		time; /* ns, the recording's clock; of several samples that of the first in the file */
	uint64_t weight;
	uint32_t sample; /* the profile's: it has event, thread and stack */
	uint16_t cpu;	 /* PIPA_MOMENT_NO_CPU: not known */
	uint16_t more;	 /* samples that this entry represents besides the first */
};

/* Return a CPU number as an entry has it. */
static inline uint16_t pipa_moment_cpu(uint32_t cpu)
{
	return cpu < PIPA_MOMENT_NO_CPU ? (uint16_t)cpu : PIPA_MOMENT_NO_CPU;
}

/* A span of a trace (W3C trace context), in which a sample was taken. */
struct pipa_trace_link {
	uint8_t trace_id[16], span_id[8];
};

struct pipa_timeline {
	struct pipa_timed_sample *items; /* by their time, once they are sorted */
	size_t n, cap;
	size_t max;		/* entries before samples are merged; 0: PIPA_TIMELINE_MAX */
	uint64_t resolution_ns; /* samples this close may be one entry; 0: each has its own */
	uint64_t untimed;	/* samples that have no time, which are not in it */
	uint32_t *links;	/* of each entry, 0: none; NULL until one has a link */
	size_t links_cap;
	PIPA_TABLE(pipa_trace_link) link_table; /* the first one is empty, once there are any */
	uint64_t links_lost; /* of entries that were merged with others of another link */
};

void pipa_timeline_done(struct pipa_timeline *timeline);

/* Add an entry; one without a time (PIPA_UNKNOWN) is only counted. 0 or -ENOMEM. */
int pipa_timeline_add(struct pipa_timeline *timeline, const struct pipa_timed_sample *moment);

/* The same with a link of pipa_timeline_link(), which is lost where it is not merged with equal ones. */
int pipa_timeline_add_linked(struct pipa_timeline *timeline, const struct pipa_timed_sample *moment,
			     uint32_t link);

/* Return the number of a link, adding it if it is new; PIPA_NONE on allocation failure. */
uint32_t pipa_timeline_link(struct pipa_timeline *timeline, const struct pipa_trace_link *link);

/* Return the link of an entry; NULL: it has none. */
static inline const struct pipa_trace_link *pipa_timeline_link_of(
	const struct pipa_timeline *timeline, size_t entry)
{
	return timeline->links && timeline->links[entry] ?
		       &timeline->link_table.items[timeline->links[entry]] :
		       NULL;
}

/* All of `from`, whose profile's samples have these numbers now. 0, or -ENOMEM: some may have been added. */
int pipa_timeline_merge(struct pipa_timeline *timeline, const struct pipa_timeline *from,
			const uint32_t *samples);

/* By time; what was at the same time stays in its order. 0 or -ENOMEM: as it was. */
int pipa_timeline_sort(struct pipa_timeline *timeline);

static inline void pipa_timeline_done_auto(struct pipa_timeline *timeline)
{
	pipa_timeline_done(timeline);
}

#endif
