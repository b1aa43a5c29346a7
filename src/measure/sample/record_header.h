/* Header of a recording: description of the machine, command line, events. */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_HEADER_H
#define PIPA_MEASURE_SAMPLE_RECORD_HEADER_H

#include <time.h>

#include "base/arena.h"
#include "kernel/event/pmu.h"
#include "model/record.h"
#include "perf/file_write.h"

struct pipa_root;

struct pipa_record_header {
	struct pipa_perf_about about;
	struct pipa_arena arena; /* of its strings */
	struct pipa_build_id kernel_id;
};

/*
 * Read the description of the machine; `clock` is that of the recording. Unknown values are omitted.
 * 0 or -ENOMEM.
 */
int pipa_record_header_load(struct pipa_record_header *ret, struct pipa_root *root,
			    const struct pipa_pmus *pmus, clockid_t clock);
void pipa_record_header_done(struct pipa_record_header *about);

#endif
