/*
 * Transform series tables: select, resample, join, and turn counters into rates. Each function
 * fills an initialized, empty table. On failure (-ENOMEM, -EFBIG, -EINVAL) its contents are
 * undefined and it is only freed. Missing values stay missing.
 */
#ifndef PIPA_ANALYZE_SERIES_SERIES_OPS_H
#define PIPA_ANALYZE_SERIES_SERIES_OPS_H

#include <stddef.h>
#include <stdint.h>

struct pipa_table;

/* Lists are comma-separated and may have globs; NULL selects all. */
struct pipa_selection {
	const char *columns;   /* ids, sysstat's names or aliases: "cpu.usr,disk.*,%util" */
	const char *sections;  /* "disk,net" */
	const char *instances; /* "sd*,nvme0n1" */
	uint64_t from_ns;      /* intervals that end at this time or later */
	uint64_t until_ns;     /* and not later than this; 0: no bound */
};

int pipa_series_select(const struct pipa_table *from, const struct pipa_selection *selection,
		       struct pipa_table *ret);

/*
 * Resample to intervals of equal length that end at multiples of it, from the first to the last
 * without a gap. A number holds for its whole interval, and a new interval has the mean of the
 * numbers in it, weighted by overlap; an uncovered part does not count, an uncovered interval is
 * missing. A counter has its last reading in the interval. An interval of unknown length extends
 * back to the one before it, the first for one interval.
 */
int pipa_series_resample(const struct pipa_table *from, uint64_t interval_ns,
			 struct pipa_table *ret);

/*
 * Join: the intervals of the left table with the columns of both; the right one's at the nearest
 * time (the earlier of two equally near), missing if that is further than the tolerance.
 */
int pipa_series_join(const struct pipa_table *left, const struct pipa_table *right,
		     uint64_t tolerance_ns, struct pipa_table *ret);

/*
 * Append the rate of a counter per second; returns the new column's index. Wraps and resets are
 * those of pipa_counter_growth(). After missing readings the delta since the last one is spread
 * over the time between. -EINVAL if the column is not a counter.
 */
ptrdiff_t pipa_series_rate(struct pipa_table *table, size_t column);

#endif
