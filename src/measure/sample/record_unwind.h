/*
 * Unwind samples while recording: side-band records update the address spaces, and each sample is
 * rewritten with its call chain in place of registers and stack dump.
 */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_UNWIND_H
#define PIPA_MEASURE_SAMPLE_RECORD_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "perf/attr.h"

struct pipa_buf;
struct pipa_mapped_files;
struct pipa_perf_raw;
struct pipa_record_unwind;

/*
 * Create the unwinder. The events, as the kernel writes them, and the mapped files are borrowed. 0
 * or -ENOMEM.
 */
int pipa_record_unwind_new(const struct pipa_perf_events *events,
			   const struct pipa_mapped_files *mapped, struct pipa_record_unwind **ret);
void pipa_record_unwind_free(struct pipa_record_unwind *live);

/* Return the events as the file has them. */
const struct pipa_perf_events *pipa_record_unwind_events(const struct pipa_record_unwind *live);

/*
 * Append a record to `out`, as it is to be written. 0 or -ENOMEM; 1 if it is a malformed sample,
 * which was dropped.
 */
int pipa_record_unwind_put(struct pipa_record_unwind *live, const struct pipa_perf_raw *raw,
			   struct pipa_buf *out);

/* Process complete side-band records. 0 or -ENOMEM. */
int pipa_record_unwind_learn(struct pipa_record_unwind *live, const uint8_t *bytes, size_t len);

/*
 * Return for each file whether it has samples or frames; the caller frees the array. NULL if
 * unknown, because not all events are unwound, or on allocation failure.
 */
bool *pipa_record_unwind_used(const struct pipa_record_unwind *live,
			      const struct pipa_mapped_files *files);

/* End a drain of the rings: drop processes that ended before the previous one. */
void pipa_record_unwind_round(struct pipa_record_unwind *live);

/* Return the profile with the losses and the ends of stacks. */
const struct pipa_profile *pipa_record_unwind_profile(const struct pipa_record_unwind *live);

#endif
