/* Analyze earlier measurements and write the report as one HTML file: `pipa analyze`. */
#ifndef PIPA_JOB_ANALYZE_ANALYZE_H
#define PIPA_JOB_ANALYZE_ANALYZE_H

#include "job/analyze/analysis.h"

struct pipa_error;

struct pipa_analyze_options {
	struct pipa_analysis_options analysis;
	const char *title;   /* NULL: the name of the first input */
	const char *version; /* of pipa */
	const char *output;  /* a file, replaced as a whole; NULL: out_fd */
	int out_fd;
};

/* Analyze and write the report. -ENODATA if nothing is usable; then no file is written. */
int pipa_analyze_run(const struct pipa_analyze_options *options, struct pipa_error *err);

/*
 * Return the path of a report in the current directory that does not exist: "report.html", then
 * "report_1.html"... The caller frees it. NULL on allocation failure.
 */
char *pipa_analyze_free_path(void);

#endif
