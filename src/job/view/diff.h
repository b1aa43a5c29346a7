/* Compare recordings of any kind: what changed, and whether it is significant. */
#ifndef PIPA_JOB_VIEW_DIFF_H
#define PIPA_JOB_VIEW_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/profile/diff.h"
#include "export/table/diff.h"
#include "job/view/selection.h"
#include "load/load.h"

struct pipa_buf;
struct pipa_error;

/* What verdicts are on. */
enum pipa_diff_basis {
	PIPA_DIFF_BASIS_AUTO, /* weights if all files measured the time of the same command, else percentages */
	PIPA_DIFF_BASIS_WEIGHTS,
	PIPA_DIFF_BASIS_PERCENTAGES,
};

struct pipa_diff_job {
	struct pipa_load_options load;		 /* for each file; its path is ignored */
	struct pipa_profile_selection selection; /* its all_values is set by the job */
	struct pipa_diff_options diff;		 /* n_base and n_now are the numbers of files */
	enum pipa_diff_basis basis;		 /* sets diff.absolute */
	bool ordered;		  /* diff.order was chosen; else it depends on the basis */
	const char *const *paths; /* baseline files first */
	/* Events to compare, which all files must have; NULL: the common ones. */
	const char *const *events;
	size_t n_events;
	enum pipa_lines inlined; /* expand inlined functions, if frames are compared */
	enum pipa_diff_form form;
	bool html; /* write an HTML report instead, of two recordings */
	double percent_limit;
	size_t limit;
	bool color;
	size_t columns;
	bool full_names;   /* text: do not shorten symbols to the column */
	double fail_above; /* NaN: not checked */
};

/*
 * Write the comparison to out, a table per event. Returns 0, or 1 if something grew by more than
 * fail_above, described in `crossed`: a row significantly and by that many percentage points, of the
 * base's total if verdicts are on weights. With PIPA_DIFF_BASIS_WEIGHTS the total, by that many percent;
 * without a noise estimate, significance is not required.
 */
int pipa_diff_run(const struct pipa_diff_job *job, struct pipa_buf *out, struct pipa_buf *crossed,
		  struct pipa_error *err);

#endif
