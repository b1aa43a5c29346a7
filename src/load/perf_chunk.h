/*
 * What makes a profile of a recording's records: an ingest with all that it asks for. One for each
 * thread that reads a share of the recording. Inside job/ only.
 */
#ifndef PIPA_LOAD_PERF_CHUNK_H
#define PIPA_LOAD_PERF_CHUNK_H

#include <pthread.h>

#include "load/load.h"

struct pipa_perf_reader;

struct pipa_perf_chunk {
	struct pipa_perf_reader *reader; /* of the whole recording: it knows the events */
	struct pipa_profile *profile;
	struct pipa_timeline *timeline;	   /* NULL: nobody asks for times */
	struct pipa_unwind_tables *tables; /* the caller's, like profile and timeline */
	struct pipa_ingest *ingest;
	const struct pipa_locate_options *locate;
	struct pipa_jitdumps *jitdumps; /* NULL: nobody asks for code made at run time */
	struct {
		uint32_t *items;
		size_t n, cap;
	} events; /* the profile's number of each */
};

/*
 * Reader and profile are set, jitdumps if they are wanted; tables are made. The lock is held while files
 * are looked for, NULL where no other thread does. 0 or -ENOMEM; done() is due in any case.
 */
int pipa_perf_chunk_init(struct pipa_perf_chunk *share, const struct pipa_load_options *options,
			 pthread_mutex_t *lock);
void pipa_perf_chunk_done(struct pipa_perf_chunk *share);

/* All events get their number, those without samples too. 0 or -ENOMEM. */
int pipa_perf_chunk_number_events(struct pipa_perf_chunk *share);

#endif
