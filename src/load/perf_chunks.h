/*
 * Read a recording by several threads: each has a range of the samples, an ingest and a profile.
 * The profiles are merged in file order, so that the result equals that of one thread.
 */
#ifndef PIPA_LOAD_PERF_CHUNKS_H
#define PIPA_LOAD_PERF_CHUNKS_H

#include "load/perf_chunk.h"

struct pipa_error;

/* Into how many shares it is worth dividing: by its size, and the CPUs that are there. */
size_t pipa_perf_chunks_worth(const struct pipa_perf_reader *reader);

/*
 * Read all of it in n threads, of which this is one. `first` is the first share, made here (see
 * pipa_perf_chunk_init()); its profile is that of all of them in the end, and its ingest is gone.
 * Of a recording that cannot be divided one thread reads all.
 */
int pipa_perf_chunks_run(struct pipa_perf_chunk *first, const struct pipa_load_options *options,
			 size_t n, struct pipa_error *err);

#endif
