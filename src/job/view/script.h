/*
 * Print the samples of a perf.data recording one by one in time order. The file is read twice: for
 * the locations, which are symbolized together, and for the samples.
 */
#ifndef PIPA_JOB_VIEW_SCRIPT_H
#define PIPA_JOB_VIEW_SCRIPT_H

#include <stdbool.h>

#include "export/table/script.h"
#include "job/view/script_filter.h"
#include "load/load.h"

struct pipa_error;

struct pipa_script_options {
	struct pipa_load_options load; /* path, time range, depth of stacks, symbols */
	struct pipa_script_fields fields;
	struct pipa_script_filter filter;
	bool json;
	bool header, header_only; /* text: print the header of the recording first, or only it */
	int out_fd;
};

/*
 * Print the samples. -EINVAL if the input is not a recording; corruption and losses are noted and
 * are not a failure.
 */
int pipa_script_run(const struct pipa_script_options *options, struct pipa_error *err);

#endif
