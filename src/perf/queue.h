/*
 * Queue of records that wait for the end of a round or for their turn in time order: copies of
 * their bytes in one buffer. Private to perf/.
 */
#ifndef PIPA_PERF_QUEUE_H
#define PIPA_PERF_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "perf/decode.h"

struct pipa_perf_held {
	uint64_t time, seq;
	struct pipa_perf_raw raw; /* the body is set when the record is passed on */
	size_t offset;
};

struct pipa_perf_queue {
	struct pipa_perf_held *items;
	size_t n, cap;
	uint8_t *bytes;
	size_t used, room;
	uint64_t seq;
};

typedef int (*pipa_perf_queue_fn)(void *ctx, const struct pipa_perf_raw *raw);

void pipa_perf_queue_done(struct pipa_perf_queue *queue);

/* Add a copy of a record. 0 or -ENOMEM. */
int pipa_perf_queue_add(struct pipa_perf_queue *queue, const struct pipa_perf_raw *raw,
			uint64_t time);

/*
 * Pass records with time <= until to fn, in order of time and then of arrival, and remove them.
 * Returns the result of fn.
 */
int pipa_perf_queue_flush(struct pipa_perf_queue *queue, uint64_t until, pipa_perf_queue_fn fn,
			  void *ctx);

#endif
