/* Count events while a command runs, or on running processes, CPUs or cgroups, and report them. */
#ifndef PIPA_JOB_STAT_H
#define PIPA_JOB_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "export/table/stat.h"
#include "measure/count/count_plan.h"

struct pipa_child_signals;
struct pipa_error;
struct pipa_host;

struct pipa_stat_options {
	struct pipa_count_options count;
	const struct pipa_child_signals *command_signals; /* NULL: those of this thread */
	bool summary;					  /* report the total after the intervals */
	const char *compare;				  /* an earlier JSON report, or NULL */

	struct pipa_stat_format format;
	const char *output; /* a file, or NULL for out_fd */
	bool append;
	int out_fd;
};

struct pipa_stat_outcome {
	bool exec_failed; /* the command could not be started: err->code says why */
	int status;	  /* exit status: that of the command, 128 + n for a signal */
};

int pipa_stat_run(const struct pipa_host *host, const struct pipa_stat_options *options,
		  struct pipa_stat_outcome *ret, struct pipa_error *err);

#endif
