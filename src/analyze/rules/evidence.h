/*
 * Evidence of findings: the series that a variable of rules was computed from, and the time in which
 * they are beyond the threshold of a rule.
 */
#ifndef PIPA_ANALYZE_RULES_EVIDENCE_H
#define PIPA_ANALYZE_RULES_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/rules/evaluate.h"
#include "analyze/series/series_summary.h"
#include "model/series_set.h"

/* How the values of an interval relate to the variable. */
enum pipa_evidence_form {
	PIPA_EVIDENCE_SHOWN, /* they are not comparable with it */
	PIPA_EVIDENCE_ROW,   /* the sum of the columns of each row is */
	PIPA_EVIDENCE_REST,  /* 100 minus the sum of the columns of each row is */
	PIPA_EVIDENCE_TOTAL, /* the sum over all rows is */
};

enum { PIPA_EVIDENCE_ROWS = 8, PIPA_EVIDENCE_COLUMNS = 5 };

struct pipa_evidence {
	enum pipa_evidence_form form;
	double scale; /* factor of the values before they are compared */
	size_t n_rows, n_columns;
	/* [row * n_columns + column]; of many rows those with the highest means */
	struct pipa_series_ref refs[PIPA_EVIDENCE_ROWS * PIPA_EVIDENCE_COLUMNS];
};

/* Find the series of a variable. False: it is not computed from series, or there are none. */
bool pipa_evidence_find(const char *variable, const struct pipa_context *context,
			const struct pipa_series_set *set, struct pipa_evidence *ret);

/*
 * Find the longest time within the window in which the first variable of the rule that is compared
 * with a threshold is beyond it; up to two intervals in a row may be on the other side. Returns 1; 0 if
 * there is none of at least three intervals; -ENOMEM.
 */
int pipa_evidence_range(const struct pipa_rule_result *result, const struct pipa_context *context,
			const struct pipa_series_set *set, const struct pipa_time_window *window,
			struct pipa_time_window *ret);

#endif
