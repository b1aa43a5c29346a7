/* Compare a report with a baseline, row by row, each with a verdict on noise. */
#ifndef PIPA_ANALYZE_COUNT_COMPARE_H
#define PIPA_ANALYZE_COUNT_COMPARE_H

#include "model/stat.h"

/*
 * Compare each counted row that the baseline has too, and the elapsed time; the caller frees the
 * result.
 */
int pipa_stat_compare(const struct pipa_stat *stat, const struct pipa_base *base,
		      struct pipa_change **ret, size_t *ret_n);

#endif
