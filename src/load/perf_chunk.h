/* Build a profile of a chunk of a recording; each thread that reads one has its own. Inside load/ only. */
#ifndef PIPA_LOAD_PERF_CHUNK_H
#define PIPA_LOAD_PERF_CHUNK_H

#include <pthread.h>

#include "load/load.h"

struct pipa_perf_reader;
struct pipa_profile_builder;

struct pipa_perf_chunk {
	struct pipa_perf_reader *reader; /* of the whole recording: it knows the events */
	struct pipa_profile *profile;
	struct pipa_timeline *timeline;	   /* NULL: times are not kept */
	struct pipa_unwind_tables *tables; /* the caller's, like profile and timeline */
	struct pipa_profile_builder *builder;
	struct pipa_jitdumps *jitdumps; /* NULL: JIT-compiled code stays unresolved */
};

/*
 * Make tables and builder; reader and profile are set, timeline and jitdumps if they are wanted. The lock is
 * held while files are looked for; NULL where no other thread does. 0 or -ENOMEM; done() is due in any case.
 */
int pipa_perf_chunk_init(struct pipa_perf_chunk *share, const struct pipa_load_options *options,
			 pthread_mutex_t *lock);
void pipa_perf_chunk_done(struct pipa_perf_chunk *share);

struct pipa_ingest *pipa_perf_chunk_ingest(const struct pipa_perf_chunk *share);

#endif
