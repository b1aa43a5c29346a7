/*
 * Mean and spread of a series for tests: neighbouring values of a series are alike, so n of them know less
 * about the mean than n independent ones would.
 */
#ifndef PIPA_ANALYZE_SERIES_STEADY_SPREAD_H
#define PIPA_ANALYZE_SERIES_STEADY_SPREAD_H

#include <stddef.h>

#include "model/stat.h"

/*
 * A series of more values is reduced to this many means of blocks of equal length, and one with fewer
 * effective values has too few for a test.
 */
enum { PIPA_STEADY_BLOCKS = 512, PIPA_STEADY_MIN = 5 };

/*
 * Return the integrated autocorrelation time of n values: how many successive values know as much about the
 * mean as one independent value. The autocorrelations are summed up to the first pair of lags whose sum is
 * not positive (Geyer 1992, initial monotone sequence), each enlarged by 1/n, which the estimated mean takes
 * away. At least 1, also for alternating values.
 */
double pipa_correlation_time(const double *values, size_t n);

/*
 * Describe n values in the order of time, none of them NaN. The n of the result is the effective number of
 * independent values, its standard deviation that of the block means; median, extremes and limits are not
 * set. The values are overwritten.
 */
void pipa_steady_spread(double *values, size_t n, struct pipa_spread *ret);

#endif
