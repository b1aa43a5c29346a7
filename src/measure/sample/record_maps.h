/*
 * Open and verify the file of each mapping while the mapping exists (locate/mapped_files.h), and
 * write its build ID into the record. The kernel is not asked for build IDs by default: on kernel
 * 6.18 that changes the records of other readers, too.
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

/*
 * Create a tracker. `kernel_ids`: the kernel writes build IDs, so the flag in its records is true.
 * NULL on allocation failure.
 */
struct pipa_record_maps *pipa_record_maps_new(bool kernel_ids);
void pipa_record_maps_free(struct pipa_record_maps *maps);

/* Return the record to write: `raw`, or a changed copy that is valid until the next call. */
struct pipa_perf_raw pipa_record_maps_put(struct pipa_record_maps *maps,
					  const struct pipa_perf_raw *raw);

/* Process complete records in place. */
void pipa_record_maps_change(struct pipa_record_maps *maps, uint8_t *bytes, size_t len);

/* Return the files seen so far, borrowed. */
const struct pipa_mapped_files *pipa_record_maps_files(const struct pipa_record_maps *maps);

/* A process of a container with anonymous executable memory, probably JIT-compiled code. */
struct pipa_record_jit {
	uint32_t pid, ns_pid; /* here, and in its own PID namespace */
	bool contained;
};

/* Return the processes seen so far, borrowed. */
const struct pipa_record_jit *pipa_record_maps_jits(const struct pipa_record_maps *maps,
						    size_t *ret_n);

/* Return the number of files that could not be verified, and the first one, or NULL. */
size_t pipa_record_maps_unverified(const struct pipa_record_maps *maps, const char **ret_first);

/* Set the list of build IDs of the header, borrowed from `maps`. 0 or -ENOMEM. */
int pipa_record_maps_about(struct pipa_record_maps *maps, struct pipa_perf_about *about);

#endif
