/*
 * Rules for payloads of OTLP profiles, and the effect that breaking one has on each receiver.
 *
 * Receivers: profcheck of the OpenTelemetry profiling SIG, Parca 0.28, Pyroscope 2, and the OpenTelemetry collector
 * 0.159. A rule that none of them enforces is one of the specification or a convention.
 */
#ifndef PIPA_ANALYZE_EXCHANGE_OTLP_RULES_H
#define PIPA_ANALYZE_EXCHANGE_OTLP_RULES_H

enum pipa_otlp_receiver {
	PIPA_OTLP_PROFCHECK,
	PIPA_OTLP_PARCA,
	PIPA_OTLP_PYROSCOPE,
	PIPA_OTLP_COLLECTOR,
	PIPA_OTLP_RECEIVER_NR,
};

enum pipa_otlp_effect {
	PIPA_OTLP_ACCEPTS,
	PIPA_OTLP_REFUSES,
	PIPA_OTLP_LOSES, /* accepts the payload and loses a part of it */
};

enum pipa_otlp_rule {
	PIPA_OTLP_RULE_MALFORMED,
	PIPA_OTLP_RULE_LAYOUT,
	PIPA_OTLP_RULE_JSON_KEY,
	PIPA_OTLP_RULE_JSON_LINK,
	PIPA_OTLP_RULE_NO_RESOURCE_PROFILES,
	PIPA_OTLP_RULE_NO_SCOPE_PROFILES,
	PIPA_OTLP_RULE_NO_PROFILES,
	PIPA_OTLP_RULE_NO_SAMPLES,
	PIPA_OTLP_RULE_NO_DICTIONARY,
	PIPA_OTLP_RULE_EMPTY_TABLE,
	PIPA_OTLP_RULE_ENTRY_0,
	PIPA_OTLP_RULE_ZERO_LINK,
	PIPA_OTLP_RULE_INDEX,
	PIPA_OTLP_RULE_SAMPLE_ATTRIBUTE,
	PIPA_OTLP_RULE_UTF8,
	PIPA_OTLP_RULE_EMPTY_KEY,
	PIPA_OTLP_RULE_DUPLICATE_KEY,
	PIPA_OTLP_RULE_KEY_REFERENCE,
	PIPA_OTLP_RULE_STRING_REFERENCE,
	PIPA_OTLP_RULE_NO_VALUE,
	PIPA_OTLP_RULE_NO_PERIOD_TYPE,
	PIPA_OTLP_RULE_NO_SAMPLE_TYPE,
	PIPA_OTLP_RULE_NO_TIME,
	PIPA_OTLP_RULE_TIME_RANGE,
	PIPA_OTLP_RULE_TIME_END,
	PIPA_OTLP_RULE_LENGTHS,
	PIPA_OTLP_RULE_NO_OBSERVATION,
	PIPA_OTLP_RULE_MIXED_SHAPES,
	PIPA_OTLP_RULE_SEVERAL_VALUES,
	PIPA_OTLP_RULE_NEGATIVE,
	PIPA_OTLP_RULE_NEGATIVE_PERIOD,
	PIPA_OTLP_RULE_MAPPING_RANGE,
	PIPA_OTLP_RULE_ADDRESS,
	PIPA_OTLP_RULE_LINK_LENGTH,
	PIPA_OTLP_RULE_LINK_EMPTY,
	PIPA_OTLP_RULE_PROFILE_ID,
	PIPA_OTLP_RULE_PAYLOAD,
	PIPA_OTLP_RULE_FUNCTION_NAME,
	PIPA_OTLP_RULE_BUILD_ID,
	PIPA_OTLP_RULE_SERVICE_NAME,
	PIPA_OTLP_RULE_SCOPE_NAME,
	PIPA_OTLP_RULE_ENTITY_KEY,
	PIPA_OTLP_RULE_DUPLICATE,
	PIPA_OTLP_RULE_ORPHAN,
	PIPA_OTLP_RULE_NR,
};

/* Return the name of a rule, such as "zero-link". */
const char *pipa_otlp_rule_name(enum pipa_otlp_rule rule);

/* Return the effect of a breach on a receiver. */
enum pipa_otlp_effect pipa_otlp_rule_effect(enum pipa_otlp_rule rule,
					    enum pipa_otlp_receiver receiver);

/* Return "profcheck", "Parca", "Pyroscope" or "collector". */
const char *pipa_otlp_receiver_name(enum pipa_otlp_receiver receiver);

#endif
