/* Sum the counts of many intervals by event and CPU. */
#ifndef PIPA_ANALYZE_COUNT_COUNTS_SUM_H
#define PIPA_ANALYZE_COUNT_COUNTS_SUM_H

#include <stdbool.h>

#include "base/cpus.h"
#include "model/counts.h"
#include "model/stat.h"

struct pipa_counts_sum {
	/* a row per event, cgroup and CPU; places other than CPUs are merged */
	struct pipa_stat stat;
	bool by_cpu;	      /* the counts are per CPU */
	double least_percent; /* the smallest share of its time that an event was counted */
	const char *least;    /* that event; NULL: no event was multiplexed */
};

/*
 * Sum the counts. `cpus` selects CPUs if the counts are per CPU; NULL or empty: all. Names are
 * borrowed from the counts. 0 or -ENOMEM.
 */
int pipa_counts_sum(const struct pipa_counts *counts, const struct pipa_cpus *cpus,
		    struct pipa_counts_sum *ret);
void pipa_counts_sum_done(struct pipa_counts_sum *sum);

/*
 * Return the time of counting from the times of intervals: the first begins at 0, or one interval
 * before its end if earlier ones are missing. If times restart, the parts are added. NaN without
 * times.
 */
double pipa_counts_seconds(const struct pipa_counts *counts);

/* Was the CPU included in the sum? */
bool pipa_counts_sum_has(const struct pipa_counts_sum *sum, int cpu);

static inline void pipa_counts_sum_done_auto(struct pipa_counts_sum *sum)
{
	pipa_counts_sum_done(sum);
}

#endif
