/* Statistics of metrics of the results at a pipad server, by groups of runs. */
#ifndef PIPA_JOB_REMOTE_METRICS_H
#define PIPA_JOB_REMOTE_METRICS_H

#include "job/remote/filter.h"
#include "job/remote/remote.h"

struct pipa_error;

enum pipa_metrics_form {
	PIPA_METRICS_TEXT,
	PIPA_METRICS_CSV,
	PIPA_METRICS_JSON, /* an object per line */
	PIPA_METRICS_PARQUET,
	PIPA_METRICS_FORM_NR,
};

enum { PIPA_METRICS_MAX = 60, PIPA_METRICS_BY_MAX = 8 };

struct pipa_metrics_options {
	struct pipa_remote_options server;
	struct pipa_remote_filter filter;
	const char *metrics; /* names, comma-separated */
	const char *by;	     /* fields, "label:KEY", "day", comma-separated; NULL: one group */
	unsigned int limit;  /* groups; 0: the default of the server */
	enum pipa_metrics_form form;
	const char *output; /* file; NULL: out_fd */
	int out_fd;
	const char *version;
	struct pipa_log log; /* gets a note if groups were left out */
};

/* Check the names of metrics and groups. 0; -EINVAL for names that results do not have; -ENOMEM. */
int pipa_metrics_check(const struct pipa_metrics_options *options, struct pipa_error *err);

/* Write a table with a row per group and metric. -EINVAL for names that results do not have. */
int pipa_metrics_run(const struct pipa_metrics_options *options, struct pipa_error *err);

#endif
