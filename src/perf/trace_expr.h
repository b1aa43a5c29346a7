/*
 * Evaluate the arguments of a tracepoint's print format: C expressions over its fields. Private to
 * perf/.
 */
#ifndef PIPA_PERF_TRACE_EXPR_H
#define PIPA_PERF_TRACE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_trace_event;
struct pipa_trace_field;
struct pipa_tracing;

struct pipa_trace_value {
	bool is_text;
	uint64_t number;
	struct pipa_span text;
};

struct pipa_trace_expr {
	const struct pipa_tracing *tracing;
	const struct pipa_trace_event *event;
	struct pipa_span raw;
	const char *pos, *end; /* rest of the comma-separated expressions */
	unsigned int depth;
	char made[256]; /* buffer for strings that one expression creates */
	size_t n_made;
};

/*
 * Evaluate the next expression, up to a comma or the end; false if it is not supported: functions
 * other than __get_str, __print_flags and __print_symbolic, and invalid expressions. A string is
 * valid until the next call.
 */
bool pipa_trace_expr_next(struct pipa_trace_expr *e, struct pipa_trace_value *ret);

/* Return the value of a field, sign-extended; return the bytes of a string field up to its NUL. */
uint64_t pipa_trace_number(const struct pipa_tracing *tracing, const struct pipa_trace_field *field,
			   struct pipa_span raw);
struct pipa_span pipa_trace_bytes(const struct pipa_tracing *tracing,
				  const struct pipa_trace_field *field, struct pipa_span raw);
/* Read a number of up to 8 bytes; missing bytes are zero. */
uint64_t pipa_trace_number_at(const struct pipa_tracing *tracing, struct pipa_span raw,
			      uint32_t offset, uint32_t size);
bool pipa_trace_is_text(const struct pipa_trace_field *field);

#endif
