/*
 * Samples of a profile with their times, filled only on request.
 *
 * Memory is bounded: an entry has 24 bytes. When there are PIPA_TIMELINE_MAX of them, samples of
 * the same stack, thread, event and CPU within a short time are merged to one entry. That time, the
 * resolution, doubles until half of the entries are free. Weights and counts stay exact.
 */
#ifndef PIPA_MODEL_TIMELINE_H
#define PIPA_MODEL_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum {
	PIPA_TIMELINE_MAX = 4 << 20, /* entries; sorting takes the same amount of memory again */
	PIPA_TIMELINE_MARKS_MAX = 1 << 16,
	PIPA_TIMED_NO_CPU = UINT16_MAX,
};

struct pipa_timed_sample {
	/* ns, of the recording's clock; of merged samples that of the first in the file */
	uint64_t time;
	uint64_t weight;
	uint32_t sample; /* index in the profile: gives event, thread and stack */
	uint16_t cpu;	 /* PIPA_TIMED_NO_CPU: unknown */
	uint16_t more;	 /* number of samples in this entry - 1 */
};

/* Convert a CPU number to that of an entry. */
static inline uint16_t pipa_timed_sample_cpu(uint32_t cpu)
{
	return cpu < PIPA_TIMED_NO_CPU ? (uint16_t)cpu : PIPA_TIMED_NO_CPU;
}

/* Trace span (W3C trace context) of a sample. */
struct pipa_trace_link {
	uint8_t trace_id[16], span_id[8];
};

enum pipa_timed_mark_kind {
	PIPA_MARK_LOST,		/* PERF_RECORD_LOST */
	PIPA_MARK_LOST_SAMPLES, /* PERF_RECORD_LOST_SAMPLES */
	PIPA_MARK_THROTTLE,
	PIPA_MARK_UNTHROTTLE,
};

/* A record of a loss with its time. */
struct pipa_timed_mark {
	uint64_t time;
	uint64_t lost; /* records or samples */
	enum pipa_timed_mark_kind kind;
	uint32_t event;	   /* of the recording; PIPA_UNKNOWN32: unknown */
	uint32_t pid, tid; /* PIPA_UNKNOWN32: unknown */
	uint16_t cpu;	   /* PIPA_TIMED_NO_CPU: unknown */
};

struct pipa_timeline {
	struct pipa_timed_sample *items; /* sorted by pipa_timeline_sort() */
	size_t n, cap;
	size_t max; /* limit of entries before samples are merged; 0: PIPA_TIMELINE_MAX */
	uint64_t resolution_ns; /* samples closer than this may be merged; 0: none are */
	uint64_t untimed;	/* number of samples without a time, which have no entry */
	uint32_t *links;	/* link of each entry, 0: none; NULL until an entry has one */
	size_t links_cap;
	PIPA_TABLE(pipa_trace_link) link_table; /* row 0 is reserved: none */
	struct {
		struct pipa_timed_mark *items;
		size_t n, cap;
	} marks;		/* sorted by pipa_timeline_sort() */
	uint64_t marks_dropped; /* marks beyond PIPA_TIMELINE_MARKS_MAX */
	uint64_t links_lost;	/* links dropped because entries with different links were merged */
};

void pipa_timeline_done(struct pipa_timeline *timeline);

/* Add an entry; one without a time (PIPA_UNKNOWN) is only counted. 0 or -ENOMEM. */
int pipa_timeline_add(struct pipa_timeline *timeline, const struct pipa_timed_sample *moment);

/*
 * Like pipa_timeline_add() with a link of pipa_timeline_link(). The link is dropped if the entry is
 * merged with one of another link.
 */
int pipa_timeline_add_linked(struct pipa_timeline *timeline, const struct pipa_timed_sample *moment,
			     uint32_t link);

/* Intern a link and return its index; PIPA_NONE on allocation failure. */
uint32_t pipa_timeline_link(struct pipa_timeline *timeline, const struct pipa_trace_link *link);

/* Return the link of an entry, NULL if it has none. */
static inline const struct pipa_trace_link *pipa_timeline_link_of(
	const struct pipa_timeline *timeline, size_t entry)
{
	return timeline->links && timeline->links[entry] ?
		       &timeline->link_table.items[timeline->links[entry]] :
		       NULL;
}

/* Add a mark; one without a time, and those above the limit, are only counted. 0 or -ENOMEM. */
int pipa_timeline_mark(struct pipa_timeline *timeline, const struct pipa_timed_mark *mark);

/*
 * Add all entries and marks of `from`. samples[] has the new index of each sample of its profile. 0, or
 * -ENOMEM after adding a part.
 */
int pipa_timeline_merge(struct pipa_timeline *timeline, const struct pipa_timeline *from,
			const uint32_t *samples);

/* Sort entries and marks by time; the sort of entries is stable. 0, or -ENOMEM without a change. */
int pipa_timeline_sort(struct pipa_timeline *timeline);

static inline void pipa_timeline_done_auto(struct pipa_timeline *timeline)
{
	pipa_timeline_done(timeline);
}

#endif
