/*
 * Apply a configuration file to the options of a run (docs/format/config.md). Options take
 * precedence. The workload is the first of: command, --from, the file's command, its
 * data_location, its perf_stat_input.
 */
#ifndef PIPA_JOB_RUN_RUN_CONFIG_H
#define PIPA_JOB_RUN_RUN_CONFIG_H

struct pipa_error;
struct pipa_host;
struct pipa_run;
struct pipa_run_config;
struct pipa_run_options;

/*
 * Read the file and complete the given options from it; one that is not given is NULL, 0 or NaN. *ret is set
 * unless it is NULL after -ENOMEM, also after other failures: close it.
 */
int pipa_run_config_open(const struct pipa_host *host, const char *path,
			 const struct pipa_run_options *given, struct pipa_run_config **ret,
			 struct pipa_error *err);

/* Return the completed options, which point into the configuration; borrowed. */
const struct pipa_run_options *pipa_run_config_options(const struct pipa_run_config *config);
void pipa_run_config_close(struct pipa_run_config *config);

/* Copy the descriptive options into the run. 0 or -ENOMEM. */
int pipa_run_describe(const struct pipa_run_options *options, struct pipa_run *run);

#endif
