/*
 * Averages of the system during a run: the selected CPUs or all, memory, the selected or busiest
 * disk, the busiest interface.
 */
#ifndef PIPA_ANALYZE_RUN_RUN_SERIES_H
#define PIPA_ANALYZE_RUN_RUN_SERIES_H

#include "base/auto.h"
#include "model/run.h"
#include "model/series.h"

struct pipa_run_series {
	struct pipa_series_sink sink; /* rows go here, each instance once */
	struct pipa_run *run;	      /* selects the CPUs, and is filled */
	const char *dev;	      /* the selected disk; NULL: the busiest */

	double sums[PIPA_RUN_KEYS]; /* over the named CPUs */
	size_t n[PIPA_RUN_KEYS];
	double disk_util, net_kb; /* of the busiest device so far */
	bool has_dev;		  /* the selected disk was found */
	bool had_long, had_short; /* a ten-column, six-column CPU section was seen */
	int status;
};

void pipa_run_series_init(struct pipa_run_series *series, struct pipa_run *run, const char *dev);

/* Finish after the last row. 0 or -ENOMEM. */
int pipa_run_series_finish(struct pipa_run_series *series);

#endif
