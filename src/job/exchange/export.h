/* Write the profile of a file of any kind in a format for other tools. */
#ifndef PIPA_JOB_EXCHANGE_EXPORT_H
#define PIPA_JOB_EXCHANGE_EXPORT_H

#include <stdbool.h>

#include "base/log.h"
#include "ingest/ingest.h"
#include "symbolize/symbolize.h"

struct pipa_error;

enum pipa_export_format {
	PIPA_EXPORT_PPROF, /* profile.proto, compressed with gzip */
	PIPA_EXPORT_FOLDED,
	PIPA_EXPORT_FORMAT_NR,
};

struct pipa_export_options {
	const char *path;   /* NULL or "-": standard input */
	const char *output; /* a file; NULL: out_fd */
	enum pipa_export_format format;
	const char *event; /* folded: only this one; NULL: the first */
	bool not_inlined;  /* inlined functions are not frames */
	bool no_threads;   /* add up the samples of all threads */
	bool uncompressed; /* pprof: no gzip */
	struct pipa_ingest_options ingest;
	struct pipa_symbolize_options symbols;
	int out_fd;
	struct pipa_log log;
};

/* Return the format of that name; PIPA_EXPORT_FORMAT_NR if there is none. */
enum pipa_export_format pipa_export_format_find(const char *name);

/* Returns 0 or a negative errno with err filled; a file that could not be written completely is not left behind. */
int pipa_export_run(const struct pipa_export_options *options, struct pipa_error *err);

#endif
