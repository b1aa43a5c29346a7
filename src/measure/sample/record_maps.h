/*
 * Open and verify the file of each mapping while the mapping exists (locate/mapped_files.h), and
 * write its build id into the record. The kernel is not requested build ids: on kernel 6.18 that
 * changes the records of other listeners too.
 */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_MAPS_H
#define PIPA_MEASURE_SAMPLE_RECORD_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/decode.h"

struct pipa_mapped_files;
struct pipa_perf_about;
struct pipa_record_maps;

/* `kernel_ids`: the kernel writes build ids, so the flag in its records is true. NULL on allocation failure. */
struct pipa_record_maps *pipa_record_maps_new(bool kernel_ids);
void pipa_record_maps_free(struct pipa_record_maps *maps);

/* Return the record as it is to be written: `raw`, or a changed copy that is valid until the next call. */
struct pipa_perf_raw pipa_record_maps_put(struct pipa_record_maps *maps,
					  const struct pipa_perf_raw *raw);

/* The same for whole records, one after the other, changed in place. */
void pipa_record_maps_change(struct pipa_record_maps *maps, uint8_t *bytes, size_t len);

/* The files seen so far, borrowed. */
const struct pipa_mapped_files *pipa_record_maps_files(const struct pipa_record_maps *maps);

/* A process of a container that has code outside of files: JIT-compiled code, say. */
struct pipa_record_jit {
	uint32_t pid, ns_pid; /* here, and in its own PID namespace */
	bool contained;
};

/* Those that were seen, borrowed. */
const struct pipa_record_jit *pipa_record_maps_jits(const struct pipa_record_maps *maps,
						    size_t *ret_n);

/* Files that could not be verified: their number, and the first of them, NULL: none. */
size_t pipa_record_maps_unverified(const struct pipa_record_maps *maps, const char **ret_first);

/* Set the list of build ids for the header, borrowed from `maps`. 0 or -ENOMEM. */
int pipa_record_maps_about(struct pipa_record_maps *maps, struct pipa_perf_about *about);

#endif
