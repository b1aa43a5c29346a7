/*
 * Upload results and recordings to a pipad server.
 *
 * A path is a report (`pipa run -f json`, `pipa analyze -f json`), a directory or archive of a measurement, or a
 * recording. A report or directory is one result, a comparison of commands one for each. Recordings belong to the only
 * result among the paths; without one, each recording gives its own result. A perf.data recording is sent as a bundle,
 * so that it can be symbolized on other machines. Equal results are stored once.
 */
#ifndef PIPA_JOB_REMOTE_UPLOAD_H
#define PIPA_JOB_REMOTE_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "job/remote/remote.h"

struct pipa_buf;
struct pipa_config;
struct pipa_error;
struct pipa_host;

struct pipa_upload_options {
	struct pipa_remote_options server;
	const char *table;	   /* NULL: that of the server */
	const char *const *labels; /* "KEY=VALUE" */
	size_t n_labels;
	const char *const *paths;
	size_t n_paths;
	/*
	 * A configuration, or NULL. Its texts take precedence over those of the results, its numbers complete them. Its
	 * data_location, or the directory of its perf_stat_path, is a further path if there are no others.
	 */
	const struct pipa_config *config;
	const char *username; /* for results without one; may be NULL */
	bool dry_run;	      /* print what would be sent; no connection is made */
	const char *version;
	/* Receives each line of output, without its newline; a negative result ends the upload. */
	int (*print)(void *ctx, const char *line);
	void *ctx;
	struct pipa_log log; /* gets failures of single paths */
};

/* 0; -EREMOTEIO if not everything could be uploaded: err has the number, or the reason if there was only one path. */
int pipa_upload_run(const struct pipa_host *host, const struct pipa_upload_options *options,
		    struct pipa_error *err);

/* A report in memory, with the files that belong to it. */
struct pipa_upload_report {
	const char *name; /* for the lines */
	struct pipa_buf *document;
	const char *data_location; /* or NULL */
	const char *recording;	   /* file, or NULL */
	bool measured_here; /* hw_info and platform that are missing are those of this machine */
};

int pipa_upload_report(const struct pipa_host *host, const struct pipa_upload_options *options,
		       const struct pipa_upload_report *report, struct pipa_error *err);

#endif
