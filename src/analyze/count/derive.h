/*
 * Compute metrics beside the rows of a report. Rows and operands of each metric are found once;
 * recomputing is only arithmetic.
 */
#ifndef PIPA_ANALYZE_COUNT_DERIVE_H
#define PIPA_ANALYZE_COUNT_DERIVE_H

#include "model/event.h"
#include "model/stat.h"

struct pipa_derive;
struct pipa_metric_uses;

/*
 * Bind the metrics to the rows of stat and set their derived slices. Events, metrics and stat must
 * outlive it. 0 or -ENOMEM.
 */
int pipa_derive_new(const struct pipa_events *events, const struct pipa_metric_uses *uses,
		    struct pipa_stat *stat, struct pipa_derive **ret);
void pipa_derive_free(struct pipa_derive *derive);

/* Recompute the metrics from the current rows and the wall time. */
void pipa_derive_run(struct pipa_derive *derive, double elapsed_s);

static inline void pipa_derive_free_auto(struct pipa_derive **derive)
{
	pipa_derive_free(*derive);
}

#endif
