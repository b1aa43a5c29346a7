/*
 * Divide a measurement into warm-up, steady phase and cool-down, so that metrics are those of the
 * workload and not of its start.
 *
 * The signal is the share of busy CPU time. Its level is the median of the middle half; a value
 * belongs to the level if it differs by no more than three times the noise (the standard deviation
 * that the differences of neighbours suggest, so that a slope is not noise), or a tenth of the range,
 * or two percentage points. Warm-up is the time before the signal first stays at the level, cool-down the time after
 * it last was there. Both are searched in a moving median of five, so that single peaks do not
 * matter. Without a clear level, or if less than half would remain, the whole time is the steady
 * phase.
 */
#ifndef PIPA_ANALYZE_SERIES_PHASES_H
#define PIPA_ANALYZE_SERIES_PHASES_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/series/series_summary.h"
#include "model/rules.h"

enum pipa_phases_reason {
	PIPA_PHASES_FOUND,	/* warm-up or cool-down were found */
	PIPA_PHASES_ALL_STEADY, /* the level holds from start to end */
	PIPA_PHASES_TOO_SHORT,	/* fewer than PIPA_PHASES_MIN intervals */
	PIPA_PHASES_NO_LEVEL,	/* less than half of the time is at one level */
	PIPA_PHASES_NO_SIGNAL,	/* no CPU statistics */
};

enum { PIPA_PHASES_MIN = 20 };

struct pipa_phases {
	enum pipa_phases_reason reason;
	uint64_t begin_ns, end_ns;	/* whole measurement */
	struct pipa_time_window steady; /* metrics are computed in it */
	double level, tolerance;	/* of the signal in percent; NaN: none */
};

/* Return a sentence that gives the reason for the choice of the steady phase; without a language in English. */
const char *pipa_phases_text_in(enum pipa_phases_reason reason, enum pipa_language language);
const char *pipa_phases_text(enum pipa_phases_reason reason);

/* Return a name for keys: "all_steady". */
const char *pipa_phases_key(enum pipa_phases_reason reason);

/* Divide by the busy time of all CPUs. 0 or -ENOMEM. */
int pipa_phases_find(const struct pipa_series_set *set, struct pipa_phases *ret);

/*
 * Divide n values; [*ret_first, *ret_last] are the indexes of the steady phase. Missing values are
 * skipped. 0 or -ENOMEM.
 */
int pipa_phases_divide(const double *values, size_t n, size_t *ret_first, size_t *ret_last,
		       struct pipa_phases *ret);

#endif
