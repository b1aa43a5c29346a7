/* State of a measured run: shared by the run_*.c files only. */
#ifndef PIPA_JOB_RUN_RUN_OWN_H
#define PIPA_JOB_RUN_RUN_OWN_H

#include <errno.h>

#include "base/error.h"
#include "import/bench/transactions.h"
#include "job/run/run.h"
#include "kernel/process/capture.h"
#include "measure/count/count_plan.h"
#include "measure/count/counting.h"
#include "measure/follow.h"
#include "measure/instrument.h"
#include "measure/sample/record_job.h"
#include "measure/session.h"
#include "measure/watch.h"
#include "model/run.h"
#include "model/sections.h"
#include "model/series.h"

struct pipa_archive;
struct pipa_outfile;
struct pipa_csv_recorder;

/* Sets of counters. A set that is not supported or not permitted does not affect the others. */
enum pipa_run_set {
	PIPA_RUN_SET_CPUS,    /* the named cores, or all */
	PIPA_RUN_SET_OWN,     /* the command and its children */
	PIPA_RUN_SET_TOPDOWN, /* top-down pipeline slots of the command */
	PIPA_RUN_SET_ENERGY,  /* energy of packages */
	PIPA_RUN_SETS,
};

/* The sets, files, samples, output and statistics. */
enum { PIPA_RUN_INSTRUMENTS_MAX = PIPA_RUN_SETS + 4 };

struct pipa_run_counts {
	struct pipa_count_options options;
	struct pipa_counting counting;
	struct pipa_instrument instrument;
};

/* Files of --keep; write failures are noted at the end. */
enum pipa_run_kept {
	PIPA_RUN_KEPT_STAT,
	PIPA_RUN_KEPT_STDOUT,
	PIPA_RUN_KEPT_STDERR,
	PIPA_RUN_KEPT_STATISTICS,
	PIPA_RUN_KEPT_FILES,
};

struct pipa_run_measurement {
	const struct pipa_run_options *o;
	const struct pipa_host *host;
	struct pipa_follow follow;
	struct pipa_run *run;	      /* the result */
	const struct pipa_run *shell; /* of an empty command, to be subtracted; NULL: none */
	size_t number;		      /* of this run, from 1 */

	struct pipa_session session;
	struct pipa_instrument *instruments[PIPA_RUN_INSTRUMENTS_MAX]; /* of the session */

	struct pipa_run_counts counts[PIPA_RUN_SETS];
	struct pipa_instrument_ops own_ops; /* of the command's counters */
	struct pipa_event_arg energy;

	/* the event to sample; its text is NULL for the default event */
	struct pipa_event_arg sampled;
	struct pipa_record_options record_options;
	struct pipa_record_job recording;
	struct pipa_instrument samples;
	char *record_path;
	int record_fd; /* unnamed temporary recording; -1: stored in --keep, or none */

	struct pipa_statistics statistics;
	struct pipa_instrument statistics_instrument;
	struct pipa_instrument_ops statistics_ops;
	const struct pipa_section *sections[PIPA_SECTION_NR];

	struct pipa_instrument files, output; /* of --keep; of the command */
	struct pipa_capture *capture;
	struct pipa_capture_end captured;
	struct pipa_transactions *transactions;

	char *keep;		  /* directory of this run; NULL: --keep was not given */
	bool made_keep, made_own; /* this run created the common directory, its own directory */
	bool never_ran;		  /* the command could not be started: remove the files */
	struct pipa_outfile *stat_file; /* intervals of the CPUs' counters */
	struct pipa_buf stat_text;
	struct pipa_outfile *outputs[3];    /* of descriptors 1 and 2 */
	struct pipa_csv_recorder *recorder; /* statistics */
	struct pipa_series_sink rows;
	char hostname[256];
	int file_errors[PIPA_RUN_KEPT_FILES]; /* error of each incomplete file */
};

/* All runs of one command. */
struct pipa_run_repeats {
	const struct pipa_run_command *command;
	size_t number;		   /* of the command, from 1; 0: the calibration */
	struct pipa_run_options o; /* of the job, for this command */
	struct pipa_run *items;
	size_t n, cap;
	size_t failed;		/* with an exit status other than 0 */
	struct pipa_run merged; /* if n > 1 */
	struct pipa_run *run;	/* the merged one, or the only one; NULL: nothing was measured */
};

/* State of all commands of `pipa run`. */
struct pipa_run_sequence {
	const struct pipa_run_options *o;
	const struct pipa_host *host;
	struct pipa_cpus cores;
	bool comparing; /* commands are compared: failures end it, the output is hidden */
	struct pipa_run_measurement *bench; /* of the last run: its counters are reported */
	struct pipa_run shell; /* medians of an empty command run by sh; NaN: unknown */
	size_t n_commands;
	size_t n_measured;
	bool begun;  /* a process was started */
	int stopped; /* the signal that ended it, 0: none */
};

void pipa_run_sequence_done(struct pipa_run_sequence *sequence);

/* Measure sh -c '' as often as hyperfine does; the median is subtracted from runs of commands by sh. */
int pipa_run_sequence_calibrate(struct pipa_run_sequence *sequence,
				struct pipa_run_outcome *outcome, struct pipa_error *err);

/* Run a command: set-up, warm-up runs, measured runs, clean-up. */
int pipa_run_repeats_measure(struct pipa_run_sequence *sequence, struct pipa_run_repeats *repeats,
			     struct pipa_run_outcome *outcome, struct pipa_error *err);
void pipa_run_repeats_done(struct pipa_run_repeats *repeats);

/* Plan everything, start the command and hold it before exec, open all instruments. */
int pipa_run_measurement_open(struct pipa_run_measurement *bench, struct pipa_error *err);

/*
 * Instrument that samples the command; its context is the measurement. Optional: the run continues
 * without it.
 */
extern const struct pipa_instrument_ops pipa_run_samples_instrument;

static inline bool pipa_run_is_denied(const struct pipa_error *err)
{
	return err->code == -EACCES || err->code == -EPERM;
}

/* Release the command and measure until it ends. */
int pipa_run_measurement_measure(struct pipa_run_measurement *bench, bool *ret_exec_failed,
				 struct pipa_error *err);

/*
 * Files of --keep: open, write an interval, write output (called by the capture thread), write
 * statistics.
 */
int pipa_run_kept_open(struct pipa_run_measurement *bench, struct pipa_error *err);
void pipa_run_kept_close(struct pipa_run_measurement *bench);
int pipa_run_keep_interval(void *ctx, struct pipa_stat *stat, struct pipa_error *err);
void pipa_run_keep_output(struct pipa_run_measurement *bench, int stream, const char *bytes,
			  size_t len);
struct pipa_series_sink *pipa_run_kept_rows(struct pipa_run_measurement *bench);
/* Write spec_info.yaml, the description of the machine. A failure becomes a note of the run. */
void pipa_run_keep_machine(struct pipa_run_measurement *bench);
int pipa_run_keep_note(const struct pipa_run_measurement *bench);

/* Store the results in bench->run; the reports of counters stay owned by the measurement. */
int pipa_run_measurement_note(struct pipa_run_measurement *bench, struct pipa_error *err);

void pipa_run_measurement_close(struct pipa_run_measurement *bench);

/*
 * Add the functions with most samples of their own to the run, from the recording at the path or, if it is a
 * tar archive that is open already, from that one; archive may be NULL.
 */
int pipa_run_find_hot(const char *path, const struct pipa_archive *archive, struct pipa_run *run,
		      struct pipa_error *err);

#endif
