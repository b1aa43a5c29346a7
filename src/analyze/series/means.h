/*
 * Means of rows over time, weighted by the length of each interval: averages of recordings, which
 * have no counters.
 */
#ifndef PIPA_ANALYZE_SERIES_MEANS_H
#define PIPA_ANALYZE_SERIES_MEANS_H

#include "model/series.h"

struct pipa_means;

struct pipa_means *pipa_means_new(void); /* NULL on allocation failure */
void pipa_means_free(struct pipa_means *means);

/* 0 or -ENOMEM */
int pipa_means_add(struct pipa_means *means, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values);

/* Pass the means to a sink by section, in order of first occurrence. */
int pipa_means_emit(const struct pipa_means *means, struct pipa_series_sink *sink);

#endif
