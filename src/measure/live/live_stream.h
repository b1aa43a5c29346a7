/*
 * Make profiles of the records of a recording while it runs, one for each interval, with symbols. All functions are
 * called by one thread, which does not drain the rings.
 *
 * Memory is bounded: when the tables exceed their limit, they are emptied after an interval, and the running processes
 * are read from /proc again.
 */
#ifndef PIPA_MEASURE_LIVE_LIVE_STREAM_H
#define PIPA_MEASURE_LIVE_LIVE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_error;
struct pipa_live_stream;
struct pipa_perf_events;
struct pipa_profile;
struct pipa_timeline;

struct pipa_live_stream_options {
	const struct pipa_perf_events *events; /* as the records have them; borrowed */
	size_t max_entries;		       /* of the tables, 0: about 50 MB */
	bool times;			       /* keep the time of each sample */
};

/* The samples of one interval; valid until the next call. */
struct pipa_live_interval {
	const struct pipa_profile *profile;
	const struct pipa_timeline *times; /* of its samples; NULL: not requested */
	uint64_t samples;
};

int pipa_live_stream_new(const struct pipa_live_stream_options *options,
			 struct pipa_live_stream **ret, struct pipa_error *err);
void pipa_live_stream_free(struct pipa_live_stream *stream);

/* Add one complete record. 0 or -ENOMEM. */
int pipa_live_stream_put(struct pipa_live_stream *stream, struct pipa_span record);

/* Read what JIT compilers have appended to their jitdumps; before records are added. */
void pipa_live_stream_read_dumps(struct pipa_live_stream *stream);

/* Do the tables exceed their limit? Then the interval should end early. */
bool pipa_live_stream_is_full(const struct pipa_live_stream *stream);

/* Return the number of pairs of process and event with samples since the last interval. */
size_t pipa_live_stream_pairs(const struct pipa_live_stream *stream);

/* End the interval: aggregate and symbolize its samples. 0 or a negative errno with err filled. */
int pipa_live_stream_take(struct pipa_live_stream *stream, struct pipa_live_interval *ret,
			  struct pipa_error *err);

#endif
