/*
 * Run a workload and report it: counters of the command and of CPUs, statistics, samples and
 * transactions of one execution.
 */
#ifndef PIPA_JOB_RUN_RUN_H
#define PIPA_JOB_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "export/table/run.h"
#include "measure/sample/record.h"

struct pipa_cpus;
struct pipa_child_signals;
struct pipa_error;
struct pipa_host;

struct pipa_run_options {
	char **command;			  /* NULL: report an earlier measurement */
	const char *from;		  /* directory or archive of the earlier measurement */
	const char *from_stat, *from_sar; /* its files; NULL: found by name */
	const struct pipa_cpus *pin;	  /* CPU affinity of the command; NULL: unchanged */
	const struct pipa_child_signals *command_signals; /* NULL: those of this thread */
	bool no_capture;				  /* do not capture the output */
	int command_outputs[2]; /* descriptors to copy its standard output and error to */

	const char *cores;    /* a CPU list, NULL: all */
	const char *dev;      /* a disk, NULL: the busiest */
	const char *workload; /* workload name, NULL: that of the command */
	const char *username;
	const char *hw_info, *sw_info, *platform, *comment; /* for the report, or NULL */
	const char *const *remarks;			    /* additional notes of the report */
	size_t n_remarks;

	const struct pipa_event_arg *events; /* counted on the command; none: the default events */
	size_t n_events;
	unsigned int detail; /* level of additional default events */
	uint64_t interval_ns;

	uint64_t stat_ns; /* note in the report if the run was longer; 0: none */

	bool no_record;
	uint64_t hz;		   /* samples per second */
	const char *sample_events; /* sampled if possible; NULL: the default event */
	uint64_t sample_ns;	   /* maximum time of sampling, 0: until the command ends */
	enum pipa_calls calls;

	double transactions;  /* NaN: not given */
	const char *given_by; /* name of its source; NULL: --transactions */
	/* expression that finds the number of transactions in the output; NULL: built-in ones */
	const char *expression;
	double mhz; /* CPU frequency for machines that do not report one; NaN: unknown */

	unsigned int repeat;  /* 0 and 1: once */
	const char *baseline; /* an earlier JSON report, or NULL */
	double fail_above;    /* percent of change that counts as a regression; NaN: not checked */
	const char *keep;     /* directory for the raw files, or NULL */

	struct pipa_run_format look;
	const char *output; /* a file, or NULL for out_fd */
	int out_fd;	    /* standard output of the front end */

	const char *const *argv; /* pipa's arguments, for the recording */
	size_t argc;
	const char *version;

	struct pipa_log log;
};

struct pipa_run_outcome {
	bool interrupted; /* by a signal before the command was released: -EINTR */
	bool exec_failed; /* the command could not be started: err->code says why */
	bool regressed;	  /* a metric regressed by more than fail_above */
	int status;	  /* of the command, 128 + n for a signal */
};

int pipa_run_run(const struct pipa_host *host, const struct pipa_run_options *options,
		 struct pipa_run_outcome *ret, struct pipa_error *err);

#endif
