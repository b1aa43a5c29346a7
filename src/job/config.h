/* Read a configuration file. */
#ifndef PIPA_JOB_CONFIG_H
#define PIPA_JOB_CONFIG_H

#include "model/config.h"

struct pipa_error;

/* Load a file into ret, which must be empty and stays so on failure. "-" is standard input. */
int pipa_config_load(const char *path, struct pipa_config *ret, struct pipa_error *err);

#endif
