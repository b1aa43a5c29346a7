/* Compare two measurements: `pipa analyze A --compare B`. */
#ifndef PIPA_JOB_ANALYZE_COMPARE_H
#define PIPA_JOB_ANALYZE_COMPARE_H

#include "job/analyze/analyze.h"

enum pipa_compare_form { PIPA_COMPARE_HTML, PIPA_COMPARE_JSON, PIPA_COMPARE_YAML };

/*
 * Compare the measurement of options->analysis, the baseline A, with B at a path, and write an HTML report or only
 * the comparison. Both are analyzed with the same options. -ENODATA if a side has nothing usable; then no
 * file is written.
 */
int pipa_compare_run(const struct pipa_analyze_options *options, const char *other,
		     enum pipa_compare_form form, struct pipa_error *err);

#endif
