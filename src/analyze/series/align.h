/*
 * Bring series of different sources onto one clock: a grid of intervals of equal length. A value
 * holds for its whole interval; an interval of the grid has the mean of the values in it, weighted by
 * overlap. What no interval covers is missing.
 */
#ifndef PIPA_ANALYZE_SERIES_ALIGN_H
#define PIPA_ANALYZE_SERIES_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#include "model/series_set.h"

struct pipa_cpus;

struct pipa_time_grid {
	uint64_t from_ns;     /* start of the first interval */
	uint64_t interval_ns; /* at least 1 */
	size_t n;
};

/*
 * Make the grid that covers [from_ns, until_ns) with intervals of the given length, enlarged until
 * there are at most `max` of them.
 */
struct pipa_time_grid pipa_time_grid_make(uint64_t from_ns, uint64_t until_ns, uint64_t interval_ns,
					  size_t max);

/* Read a column onto the grid: ret[] has grid->n values. 0 or -ENOMEM. */
int pipa_series_align(const struct pipa_series_set *set, struct pipa_series_ref ref,
		      const struct pipa_time_grid *grid, double *ret);

/*
 * Compute PIPA's workload_avg: the mean of a column over the rows of these CPUs, at each of n
 * intervals from interval `from` on; ref.row is ignored. A CPU without a value does not count. 0 or
 * -ENOMEM.
 */
int pipa_series_cpu_mean(const struct pipa_series_set *set, struct pipa_series_ref ref,
			 const struct pipa_cpus *cpus, size_t from, size_t n, double *ret);

#endif
