/* A stored result as analyses see it: its fields, and what the store adds. */
#ifndef PIPA_ANALYZE_RESULTS_RESULT_ROW_H
#define PIPA_ANALYZE_RESULTS_RESULT_ROW_H

#include <stdint.h>

#include "base/span.h"
#include "model/result.h"

struct pipa_result_row {
	const struct pipa_result *result;
	struct pipa_span hash, record;
	uint64_t upload_time_us;
	/* Returns the value of a label, an empty span if there is none; NULL: no labels. */
	struct pipa_span (*label)(const void *ctx, struct pipa_span key);
	const void *ctx;
};

#endif
