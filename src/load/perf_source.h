/* Open perf.data with the files of a directory, decompressing records. */
#ifndef PIPA_LOAD_PERF_SOURCE_H
#define PIPA_LOAD_PERF_SOURCE_H

#include <stdbool.h>

struct pipa_error;
struct pipa_input;
struct pipa_perf_reader;
struct pipa_perf_source;

/*
 * Open an input, which must outlive the source. `ordered`: sort records by time, see
 * perf/file_read.h.
 */
int pipa_perf_source_open(const struct pipa_input *input, bool ordered,
			  struct pipa_perf_source **ret, struct pipa_error *err);
void pipa_perf_source_close(struct pipa_perf_source *source);

struct pipa_perf_reader *pipa_perf_source_reader(struct pipa_perf_source *source);

static inline void pipa_perf_source_close_auto(struct pipa_perf_source **source)
{
	pipa_perf_source_close(*source);
}

#endif
