/*
 * A configuration file for a run (docs/format/config.md): what it says goes where the options say
 * nothing. What is run or read, in this order: the options' command, their --from, the file's command,
 * its data_location, its perf_stat_path.
 */
#ifndef PIPA_JOB_RUN_RUN_CONFIG_H
#define PIPA_JOB_RUN_RUN_CONFIG_H

struct pipa_error;
struct pipa_host;
struct pipa_run;
struct pipa_run_config;
struct pipa_run_options;

/* The options point into *ret from then on. Not given there is NULL, 0 or NaN. */
int pipa_run_config_open(const struct pipa_host *host, const char *path,
			 struct pipa_run_options *options, struct pipa_run_config **ret,
			 struct pipa_error *err);
void pipa_run_config_close(struct pipa_run_config *config);

/* What the options say about a run that is no measurement, into the run: 0 or -ENOMEM. */
int pipa_run_describe(const struct pipa_run_options *options, struct pipa_run *run);

#endif
