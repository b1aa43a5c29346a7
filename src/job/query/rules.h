/* Check rule files, and explain the rules on a measurement. */
#ifndef PIPA_JOB_QUERY_RULES_H
#define PIPA_JOB_QUERY_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "model/rules.h"

struct pipa_buf;
struct pipa_error;

enum pipa_rules_action { PIPA_RULES_CHECK, PIPA_RULES_EXPLAIN, PIPA_RULES_PRINT, PIPA_RULES_NEXT };

struct pipa_rules_job {
	enum pipa_rules_action action;
	const char *const *paths; /* rule files to check; measurements to explain or to continue */
	size_t n_paths;
	const char *const *rules; /* rule files of explain; none: the built-in file */
	size_t n_rules;
	const char *expected_cpus; /* "0-3,7"; NULL: not given */
	enum pipa_language language;
	bool json;
	struct pipa_log log; /* receives notes on parts that could not be used */
};

/*
 * Append the result to `out`. *ret_valid: the checked rule files have no problems; true for the other
 * actions.
 */
int pipa_rules_run(const struct pipa_rules_job *job, struct pipa_buf *out, bool *ret_valid,
		   struct pipa_error *err);

#endif
