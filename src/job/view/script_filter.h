/* Select the samples that `script` prints. */
#ifndef PIPA_JOB_VIEW_SCRIPT_FILTER_H
#define PIPA_JOB_VIEW_SCRIPT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "model/record.h"

struct pipa_error;

struct pipa_script_ids {
	uint32_t *items;
	size_t n, cap;
};

/* An empty filter accepts all samples. */
struct pipa_script_filter {
	const char *comms; /* "a,b"; borrowed, NULL: all */
	struct pipa_script_ids pids, tids;
	struct pipa_cpus cpus;
};

void pipa_script_filter_done(struct pipa_script_filter *filter);

/* Add ids from a list "12,345". */
int pipa_script_ids_parse(const char *text, struct pipa_script_ids *ids, struct pipa_error *err);

/* Check everything but the command, whose name need not be known yet. */
bool pipa_script_filter_id(const struct pipa_script_filter *filter, const struct pipa_rec_id *id);
bool pipa_script_filter_comm(const struct pipa_script_filter *filter, const char *comm);

#endif
