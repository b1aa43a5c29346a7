/* List events and metrics of this machine, each tested by opening it. */
#ifndef PIPA_JOB_QUERY_LIST_H
#define PIPA_JOB_QUERY_LIST_H

#include <stdbool.h>

struct pipa_buf;
struct pipa_error;
struct pipa_host;

struct pipa_list_options {
	const char *kind; /* hw, cache, sw, tracepoint, pmu, metric; NULL: all */
	const char *glob; /* pattern of names; NULL: all */
	bool all;	  /* text: also what the machine does not support */
	bool json;
	bool names; /* only names of supported events, one per line, for shells */
};

int pipa_list_run(const struct pipa_host *host, const struct pipa_list_options *options,
		  struct pipa_buf *out, struct pipa_error *err);

#endif
