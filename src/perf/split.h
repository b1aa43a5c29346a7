/*
 * Split ring memory into records on the way to a file, and count them by event and CPU. Records
 * that wrap around the end of a ring are joined.
 */
#ifndef PIPA_PERF_SPLIT_H
#define PIPA_PERF_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "perf/attr.h"
#include "perf/decode.h"

struct pipa_perf_count {
	uint64_t samples, lost, throttled;
	uint64_t weight;       /* the sum of the samples' periods, where they carry one */
	uint64_t throttled_ns; /* how long sampling was off, of the times that it came back */
};

/* An interval without samples; its end is 0 while it lasts. */
struct pipa_perf_throttle {
	uint32_t event;
	int cpu;
	uint64_t from_ns, to_ns;
};

enum { PIPA_PERF_THROTTLES = 64 };

/* Called for every complete record. */
typedef int (*pipa_perf_record_fn)(void *ctx, const struct pipa_perf_raw *raw);

struct pipa_perf_splitter {
	const struct pipa_perf_events *events; /* borrowed */
	size_t n_cpus;			       /* events below this index are counted apart */
	struct pipa_perf_count *counts;	       /* n_cpus of each event */
	struct pipa_perf_count all;
	uint64_t first_ns, last_ns; /* of the samples */
	uint64_t forks;		    /* threads and processes that were made meanwhile */
	struct pipa_perf_throttle throttles[PIPA_PERF_THROTTLES]; /* the first ones */
	size_t n_throttles;
	pipa_perf_record_fn fn; /* NULL: only count */
	void *ctx;
	size_t held; /* bytes of a record that goes on in the next piece */
	uint64_t cut[PIPA_PERF_RECORD_MAX / 8];
};

/* Samples begin with their id, other records end with it (PERF_SAMPLE_IDENTIFIER). */
int pipa_perf_splitter_new(const struct pipa_perf_events *events, size_t n_cpus,
			   struct pipa_perf_splitter **ret);
void pipa_perf_splitter_free(struct pipa_perf_splitter *tally);

/* A piece of a CPU's ring, its first byte at an address that 8 divides. Returns 0 or what fn returned. */
int pipa_perf_splitter_add(struct pipa_perf_splitter *tally, int cpu, const uint8_t *bytes,
			   size_t len);

/* Return the counts of an event on a CPU, -1: all CPUs. */
struct pipa_perf_count pipa_perf_splitter_of(const struct pipa_perf_splitter *tally, size_t event,
					     int cpu);

/* Return how many of the bytes, which begin with a record, are complete records. */
size_t pipa_perf_whole(const uint8_t *bytes, size_t len);

#endif
