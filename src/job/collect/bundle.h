/*
 * Archive a recording with the files that its symbols come from. Only files of objects with
 * samples are included.
 */
#ifndef PIPA_JOB_COLLECT_BUNDLE_H
#define PIPA_JOB_COLLECT_BUNDLE_H

#include "load/load.h"

struct pipa_error;

struct pipa_bundle_options {
	struct pipa_load_options load; /* the recording, and where its files are looked for; its log
					* gets each file that is not found, and at last the result */
	const char *output;	       /* NULL: the recording's name and .tar.zst; "-": out_fd */
	int out_fd;
};

int pipa_bundle_run(const struct pipa_bundle_options *options, struct pipa_error *err);

#endif
