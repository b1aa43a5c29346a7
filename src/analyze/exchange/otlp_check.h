/*
 * Check a payload of OTLP profiles, protobuf or JSON, against the rules of its receivers.
 *
 * A finding is a breach of a rule (otlp_rules.h) at a path of the message, such as
 * resource_profiles[0].scope_profiles[0].profiles[2].samples[17].stack_index. All breaches are counted, but only
 * the first ones of each rule are kept.
 */
#ifndef PIPA_ANALYZE_EXCHANGE_OTLP_CHECK_H
#define PIPA_ANALYZE_EXCHANGE_OTLP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/exchange/otlp_rules.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/span.h"
#include "codec/otlp_layout.h"

struct pipa_otlp_check_options {
	bool fixed_layout;	      /* do not detect the layout */
	enum pipa_otlp_layout layout; /* if it is fixed */
	size_t limit;		      /* findings kept per rule; 0: 10 */
};

struct pipa_otlp_finding {
	enum pipa_otlp_rule rule;
	uint32_t path, text; /* offsets in `texts` of strings that end with NUL */
};

/* Numbers of messages in the payload. */
struct pipa_otlp_sizes {
	uint64_t resources, scopes, profiles, samples, strings, stacks, links;
};

struct pipa_otlp_check {
	bool json;
	enum pipa_otlp_layout layout; /* of protobuf */
	struct pipa_otlp_sizes sizes;
	uint64_t counts[PIPA_OTLP_RULE_NR];
	struct {
		struct pipa_otlp_finding *items;
		size_t n, cap;
	} findings; /* in the order of the message */
	struct pipa_buf texts;
};

/* Is it JSON? No protobuf message of OTLP starts with a brace. */
bool pipa_otlp_is_json(struct pipa_span payload);

/*
 * Check a payload. Malformed bytes are a finding too. Returns 0, -E2BIG if the decoded payload exceeds 4 GiB, or
 * -ENOMEM; *ret has to be passed to pipa_otlp_check_done() in any case.
 */
int pipa_otlp_check(struct pipa_span payload, const struct pipa_otlp_check_options *options,
		    struct pipa_otlp_check *ret);
void pipa_otlp_check_done(struct pipa_otlp_check *check);

static inline void pipa_otlp_check_done_auto(struct pipa_otlp_check *check)
{
	pipa_otlp_check_done(check);
}

#endif
