/*
 * Read a recording by several threads: each has a range of the samples, an ingest and a profile.
 * The profiles are merged in file order, so that the result equals that of one thread.
 */
#ifndef PIPA_LOAD_PERF_CHUNKS_H
#define PIPA_LOAD_PERF_CHUNKS_H

#include "load/perf_chunk.h"

struct pipa_error;

/* Return the number of chunks that is useful for the recording's size and the number of CPUs. */
size_t pipa_perf_chunks_worth(const struct pipa_perf_reader *reader);

/*
 * Read the recording in n threads, of which the caller is one. `first` is the first chunk (see
 * pipa_perf_chunk_init()); its profile becomes that of all chunks, and its ingest is freed. A
 * recording that cannot be divided is read by one thread.
 */
int pipa_perf_chunks_run(struct pipa_perf_chunk *first, const struct pipa_load_options *options,
			 size_t n, struct pipa_error *err);

#endif
