/*
 * Run a workload and report it: counters of the command and of CPUs, statistics, samples and
 * transactions of one execution.
 */
#ifndef PIPA_JOB_RUN_RUN_H
#define PIPA_JOB_RUN_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "export/table/run.h"
#include "measure/sample/record.h"

struct pipa_cpus;
struct pipa_error;
struct pipa_host;

struct pipa_run_options {
	char **command;	  /* NULL: nothing is run, */
	const char *from; /* and the report is of what was measured earlier and lies here, */
	const char *from_stat, *from_sar; /* or in these files; NULL: by their names */
	const struct pipa_cpus *pin;	  /* where the command may run; NULL: anywhere */
	const sigset_t *command_mask;	  /* the signal mask it gets; NULL: ours */
	bool no_capture;		  /* its output is left alone */

	const char *cores;    /* a CPU list, NULL: all */
	const char *dev;      /* a disk, NULL: the busiest */
	const char *workload; /* a name, NULL: the command's */
	const char *username;
	const char *hw_info, *sw_info, *platform, *comment; /* for the report, or NULL */
	const char *const *remarks;			    /* sentences for its notes */
	size_t n_remarks;

	const struct pipa_event_arg *events; /* counted on the command; none: the usual ones */
	size_t n_events;
	unsigned int detail; /* more of the usual ones */
	uint64_t interval_ns;

	uint64_t stat_ns; /* a limit that is told where a run was longer, 0: none */

	bool no_record;
	uint64_t hz;		   /* samples a second */
	const char *sample_events; /* that are sampled where they can be; NULL: the usual one */
	uint64_t sample_ns;	   /* for how long at most, 0: until it ends */
	enum pipa_calls calls;

	double transactions;	/* NaN: not given */
	const char *given_by;	/* what gave it; NULL: --transactions */
	const char *expression; /* that finds their number in the output, NULL: what is known */
	double mhz;		/* a frequency for machines that do not tell; NaN: none */

	unsigned int repeat;  /* 0 and 1: once */
	const char *baseline; /* an earlier JSON report, or NULL */
	double fail_above;    /* percent by which nothing may have become worse; NaN: no matter */
	const char *keep;     /* a directory for the raw recordings, or NULL */

	struct pipa_run_format look;
	const char *output; /* a file, or NULL for out_fd */
	int out_fd;	    /* standard output of the front end */

	const char *const *argv; /* how pipa was called, for the recording */
	size_t argc;
	const char *version;

	struct pipa_log log;
};

struct pipa_run_outcome {
	bool exec_failed; /* the command could not be started: err->code says why */
	bool regressed;	  /* something became worse by more than fail_above */
	int status;	  /* the command's own, 128 + n for a signal */
};

int pipa_run_run(const struct pipa_host *host, const struct pipa_run_options *options,
		 struct pipa_run_outcome *ret, struct pipa_error *err);

#endif
