/*
 * Account for every sample of a recording: per ring, compare the kernel's count of each event with
 * the samples and lost records that came out of it. The difference is lost too, and is written
 * into the recording as LOST_SAMPLES.
 */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_ACCOUNT_H
#define PIPA_MEASURE_SAMPLE_RECORD_ACCOUNT_H

#include <stdint.h>

#include "collect/sample/sampler.h"
#include "perf/split.h"

/* Counts of one event in one ring. */
struct pipa_record_balance {
	struct pipa_sampler_count counted; /* by the kernel */
	struct pipa_perf_count seen;	   /* in the ring */
};

/*
 * Return the number of missing samples, including those that LOST records report. Exact for events
 * that are sampled each time; for clocks and for every N-th event, one can be an unfinished period;
 * otherwise it is the number that the kernel reports as dropped. Clocks miss samples if timers are
 * late, and if threads end within a period: each thread that inherits an event begins a period of
 * its own.
 */
uint64_t pipa_record_missing(const struct perf_event_attr *attr,
			     const struct pipa_record_balance *balance);

#endif
