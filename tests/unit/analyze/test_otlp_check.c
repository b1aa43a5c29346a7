#include "analyze/exchange/otlp_check.h"

#include <stdio.h>
#include <string.h>

#include "codec/proto_json.h"
#include "lib/otlp_golden.h"
#include "lib/test.h"

/* A payload without a finding; the tests change parts of it. */
#define RESOURCE                                                                                   \
	"\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"s\"}}]}"
#define SCOPE "\"scope\":{\"name\":\"pipa\"}"
#define TYPES                                                                                        \
	"\"sampleType\":{\"typeStrindex\":1,\"unitStrindex\":2},\"periodType\":{\"typeStrindex\":3," \
	"\"unitStrindex\":4},\"period\":50,\"timeUnixNano\":\"1000\",\"durationNano\":\"100\""
#define SAMPLE "{\"stackIndex\":1,\"attributeIndices\":[3],\"values\":[\"3\"]}"
#define TABLES_BEFORE_LINKS                                                                           \
	"\"mappingTable\":[{},{\"memoryStart\":4096,\"memoryLimit\":8192,\"filenameStrindex\":7,"     \
	"\"attributeIndices\":[1]}],"                                                                 \
	"\"locationTable\":[{},{\"mappingIndex\":1,\"address\":5000,\"lines\":[{\"functionIndex\":1," \
	"\"line\":3}],\"attributeIndices\":[2]}],"                                                    \
	"\"functionTable\":[{},{\"nameStrindex\":5}],"
#define LINKS "\"linkTable\":[{}],"
#define STRINGS_AND_REST                                                                           \
	"\"stringTable\":[\"\",\"samples\",\"count\",\"cpu\",\"nanoseconds\",\"main\",\"native\"," \
	"\"a.out\",\"process.executable.build_id.gnu\",\"profile.frame.type\",\"thread.name\"],"   \
	"\"attributeTable\":[{},{\"keyStrindex\":8,\"value\":{\"stringValue\":\"00\"}},"           \
	"{\"keyStrindex\":9,\"value\":{\"stringValueStrindex\":6}},"                               \
	"{\"keyStrindex\":10,\"value\":{\"stringValue\":\"t\"}}],"                                 \
	"\"stackTable\":[{},{\"locationIndices\":[1]}]"
#define DICTIONARY "\"dictionary\":{" TABLES_BEFORE_LINKS LINKS STRINGS_AND_REST "}"
#define PAYLOAD(types, samples, dictionary)                                                        \
	"{\"resourceProfiles\":[{" RESOURCE ",\"scopeProfiles\":[{" SCOPE ",\"profiles\":[{" types \
	",\"samples\":[" samples "]}]}]}]" dictionary "}"
#define WITH_SAMPLES(samples) PAYLOAD(TYPES, samples, "," DICTIONARY)
#define PROFILE "resource_profiles[0].scope_profiles[0].profiles[0]"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static struct pipa_span span_of(const struct pipa_buf *buf)
{
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(buf), buf->len };
}

/* Check JSON as the protobuf that it means. */
static void check_text(const char *text, struct pipa_otlp_check *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_otlp_check_options options = { .fixed_layout = true };
	struct pipa_proto_error err = { 0 };

	CHECK_EQ(pipa_proto_json_read(&pipa_otlp_data_messages[PIPA_OTLP_1_10],
				      (struct pipa_span){ (const uint8_t *)text, strlen(text) },
				      &bytes, NULL, &err),
		 0);
	CHECK_EQ(pipa_otlp_check(span_of(&bytes), &options, ret), 0);
	CHECK(!ret->json);
}

/* Return the findings as lines "rule path: text". */
static void put_findings(const struct pipa_otlp_check *check, struct pipa_buf *out)
{
	size_t i;

	for (i = 0; i < check->findings.n; i++) {
		const struct pipa_otlp_finding *f = &check->findings.items[i];

		pipa_buf_printf(out, "%s %s: %s\n", pipa_otlp_rule_name(f->rule),
				check->texts.data + f->path, check->texts.data + f->text);
	}
}

static void expect_findings(const char *text, const char *want)
{
	PIPA_AUTO(pipa_otlp_check_done) struct pipa_otlp_check check = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf lines = { 0 };

	check_text(text, &check);
	put_findings(&check, &lines);
	CHECK_STR(pipa_buf_str(&lines), want);
}

TEST(a_valid_payload_has_no_findings)
{
	expect_findings(WITH_SAMPLES(SAMPLE), "");
}

TEST(the_golden_payload_has_no_findings_in_either_layout_and_as_json)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, old = { 0 }, json = { 0 };
	PIPA_AUTO(pipa_otlp_check_done) struct pipa_otlp_check a = { 0 }, b = { 0 }, c = { 0 };
	struct pipa_otlp_check_options options = { 0 };
	struct pipa_proto_error err;

	CHECK_EQ(pipa_otlp_check(otlp_from_hex(otlp_golden, &bytes), &options, &a), 0);
	CHECK_EQ(a.findings.n, 0);
	CHECK_EQ(a.layout, PIPA_OTLP_1_10);
	CHECK_EQ(a.sizes.samples, 1);
	CHECK_EQ(pipa_otlp_check(otlp_from_hex(otlp_golden_1_9, &old), &options, &b), 0);
	CHECK_EQ(b.layout, PIPA_OTLP_1_9);
	CHECK_EQ(b.findings.n, 1);
	CHECK_EQ(b.counts[PIPA_OTLP_RULE_LAYOUT], 1);
	CHECK_EQ(pipa_proto_json_write(&pipa_otlp_data_messages[PIPA_OTLP_1_10], span_of(&bytes),
				       put, &json, &err),
		 0);
	CHECK_EQ(pipa_otlp_check(span_of(&json), &options, &c), 0);
	CHECK(c.json);
	CHECK_EQ(c.findings.n, 1);
	CHECK_EQ(c.counts[PIPA_OTLP_RULE_JSON_LINK], 1);
}

TEST(a_layout_that_is_read_wrongly_has_findings)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf old = { 0 };
	PIPA_AUTO(pipa_otlp_check_done) struct pipa_otlp_check check = { 0 };
	struct pipa_otlp_check_options options = { .fixed_layout = true };

	CHECK_EQ(pipa_otlp_check(otlp_from_hex(otlp_golden_1_9, &old), &options, &check), 0);
	CHECK(check.findings.n > 0);
}

TEST(samples_are_checked)
{
	expect_findings(
		WITH_SAMPLES(SAMPLE ",{\"stackIndex\":2,\"linkIndex\":-1,\"values\":[1]},"
				    "{\"attributeIndices\":[9,3,3],\"values\":[1]},{},"
				    "{\"values\":[1,2]},"
				    "{\"values\":[1,2],\"timestampsUnixNano\":[1000]},"
				    "{\"timestampsUnixNano\":[999,1099,1100,1101]}"),
		"index " PROFILE
		".samples[1].stack_index: index 2 is outside of stack_table, which "
		"has 2 entries\n"
		"index " PROFILE ".samples[1].link_index: index -1 is outside of link_table, which "
		"has 1 entries\n"
		"sample-attribute " PROFILE
		".samples[2].attribute_indices[0]: index 9 is outside of "
		"attribute_table, which has 4 entries\n"
		"duplicate-key " PROFILE
		".samples[2].attribute_indices[2]: key 'thread.name' occurs "
		"twice in the list\n"
		"no-observation " PROFILE
		".samples[3]: the sample has neither values nor timestamps\n"
		"several-values " PROFILE
		".samples[4].values: 2 values in one sample of a type that "
		"is not off_cpu\n"
		"lengths " PROFILE ".samples[5].values: 2 values and 1 timestamps\n"
		"several-values " PROFILE
		".samples[5].values: 2 values in one sample of a type that "
		"is not off_cpu\n"
		"mixed-shapes " PROFILE
		".samples[5]: the sample has values and timestamps, the first "
		"sample of the profile only values\n"
		"time-range " PROFILE ".samples[6].timestamps_unix_nano[0]: 999 is outside of the "
		"profile's time, 1000 to 1100\n"
		"time-end " PROFILE ".samples[6].timestamps_unix_nano[2]: 1100 is the end of the "
		"profile's time, which is not part of it\n"
		"time-range " PROFILE ".samples[6].timestamps_unix_nano[3]: 1101 is outside of the "
		"profile's time, 1000 to 1100\n"
		"mixed-shapes " PROFILE
		".samples[6]: the sample has only timestamps, the first sample "
		"of the profile only values\n");
}

TEST(profiles_are_checked)
{
	expect_findings(
		PAYLOAD("\"sampleType\":{\"unitStrindex\":99},\"period\":-1,\"profileId\":\"AAAA\","
			"\"originalPayload\":\"AAAA\",\"attributeIndices\":[4]",
			"",
			",\"dictionary\":{\"mappingTable\":[{}],\"locationTable\":[{}],"
			"\"functionTable\":[{}],\"linkTable\":[{}],\"stringTable\":[\"\"],"
			"\"attributeTable\":[{}],\"stackTable\":[{}]}"),
		"index " PROFILE ".sample_type.unit_strindex: index 99 is outside of string_table, "
		"which has 1 entries\n"
		"index " PROFILE
		".attribute_indices[0]: index 4 is outside of attribute_table, which "
		"has 1 entries\n"
		"no-sample-type " PROFILE ".sample_type: the values have no type\n"
		"no-period-type " PROFILE ".period_type: is missing; an empty one is enough\n"
		"no-time " PROFILE
		".time_unix_nano: is missing; Pyroscope uses the time of arrival\n"
		"negative-period " PROFILE ".period: -1 is negative\n"
		"profile-id " PROFILE ".profile_id: 3 bytes, expected 16 that are not all 0\n"
		"original-payload " PROFILE ".original_payload: only one of original_payload and "
		"original_payload_format is set\n"
		"no-samples " PROFILE ".samples: the profile has no samples\n");
}

TEST(envelopes_and_resources_are_checked)
{
	expect_findings("{}",
			"no-resource-profiles resource_profiles: the payload has no resources\n"
			"no-dictionary dictionary: is missing\n");
	expect_findings(
		"{\"resourceProfiles\":[{},{\"resource\":{\"attributes\":[{},{\"key\":\"a\"},{\"key\":"
		"\"a\"},{\"keyStrindex\":1},{\"key\":\"service.name\",\"value\":{"
		"\"stringValueStrindex\":1}}],\"entityRefs\":[{\"idKeys\":[\"a\",\"b\"]}]},"
		"\"scopeProfiles\":[{}]}]}",
		"service-name resource_profiles[0].resource.attributes: service.name is missing\n"
		"no-scope-profiles resource_profiles[0].scope_profiles: the resource has no scopes\n"
		"empty-key resource_profiles[1].resource.attributes[0]: the key is empty\n"
		"duplicate-key resource_profiles[1].resource.attributes[2]: the key occurs twice\n"
		"key-reference resource_profiles[1].resource.attributes[3]: the key is a string "
		"reference, which receivers of OTLP do not resolve here\n"
		"empty-key resource_profiles[1].resource.attributes[3]: the key is empty\n"
		"string-reference resource_profiles[1].resource.attributes[4]: the value is a string "
		"reference, which receivers of OTLP do not resolve here\n"
		"entity-key resource_profiles[1].resource.entity_refs[0]: id_keys[1] is not a key of "
		"the resource\n"
		"scope-name resource_profiles[1].scope_profiles[0].scope.name: is empty; Parca names "
		"the profile after it\n"
		"no-profiles resource_profiles[1].scope_profiles[0].profiles: the scope has no "
		"profiles\n"
		"no-dictionary dictionary: is missing\n");
}

TEST(entries_of_the_dictionary_are_checked)
{
	expect_findings(
		PAYLOAD(TYPES, "{\"values\":[1]}",
			",\"dictionary\":{"
			"\"mappingTable\":[{},{\"memoryStart\":2,\"memoryLimit\":1}],"
			"\"locationTable\":[{},{\"mappingIndex\":5,\"lines\":[{\"line\":-1,"
			"\"column\":-2}]}],"
			"\"functionTable\":[{\"nameStrindex\":1},{\"startLine\":-3}],"
			"\"linkTable\":[{\"traceId\":\"00000000000000000000000000000000\","
			"\"spanId\":\"0000000000000000\"},{\"traceId\":\"00\"},{\"traceId\":\"00\","
			"\"spanId\":\"00\"}],"
			"\"stringTable\":[\"\",\"a\",\"a\",\"cpu\",\"nanoseconds\"],"
			"\"attributeTable\":[{},{\"keyStrindex\":7}],\"stackTable\":[]}"),
		"entry-0 dictionary.function_table[0]: is not empty: index 0 means \"not set\"\n"
		"zero-link dictionary.link_table[0]: ids of zeros, expected an empty link\n"
		"duplicate dictionary.string_table[2]: is the same as entry 1\n"
		"mapping-range dictionary.mapping_table[1]: memory_start 0x2 is not below "
		"memory_limit 0x1\n"
		"build-id dictionary.mapping_table[1].attribute_indices: none is a build id "
		"(process.executable.build_id.*)\n"
		"index dictionary.location_table[1].mapping_index: index 5 is outside of "
		"mapping_table, which has 2 entries\n"
		"negative dictionary.location_table[1].lines[0].line: -1 is negative\n"
		"negative dictionary.location_table[1].lines[0].column: -2 is negative\n"
		"negative dictionary.function_table[1].start_line: -3 is negative\n"
		"function-name dictionary.function_table[1]: the function has neither a name nor a "
		"file\n"
		"link-empty dictionary.link_table[1]: trace_id has 1 bytes and span_id 0, expected 16 "
		"and 8\n"
		"link-length dictionary.link_table[2]: trace_id has 1 bytes and span_id 1, expected "
		"16 and 8\n"
		"index dictionary.attribute_table[1].key_strindex: index 7 is outside of "
		"string_table, which has 5 entries\n"
		"no-value dictionary.attribute_table[1].value: the attribute has no value\n"
		"empty-table dictionary.stack_table: has no entries, expected at least an empty one\n"
		"orphan dictionary.mapping_table[1]: nothing refers to it\n"
		"orphan dictionary.location_table[1]: nothing refers to it\n"
		"orphan dictionary.function_table[1]: nothing refers to it\n"
		"orphan dictionary.link_table[1]: nothing refers to it\n"
		"orphan dictionary.link_table[2]: nothing refers to it\n"
		"orphan dictionary.attribute_table[1]: nothing refers to it\n");
}

TEST(several_values_are_fine_if_the_type_is_off_cpu)
{
	expect_findings(
		PAYLOAD("\"sampleType\":{\"typeStrindex\":1,\"unitStrindex\":2},\"periodType\":{},"
			"\"timeUnixNano\":1,\"durationNano\":9",
			"{\"values\":[1,2],\"timestampsUnixNano\":[3,4]}",
			",\"dictionary\":{\"mappingTable\":[{}],\"locationTable\":[{}],"
			"\"functionTable\":[{}],\"linkTable\":[{}],\"stringTable\":[\"\",\"off_cpu\","
			"\"nanoseconds\"],\"attributeTable\":[{}],\"stackTable\":[{}]}"),
		"");
}

TEST(findings_are_limited_per_rule_and_all_are_counted)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	PIPA_AUTO(pipa_otlp_check_done) struct pipa_otlp_check check = { 0 };
	struct pipa_otlp_check_options options = { .limit = 3 };
	int i;

	pipa_buf_puts(&text, "{\"resourceProfiles\":[{\"x\":1}");
	for (i = 0; i < 999; i++)
		pipa_buf_puts(&text, ",{}");
	pipa_buf_puts(&text, "]}");
	CHECK_EQ(pipa_otlp_check(span_of(&text), &options, &check), 0);
	CHECK(check.json);
	CHECK_EQ(check.counts[PIPA_OTLP_RULE_SERVICE_NAME], 1000);
	CHECK_EQ(check.counts[PIPA_OTLP_RULE_NO_SCOPE_PROFILES], 1000);
	CHECK_EQ(check.counts[PIPA_OTLP_RULE_JSON_KEY], 1);
	CHECK_EQ(check.findings.n, 3 + 3 + 1 + 1);
	CHECK_EQ(check.sizes.resources, 1000);
}

TEST(malformed_payloads_are_a_finding_with_the_offset)
{
	static const struct {
		const char *bytes, *want;
	} cases[] = {
		{ "{\"resourceProfiles\":[3]}",
		  "malformed byte 21: ProfilesData.resource_profiles: expected an object\n" },
		{ "\x0a\x05xx", "malformed byte 0: ProfilesData: length exceeds the message\n" },
		{ "\x0a\x02\x08\x01",
		  "malformed byte 2: ResourceProfiles.resource: wrong wire type\n" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		PIPA_AUTO(pipa_otlp_check_done) struct pipa_otlp_check check = { 0 };
		PIPA_AUTO(pipa_buf_done) struct pipa_buf lines = { 0 };
		struct pipa_otlp_check_options options = { 0 };
		struct pipa_span span = { (const uint8_t *)cases[i].bytes, strlen(cases[i].bytes) };

		CHECK_EQ(pipa_otlp_check(span, &options, &check), 0);
		put_findings(&check, &lines);
		CHECK_STR(pipa_buf_str(&lines), cases[i].want);
	}
}

TEST(strings_that_are_not_utf8_are_found)
{
	PIPA_AUTO(pipa_otlp_check_done) struct pipa_otlp_check check = { 0 };
	struct pipa_otlp_check_options options = { 0 };
	static const uint8_t bytes[] = { 0x12, 7, 0x2a, 0, 0x2a, 3, 'a', 0xe2, 0x82 };

	CHECK_EQ(pipa_otlp_check((struct pipa_span){ bytes, sizeof(bytes) }, &options, &check), 0);
	CHECK_EQ(check.counts[PIPA_OTLP_RULE_UTF8], 1);
}

TEST(every_rule_has_a_name_and_an_effect)
{
	enum pipa_otlp_rule rule, other;

	for (rule = 0; rule < PIPA_OTLP_RULE_NR; rule++) {
		CHECK(pipa_otlp_rule_name(rule) != NULL);
		for (other = 0; other < rule; other++)
			CHECK(strcmp(pipa_otlp_rule_name(rule), pipa_otlp_rule_name(other)) != 0);
	}
	CHECK_EQ(pipa_otlp_rule_effect(PIPA_OTLP_RULE_ZERO_LINK, PIPA_OTLP_PARCA),
		 PIPA_OTLP_REFUSES);
	CHECK_EQ(pipa_otlp_rule_effect(PIPA_OTLP_RULE_NO_SAMPLES, PIPA_OTLP_PYROSCOPE),
		 PIPA_OTLP_LOSES);
	CHECK_EQ(pipa_otlp_rule_effect(PIPA_OTLP_RULE_ZERO_LINK, PIPA_OTLP_COLLECTOR),
		 PIPA_OTLP_ACCEPTS);
}
