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
	uint64_t weight;       /* sum of the periods of samples that have one */
	uint64_t throttled_ns; /* total time of the throttled intervals that have ended */
};

/* An interval in which the kernel throttled an event; to_ns is 0 until it ends. */
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
	size_t n_cpus;			       /* number of CPUs that are counted separately */
	struct pipa_perf_count *counts;	       /* [event * n_cpus + cpu] */
	struct pipa_perf_count all;
	uint64_t first_ns, last_ns; /* times of the first and last sample */
	uint64_t forks;		    /* number of fork records */
	struct pipa_perf_throttle throttles[PIPA_PERF_THROTTLES]; /* first intervals */
	size_t n_throttles;
	pipa_perf_record_fn fn; /* NULL: only count */
	void *ctx;
	size_t held; /* bytes in `cut` of a record that continues in the next piece */
	uint64_t cut[PIPA_PERF_RECORD_MAX / 8];
};

/* Create a splitter of records with PERF_SAMPLE_IDENTIFIER. 0 or -ENOMEM. */
int pipa_perf_splitter_new(const struct pipa_perf_events *events, size_t n_cpus,
			   struct pipa_perf_splitter **ret);
void pipa_perf_splitter_free(struct pipa_perf_splitter *tally);

/* Split a piece of the ring of a CPU, aligned to 8 bytes. Returns 0 or the result of fn. */
int pipa_perf_splitter_add(struct pipa_perf_splitter *tally, int cpu, const uint8_t *bytes,
			   size_t len);

/* Return the counts of an event on a CPU; -1: sum of all CPUs. */
struct pipa_perf_count pipa_perf_splitter_of(const struct pipa_perf_splitter *tally, size_t event,
					     int cpu);

/* Return the size of the complete records at the start of the bytes. */
size_t pipa_perf_whole(const uint8_t *bytes, size_t len);

#endif
