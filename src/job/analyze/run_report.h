/* Run a workload and write the report of `pipa analyze` on it: `pipa run --report`. */
#ifndef PIPA_JOB_ANALYZE_RUN_REPORT_H
#define PIPA_JOB_ANALYZE_RUN_REPORT_H

#include <stddef.h>

struct pipa_error;
struct pipa_host;
struct pipa_run_options;
struct pipa_run_outcome;

/*
 * Run one command once, or read the earlier measurement of the options, and write the analysis as an HTML file to
 * `path`. Without a directory in options->keep the files of the run are stored in a temporary one. No report is
 * written if the run failed or was interrupted before its command started; a failure of the command does not count.
 */
int pipa_run_report(const struct pipa_host *host, const struct pipa_run_options *options,
		    const char *path, struct pipa_run_outcome *ret, struct pipa_error *err);

#endif
