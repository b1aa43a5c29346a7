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

/* The events as the kernel writes them, complete, and the files that are mapped: borrowed. 0 or -ENOMEM. */
int pipa_record_unwind_new(const struct pipa_perf_events *events,
			   const struct pipa_mapped_files *mapped, struct pipa_record_unwind **ret);
void pipa_record_unwind_free(struct pipa_record_unwind *live);

/* The events as the file has them. */
const struct pipa_perf_events *pipa_record_unwind_events(const struct pipa_record_unwind *live);

/*
 * Append a record to `out`, as it is to be written. 0 or -ENOMEM; 1: it is a sample whose content does not
 * fit its event, and was dropped.
 */
int pipa_record_unwind_put(struct pipa_record_unwind *live, const struct pipa_perf_raw *raw,
			   struct pipa_buf *out);

/* Whole records, one after the other, that only tell of what is there. 0 or -ENOMEM. */
int pipa_record_unwind_learn(struct pipa_record_unwind *live, const uint8_t *bytes, size_t len);

/*
 * Which of the files have samples or frames in them, one for each; NULL: that is not known, as not all events are
 * unwound, or on allocation failure. To be freed.
 */
bool *pipa_record_unwind_used(const struct pipa_record_unwind *live,
			      const struct pipa_mapped_files *files);

/* The rings were emptied once: what ended before the last time is forgotten. */
void pipa_record_unwind_round(struct pipa_record_unwind *live);

/* How stacks ended: its losses and cuts. */
const struct pipa_profile *pipa_record_unwind_profile(const struct pipa_record_unwind *live);

#endif
