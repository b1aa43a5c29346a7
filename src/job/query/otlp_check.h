/* Check a file of OTLP profiles against the rules of its receivers. */
#ifndef PIPA_JOB_QUERY_OTLP_CHECK_H
#define PIPA_JOB_QUERY_OTLP_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/exchange/otlp_check.h"

struct pipa_buf;
struct pipa_error;

struct pipa_otlp_check_job {
	const char *path;	/* "-": standard input */
	unsigned int receivers; /* a bit per enum pipa_otlp_receiver; 0: all */
	struct pipa_otlp_check_options check;
	bool json;   /* write JSON */
	bool strict; /* warnings count too */
};

/*
 * Set the receivers from a comma-separated list of names, in any case. Returns 0, or -EINVAL with the name in err.
 */
int pipa_otlp_receivers_parse(const char *text, unsigned int *ret, struct pipa_error *err);

/*
 * Append the findings to `out`. *ret_valid if there is no error and, if strict, no warning. Returns 0 or a negative
 * errno with err filled if the file cannot be read or is of another kind.
 */
int pipa_otlp_check_run(const struct pipa_otlp_check_job *job, struct pipa_buf *out,
			bool *ret_valid, struct pipa_error *err);

#endif
