/* Compare a run with an earlier one: change of each metric, and whether it is significant. */
#ifndef PIPA_ANALYZE_RUN_RUN_COMPARE_H
#define PIPA_ANALYZE_RUN_RUN_COMPARE_H

#include "analyze/count/noise.h"
#include "model/run.h"

struct pipa_run_change {
	enum pipa_run_key key;
	double before, after;
	double percent; /* NaN when before was 0 */
	enum pipa_verdict verdict;
	bool worse; /* moved to the side that is worse, by its mean; noise or not */
};

struct pipa_run_changes {
	struct pipa_run_change items[PIPA_RUN_KEYS];
	size_t n;
};

/* Keys that both know, in the order of reports. Of the base spread is taken: n is 1 for one run. */
void pipa_run_compare(const struct pipa_run *run, const struct pipa_run *base,
		      struct pipa_run_changes *ret);

/* Note in the run each difference in what the two measure. -ENOMEM is the only failure. */
int pipa_run_note_differences(struct pipa_run *run, const struct pipa_run *base);

/*
 * Has a metric become worse by more than this many percent? Not within noise; if noise is unknown,
 * as with one run, it has.
 */
bool pipa_run_regressed(const struct pipa_run_change *change, double percent);

#endif
