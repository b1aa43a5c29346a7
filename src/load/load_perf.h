/* Load perf.data. Private to load/. */
#ifndef PIPA_LOAD_LOAD_PERF_H
#define PIPA_LOAD_LOAD_PERF_H

#include "load/load.h"

int pipa_load_perf(const struct pipa_load_options *options, const struct pipa_input *input,
		   struct pipa_loaded *ret, struct pipa_error *err);

#endif
