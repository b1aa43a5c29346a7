/* Sum the counts of many intervals by event and CPU. */
#ifndef PIPA_ANALYZE_COUNT_COUNTS_SUM_H
#define PIPA_ANALYZE_COUNT_COUNTS_SUM_H

#include <stdbool.h>

#include "base/cpus.h"
#include "model/counts.h"
#include "model/stat.h"

struct pipa_counts_sum {
	struct pipa_stat stat; /* a row per event, cgroup and CPU; places that are no CPU are one */
	bool by_cpu;	       /* the counts are per CPU */
	double least_percent;  /* the smallest share of its time that an event had a counter for */
	const char *least;     /* that event; NULL: none shared its counter */
};

/*
 * cpus selects CPUs if the counts are per CPU; NULL or empty: all. Names are borrowed from the
 * counts. 0 or -ENOMEM.
 */
int pipa_counts_sum(const struct pipa_counts *counts, const struct pipa_cpus *cpus,
		    struct pipa_counts_sum *ret);
void pipa_counts_sum_done(struct pipa_counts_sum *sum);

/*
 * How long counting went on, by the times of the intervals: the first one begins at 0, or an interval
 * before its end where those before it are missing. Times that start again are added. NaN: no times.
 */
double pipa_counts_seconds(const struct pipa_counts *counts);

/* Was the CPU among those that were added up? */
bool pipa_counts_sum_has(const struct pipa_counts_sum *sum, int cpu);

static inline void pipa_counts_sum_done_auto(struct pipa_counts_sum *sum)
{
	pipa_counts_sum_done(sum);
}

#endif
