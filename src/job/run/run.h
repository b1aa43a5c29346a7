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
#include "job/run/run_commands.h"
#include "measure/sample/record.h"

struct pipa_buf;
struct pipa_cpus;
struct pipa_child_signals;
struct pipa_error;
struct pipa_host;

enum pipa_run_shell {
	PIPA_RUN_SHELL_AUTO, /* sh for commands that are given as one string */
	PIPA_RUN_SHELL_SH,
	PIPA_RUN_SHELL_NONE, /* split strings into words */
};

/* A further file that the report is written to. */
struct pipa_run_export_file {
	enum pipa_run_form form;
	const char *path;
};

struct pipa_run_options {
	char **command; /* words after --; job/run/run_commands.h has the rules */
	const char *const *
		commands; /* of --command; without any command an earlier measurement is reported */
	size_t n_commands;
	enum pipa_run_shell shell;
	const char *hooks[PIPA_RUN_HOOKS]; /* run by sh, or NULL */
	unsigned int warmup;		   /* runs before those that are measured */
	const struct pipa_run_parameter *parameters;
	size_t n_parameters;
	const char *step;    /* of parameters that are ranges; NULL: 1 */
	const char *metric;  /* that commands are compared by; NULL: pipa_run_default_metric() */
	bool ignore_failure; /* measure commands that fail, and exit with 0 */
	bool show_output;    /* of commands that are compared */
	const char *from;    /* directory, archive or file of the earlier measurement */
	const char *const *from_more; /* further files of it */
	size_t n_from_more;
	const char *from_stat, *from_sar; /* its files; NULL: found by name */
	const struct pipa_cpus *pin;	  /* CPU affinity of the command; NULL: unchanged */
	const struct pipa_child_signals *command_signals; /* NULL: those of this thread */
	bool no_capture;				  /* do not capture the output */
	int command_outputs[2];		 /* descriptors to copy its standard output and error to */
	bool hide_output;		 /* capture it, but do not copy it */
	bool no_counters, no_statistics; /* do not measure them */
	bool brief;			 /* no notes on values that are missing */

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
	bool record;		   /* sample also if commands are compared */
	uint64_t hz;		   /* samples per second */
	const char *sample_events; /* sampled if possible; NULL: the default event */
	uint64_t sample_ns;	   /* maximum time of sampling, 0: until the command ends */
	enum pipa_calls calls;

	double transactions;  /* NaN: not given */
	const char *given_by; /* name of its source; NULL: --transactions */
	/* expression that finds the number of transactions in the output; NULL: built-in ones */
	const char *expression;
	double mhz; /* CPU frequency for machines that do not report one; NaN: unknown */

	unsigned int repeat;  /* 0: once, or enough to compare commands */
	const char *baseline; /* an earlier JSON report, or NULL */
	double fail_above;    /* percent of change that counts as a regression; NaN: not checked */
	const char *keep;     /* directory for the raw files, or NULL */

	struct pipa_run_format format;
	const char *output; /* a file, or NULL for out_fd */
	int out_fd;	    /* standard output of the front end; -1: only the document is written */
	struct pipa_buf *document; /* the report as JSON is appended; may be NULL */
	const struct pipa_run_export_file *exports;
	size_t n_exports;

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
