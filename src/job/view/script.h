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
	struct pipa_load_options load; /* path, range of time, depth of stacks, names */
	struct pipa_script_fields fields;
	struct pipa_script_filter filter;
	bool json;
	int out_fd;
};

/* -EINVAL for what is not a recording; damage and losses are noted and no failure. */
int pipa_script_run(const struct pipa_script_options *options, struct pipa_error *err);

#endif
