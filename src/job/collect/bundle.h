/*
 * Archive a recording with the files that its symbols come from. Only files of objects with
 * samples are included.
 */
#ifndef PIPA_JOB_COLLECT_BUNDLE_H
#define PIPA_JOB_COLLECT_BUNDLE_H

#include "load/load.h"

struct pipa_error;

struct pipa_bundle_options {
	/*
	 * the recording and where to find its files; the log gets each missing file, then the
	 * result
	 */
	struct pipa_load_options load;
	const char *output; /* NULL: name of the recording with .tar.zst; "-": out_fd */
	int out_fd;
};

int pipa_bundle_run(const struct pipa_bundle_options *options, struct pipa_error *err);

#endif
