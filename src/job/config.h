/* Read a configuration file. */
#ifndef PIPA_JOB_CONFIG_H
#define PIPA_JOB_CONFIG_H

#include "model/config.h"

struct pipa_error;
struct pipa_root;

/* Load a file into ret, which must be empty and stays so on failure. "-" is standard input. */
int pipa_config_load(const char *path, struct pipa_config *ret, struct pipa_error *err);

/*
 * Check that an event of events_stat can be counted here. Returns 1 if so, 0 if not with the reason in *why, or
 * -ENOMEM. A file may be made for another machine, so the caller notes such an event and leaves it out.
 */
int pipa_config_check_event(const char *text, struct pipa_root *root, struct pipa_error *why);

#endif
