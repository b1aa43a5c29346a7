/* Print the profile of `pipa top` as tables, one after the other, for a pipe. */
#ifndef PIPA_JOB_TOP_PRINT_H
#define PIPA_JOB_TOP_PRINT_H

#include "analyze/profile/top.h"
#include "measure/live/live.h"

struct pipa_live_print_options {
	struct pipa_live_options live;
	struct pipa_top_options top;
	uint64_t interval_ns;
	uint64_t count; /* tables, 0: until a signal */
	enum pipa_live_span span;
	double percent_limit; /* omit rows below it */
	int out_fd;	      /* for the tables */
};

/*
 * Print tables to out_fd until the command ends or a signal arrives. Returns 0, 128 + n after
 * signal n (not SIGINT), or a negative errno.
 */
int pipa_live_print_run(const struct pipa_host *host, const struct pipa_live_print_options *options,
			struct pipa_error *err);

#endif
