/* Download rows of a pipad server to a file, as they arrive: memory does not depend on the size of the table. */
#ifndef PIPA_JOB_REMOTE_DOWNLOAD_H
#define PIPA_JOB_REMOTE_DOWNLOAD_H

#include "job/remote/filter.h"
#include "job/remote/remote.h"

struct pipa_error;

struct pipa_download_options {
	struct pipa_remote_options server;
	struct pipa_remote_filter filter;
	enum pipa_store_format format;
	const char *output; /* file, which is replaced completely or not at all; NULL: out_fd */
	int out_fd;
	const char *version;
	struct pipa_log log;
};

int pipa_download_run(const struct pipa_download_options *options, struct pipa_error *err);

#endif
