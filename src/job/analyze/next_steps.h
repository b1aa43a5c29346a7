/* Proposals for the next measurement from an analysis: the page of `pipa analyze`, and `pipa rules next`. */
#ifndef PIPA_JOB_ANALYZE_NEXT_STEPS_H
#define PIPA_JOB_ANALYZE_NEXT_STEPS_H

#include "analyze/report/collect_next.h"

struct pipa_analysis;

/* Make the proposals. `ret` is empty before and must be freed. 0 or -ENOMEM. */
int pipa_next_steps_of(const struct pipa_analysis *analysis, struct pipa_next_steps *ret);

#endif
