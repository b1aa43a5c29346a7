/* Write a table of a profile, recording or series for data tools, in a format that they read. */
#ifndef PIPA_JOB_EXCHANGE_FRAME_H
#define PIPA_JOB_EXCHANGE_FRAME_H

#include <stdbool.h>

#include "load/load.h"

struct pipa_error;
struct pipa_script_filter;

enum pipa_frame_kind {
	PIPA_FRAME_SAMPLES,
	PIPA_FRAME_RECORDS,
	PIPA_FRAME_STACKS,
	PIPA_FRAME_LOCATIONS,
	PIPA_FRAME_FUNCTIONS,
	PIPA_FRAME_SERIES,
	PIPA_FRAME_KIND_NR,
};

enum pipa_frame_format {
	PIPA_FRAME_PARQUET,
	PIPA_FRAME_CSV,
	PIPA_FRAME_JSON, /* lines */
	PIPA_FRAME_SQLITE,
	PIPA_FRAME_FORMAT_NR,
};

struct pipa_frame_job {
	struct pipa_load_options load;
	enum pipa_frame_kind kind;
	/* choose the kind: series for statistics, else samples; in a database all tables */
	bool auto_kind;
	enum pipa_frame_format format;
	/* rows of samples; NULL: all */
	const struct pipa_script_filter *filter;
	const char *event;
	const char *created_by; /* program and version */
	const char *output;	/* a file; NULL: out_fd */
	int out_fd;
};

/* Return the kind or format of that name; the number of them if there is none. */
enum pipa_frame_kind pipa_frame_kind_find(const char *name);
enum pipa_frame_format pipa_frame_format_find(const char *name);

/* Has the file statistics or counts, but no samples? False for standard input, or if it cannot be read. */
bool pipa_frame_is_series(const char *path);

/*
 * Write the table. The number of a stack, location or function is the same in all tables of one file and one
 * version of pipa. -EINVAL if the input has no such table. An incomplete file is removed.
 */
int pipa_frame_run(const struct pipa_frame_job *job, struct pipa_error *err);

#endif
