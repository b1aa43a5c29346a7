/* Compare a run with an earlier one: change of each metric, and whether it is significant. */
#ifndef PIPA_ANALYZE_RUN_RUN_COMPARE_H
#define PIPA_ANALYZE_RUN_RUN_COMPARE_H

#include "analyze/count/noise.h"
#include "model/run.h"

struct pipa_run_change {
	enum pipa_run_key key;
	double before, after;
	double percent; /* NaN if `before` is zero or rounds to zero */
	enum pipa_verdict verdict;
	bool worse;   /* the mean moved to the worse side, significantly or not */
	bool notable; /* to be listed: see pipa_run_compare() */
};

struct pipa_run_changes {
	struct pipa_run_change items[PIPA_RUN_KEYS];
	size_t n;
};

/*
 * Compare the keys that both runs have, in the order of reports. The spread of the base is used: n is 1
 * for a single run.
 *
 * Notable are the metrics of the command, and those of the machine that changed significantly by at least
 * a tenth. Memory of the machine never is: other processes change it as well. A metric that rounds to
 * zero in both runs is not, either.
 */
void pipa_run_compare(const struct pipa_run *run, const struct pipa_run *base,
		      struct pipa_run_changes *ret);

/* Return the verdict as text: "better" or "worse" where a direction of the metric is better. */
const char *pipa_run_change_text(const struct pipa_run_change *change);

/* Note in the run each difference in what the two measure. -ENOMEM is the only failure. */
int pipa_run_note_differences(struct pipa_run *run, const struct pipa_run *base);

/*
 * Has a metric become worse by more than this many percent? Not within noise; if noise is unknown,
 * as with one run, it has.
 */
bool pipa_run_regressed(const struct pipa_run_change *change, double percent);

#endif
