/* The part of job/load that reads perf.data. Inside job/ only. */
#ifndef PIPA_JOB_LOAD_PERF_H
#define PIPA_JOB_LOAD_PERF_H

#include "job/load.h"

struct pipa_bytes;

/* `parts` are the other files of a recording that is a folder. */
int pipa_load_perf(const struct pipa_load_options *options, const struct pipa_bytes *bytes,
		   const struct pipa_bytes *parts, size_t n_parts, struct pipa_loaded *ret,
		   struct pipa_error *err);

#endif
