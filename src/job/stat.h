/*
 * Count events while a command runs, or while processes, CPUs or cgroups are watched: options in,
 * report out. The front end parses and prints errors; everything else is here.
 */
#ifndef PIPA_JOB_STAT_H
#define PIPA_JOB_STAT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "export/stat.h"
#include "job/target.h"
#include "model/stat.h"

struct pipa_error;
struct pipa_perf;
struct pipa_root;

struct pipa_stat_options {
	char **command;		      /* NULL-terminated, or NULL: watch until stopped */
	const sigset_t *command_mask; /* the signal mask it gets; NULL: ours */

	const char *pids, *tids; /* lists of numbers */
	const char *cpus;	 /* a CPU list */
	bool system_wide;
	const char *cgroups; /* list of names: each event is counted in all of them */
	bool no_inherit, no_merge;
	bool user_only, kernel_only; /* of events that do not say themselves */

	const struct pipa_event_arg *events;
	size_t n_events;
	const char *metrics; /* of -M, NULL without */
	bool topdown;
	unsigned int detail; /* how often -d was given */
	bool null_run;	     /* time only, no events */

	enum pipa_aggr by;
	unsigned int repeat;  /* 0 and 1: once */
	uint64_t interval_ns; /* 0: one report at the end */
	uint64_t intervals;   /* stop reporting after so many, 0: never */
	uint64_t timeout_ns;  /* stop after, 0: never */
	uint64_t delay_ns;    /* count from then on */
	bool summary;	      /* behind the intervals, the whole */
	const char *compare;  /* a JSON report of before */

	struct pipa_stat_look look;
	const char *output; /* a file, or NULL for out_fd */
	bool append;
	int out_fd;

	/* the machine; NULL is the one we run on */
	const struct pipa_perf *perf;
	struct pipa_root *root;
};

struct pipa_stat_outcome {
	bool exec_failed; /* the command could not be started: err->code says why */
	int status;	  /* what to exit with: the command's own, 128 + n for a signal */
};

int pipa_stat_run(const struct pipa_stat_options *options, struct pipa_stat_outcome *ret,
		  struct pipa_error *err);

#endif
