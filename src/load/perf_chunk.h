/* Read a range of a recording into a profile: an ingest with its callbacks. One per thread. */
#ifndef PIPA_LOAD_PERF_CHUNK_H
#define PIPA_LOAD_PERF_CHUNK_H

#include "load/load.h"

struct pipa_code_files;
struct pipa_jitdumps;
struct pipa_perf_reader;
struct pipa_profile_builder;
struct pipa_unwind_tables;

struct pipa_perf_chunk {
	struct pipa_perf_reader *reader; /* of the whole recording: it has the events */
	struct pipa_profile *profile;
	struct pipa_timeline *timeline; /* NULL: no timeline */
	struct pipa_code_files *files;	/* owned by the caller, like profile, timeline and tables */
	struct pipa_unwind_tables *tables; /* of these files */
	struct pipa_profile_builder *builder;
	struct pipa_jitdumps *jitdumps; /* NULL: JIT code stays unresolved */
};

/*
 * Create the builder; the other fields are set by the caller. 0 or -ENOMEM. Call
 * pipa_perf_chunk_done() in any case.
 */
int pipa_perf_chunk_init(struct pipa_perf_chunk *chunk, const struct pipa_load_options *options);
void pipa_perf_chunk_done(struct pipa_perf_chunk *chunk);

struct pipa_ingest *pipa_perf_chunk_ingest(const struct pipa_perf_chunk *chunk);

#endif
