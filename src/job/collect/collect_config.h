/*
 * Complete the options of a collection from a configuration file (docs/format/config.md). Options take
 * precedence. Events that this machine does not know are left out with a remark: the file may be made for
 * another machine.
 */
#ifndef PIPA_JOB_COLLECT_COLLECT_CONFIG_H
#define PIPA_JOB_COLLECT_COLLECT_CONFIG_H

struct pipa_collect_config;
struct pipa_collect_options;
struct pipa_error;
struct pipa_host;

/*
 * Read the file and set the options that are NULL or 0. They point into *ret, which is set unless it is NULL
 * after -ENOMEM, also after other failures: close it after the collection.
 */
int pipa_collect_config_open(const struct pipa_host *host, const char *path,
			     struct pipa_collect_options *options, struct pipa_collect_config **ret,
			     struct pipa_error *err);
void pipa_collect_config_close(struct pipa_collect_config *config);

#endif
