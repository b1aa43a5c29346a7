/*
 * Compute the metrics of a run from a loaded dataset, whatever files it came from: counts of the whole
 * measurement, averages of the system in a part of it.
 */
#ifndef PIPA_JOB_RUN_RUN_DATASET_H
#define PIPA_JOB_RUN_RUN_DATASET_H

#include <stddef.h>

#include "analyze/count/counts_sum.h"
#include "analyze/series/series_summary.h"
#include "model/counts.h"

struct pipa_archive;
struct pipa_dataset;
struct pipa_error;
struct pipa_profile;
struct pipa_run;
struct pipa_run_options;

/* Counters that the run's report points to. */
struct pipa_run_dataset {
	struct pipa_counts counts;
	struct pipa_counts_sum sum;
};

/*
 * Fill the run, which is initialized, with its cores set: counters, run time, transactions of the output that
 * was stored, and averages in the window (zero: all), then all metrics that depend on them. Samples are not
 * read. 0 or a negative errno with a message.
 */
int pipa_run_dataset_open(const struct pipa_dataset *dataset, const struct pipa_time_window *window,
			  const struct pipa_run_options *options, struct pipa_run *run,
			  struct pipa_run_dataset *ret, struct pipa_error *err);
void pipa_run_dataset_close(struct pipa_run_dataset *from);

/* Find the transactions in the output of the command that archives have stored, or take the given number. */
int pipa_run_find_transactions(const struct pipa_archive *const *archives, size_t n,
			       const struct pipa_run_options *options, struct pipa_run *run,
			       struct pipa_error *err);

/* Set the names of the run from the options. 0 or -ENOMEM. */
int pipa_run_set_names(struct pipa_run *run, const struct pipa_run_options *options);

/* Set counter metrics from the sums and note their sources. 0 or -ENOMEM. */
int pipa_run_set_counts(struct pipa_run *run, const struct pipa_counts_sum *sum);

/* Add the functions of a profile with most samples of their own to the run. 0 or -ENOMEM. */
int pipa_run_set_hot(struct pipa_run *run, struct pipa_profile *profile);

#endif
