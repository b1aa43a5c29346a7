/*
 * Select results by an expression on their fields, with the grammar of rules (docs/rules.md): "CPI > 1.5 and platform ==
 * 'arm'". Variables are the 55 fields and upload_time, in seconds since 1970; one that is not set is absent, and a
 * result for which the expression is unknown does not match. Numbers are compared as doubles.
 */
#ifndef PIPA_ANALYZE_RESULTS_RESULT_WHERE_H
#define PIPA_ANALYZE_RESULTS_RESULT_WHERE_H

#include "analyze/results/result_row.h"

struct pipa_error;
struct pipa_result_where;

/* Parse the text. -EINVAL: syntax, or a variable that is not a field. */
int pipa_result_where_new(struct pipa_span text, struct pipa_result_where **ret,
			  struct pipa_error *err);
void pipa_result_where_free(struct pipa_result_where *where);

/* Does the result match? 1, 0, or -EINVAL: operands of the wrong type, division by zero. */
int pipa_result_where_matches(struct pipa_result_where *where, const struct pipa_result_row *row,
			      struct pipa_error *err);

static inline void pipa_result_where_free_auto(struct pipa_result_where **where)
{
	pipa_result_where_free(*where);
}

#endif
