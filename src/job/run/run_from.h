/*
 * Report a run from files of an earlier measurement, without running anything: counters from perf-
 * stat.csv or perf_stat.txt, statistics from sar_*.csv or sar.txt, functions from perf.data,
 * transactions from stdout.txt. A single file, and several paths, can be of any kind that load/dataset.h
 * reads. Damaged data are repaired, and those with a warm-up or cool-down are limited to the steady phase, as for
 * the report of `pipa analyze`.
 */
#ifndef PIPA_JOB_RUN_RUN_FROM_H
#define PIPA_JOB_RUN_RUN_FROM_H

struct pipa_archive;
struct pipa_error;
struct pipa_phases;
struct pipa_quality;
struct pipa_run;
struct pipa_run_from; /* owns the counters that the run's report points to */
struct pipa_run_options;

/* Fill the run, whose cores are set. */
int pipa_run_from_open(const struct pipa_run_options *options, struct pipa_run *run,
		       struct pipa_run_from **ret, struct pipa_error *err);
void pipa_run_from_close(struct pipa_run_from *from);

/*
 * Compute the machine's averages from a directory or archive: those that sar printed, else means over the
 * intervals. `archive` is open at the path, or NULL. *ret_seconds is their duration, NaN without statistics.
 */
int pipa_run_from_statistics(const char *path, const struct pipa_archive *archive, const char *dev,
			     struct pipa_run *run, double *ret_seconds, struct pipa_error *err);

/* Return the defects and phases of the series; NULL without series. Borrowed. */
const struct pipa_quality *pipa_run_from_quality(const struct pipa_run_from *from);
const struct pipa_phases *pipa_run_from_phases(const struct pipa_run_from *from);

#endif
