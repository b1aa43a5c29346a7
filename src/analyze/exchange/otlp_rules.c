#include "analyze/exchange/otlp_rules.h"

#include "base/auto.h"

/* Effects on profcheck, Parca, Pyroscope and the collector: r refuses, l loses, . accepts. */
static const struct {
	const char *name;
	char effects[PIPA_OTLP_RECEIVER_NR + 1];
} rules[PIPA_OTLP_RULE_NR] = {
	[PIPA_OTLP_RULE_MALFORMED] = { "malformed", "rrrr" },
	[PIPA_OTLP_RULE_LAYOUT] = { "layout", ".lll" },
	[PIPA_OTLP_RULE_JSON_KEY] = { "json-key", "..r." },
	[PIPA_OTLP_RULE_JSON_LINK] = { "json-link", "..l." },
	[PIPA_OTLP_RULE_NO_RESOURCE_PROFILES] = { "no-resource-profiles", "rrr." },
	[PIPA_OTLP_RULE_NO_SCOPE_PROFILES] = { "no-scope-profiles", "r..." },
	[PIPA_OTLP_RULE_NO_PROFILES] = { "no-profiles", "r..." },
	[PIPA_OTLP_RULE_NO_SAMPLES] = { "no-samples", ".rl." },
	[PIPA_OTLP_RULE_NO_DICTIONARY] = { "no-dictionary", "rrr." },
	[PIPA_OTLP_RULE_EMPTY_TABLE] = { "empty-table", "rr.." },
	[PIPA_OTLP_RULE_ENTRY_0] = { "entry-0", "rr.." },
	[PIPA_OTLP_RULE_ZERO_LINK] = { "zero-link", "rr.." },
	[PIPA_OTLP_RULE_INDEX] = { "index", "rrr." },
	[PIPA_OTLP_RULE_SAMPLE_ATTRIBUTE] = { "sample-attribute", "rrl." },
	[PIPA_OTLP_RULE_UTF8] = { "utf-8", "rrr." },
	[PIPA_OTLP_RULE_EMPTY_KEY] = { "empty-key", ".rl." },
	[PIPA_OTLP_RULE_DUPLICATE_KEY] = { "duplicate-key", "r..." },
	[PIPA_OTLP_RULE_KEY_REFERENCE] = { "key-reference", "..ll" },
	[PIPA_OTLP_RULE_STRING_REFERENCE] = { "string-reference", "..ll" },
	[PIPA_OTLP_RULE_NO_VALUE] = { "no-value", ".rl." },
	[PIPA_OTLP_RULE_NO_PERIOD_TYPE] = { "no-period-type", ".r.." },
	[PIPA_OTLP_RULE_NO_SAMPLE_TYPE] = { "no-sample-type", "...." },
	[PIPA_OTLP_RULE_NO_TIME] = { "no-time", "...." },
	[PIPA_OTLP_RULE_TIME_RANGE] = { "time-range", "rr.." },
	[PIPA_OTLP_RULE_TIME_END] = { "time-end", "r..." },
	[PIPA_OTLP_RULE_LENGTHS] = { "lengths", "rr.." },
	[PIPA_OTLP_RULE_NO_OBSERVATION] = { "no-observation", "r..." },
	[PIPA_OTLP_RULE_MIXED_SHAPES] = { "mixed-shapes", "r..." },
	[PIPA_OTLP_RULE_SEVERAL_VALUES] = { "several-values", "..r." },
	[PIPA_OTLP_RULE_NEGATIVE] = { "negative", "r..." },
	[PIPA_OTLP_RULE_NEGATIVE_PERIOD] = { "negative-period", "...." },
	[PIPA_OTLP_RULE_MAPPING_RANGE] = { "mapping-range", "r..." },
	[PIPA_OTLP_RULE_ADDRESS] = { "address", "...." },
	[PIPA_OTLP_RULE_LINK_LENGTH] = { "link-length", "r..r" },
	[PIPA_OTLP_RULE_LINK_EMPTY] = { "link-empty", "r..." },
	[PIPA_OTLP_RULE_PROFILE_ID] = { "profile-id", "...." },
	[PIPA_OTLP_RULE_PAYLOAD] = { "original-payload", "...." },
	[PIPA_OTLP_RULE_FUNCTION_NAME] = { "function-name", "...." },
	[PIPA_OTLP_RULE_BUILD_ID] = { "build-id", "...." },
	[PIPA_OTLP_RULE_SERVICE_NAME] = { "service-name", "...." },
	[PIPA_OTLP_RULE_SCOPE_NAME] = { "scope-name", "...." },
	[PIPA_OTLP_RULE_ENTITY_KEY] = { "entity-key", "...." },
	[PIPA_OTLP_RULE_DUPLICATE] = { "duplicate", "...." },
	[PIPA_OTLP_RULE_ORPHAN] = { "orphan", "...." },
};

const char *pipa_otlp_rule_name(enum pipa_otlp_rule rule)
{
	return rules[rule].name;
}

enum pipa_otlp_effect pipa_otlp_rule_effect(enum pipa_otlp_rule rule,
					    enum pipa_otlp_receiver receiver)
{
	switch (rules[rule].effects[receiver]) {
	case 'r': return PIPA_OTLP_REFUSES;
	case 'l': return PIPA_OTLP_LOSES;
	default: return PIPA_OTLP_ACCEPTS;
	}
}

const char *pipa_otlp_receiver_name(enum pipa_otlp_receiver receiver)
{
	static const char *const names[PIPA_OTLP_RECEIVER_NR] = {
		[PIPA_OTLP_PROFCHECK] = "profcheck",
		[PIPA_OTLP_PARCA] = "Parca",
		[PIPA_OTLP_PYROSCOPE] = "Pyroscope",
		[PIPA_OTLP_COLLECTOR] = "collector",
	};

	return names[receiver];
}
