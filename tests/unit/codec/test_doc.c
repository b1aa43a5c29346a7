#include "codec/doc.h"

#include <math.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"

/* One document with everything in it, in the requested format. */
static const char *sample(enum pipa_doc_format format)
{
	static struct pipa_buf out;
	struct pipa_doc doc;

	pipa_buf_reset(&out);
	pipa_doc_begin(&doc, format, &out);
	pipa_doc_str(&doc, "name", "cycles");
	pipa_doc_str(&doc, "none", NULL);
	pipa_doc_map(&doc, "place");
	pipa_doc_int(&doc, "cpu", -1);
	pipa_doc_map(&doc, "empty");
	pipa_doc_end(&doc);
	pipa_doc_end(&doc);
	pipa_doc_list(&doc, "events");
	pipa_doc_map(&doc, NULL);
	pipa_doc_u64(&doc, "count", UINT64_MAX);
	pipa_doc_bool(&doc, "exact", true);
	pipa_doc_list(&doc, "notes");
	pipa_doc_str(&doc, NULL, "one");
	pipa_doc_str(&doc, NULL, "two");
	pipa_doc_end(&doc);
	pipa_doc_end(&doc);
	pipa_doc_map(&doc, NULL);
	pipa_doc_double(&doc, "value", 0.5);
	pipa_doc_end(&doc);
	pipa_doc_end(&doc);
	pipa_doc_list(&doc, "nothing");
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
	CHECK_EQ(out.status, 0);
	return pipa_buf_str(&out);
}

TEST(json_is_indented)
{
	CHECK_STR(sample(PIPA_DOC_JSON), "{\n"
					 "  \"name\": \"cycles\",\n"
					 "  \"none\": null,\n"
					 "  \"place\": {\n"
					 "    \"cpu\": -1,\n"
					 "    \"empty\": {}\n"
					 "  },\n"
					 "  \"events\": [\n"
					 "    {\n"
					 "      \"count\": 18446744073709551615,\n"
					 "      \"exact\": true,\n"
					 "      \"notes\": [\n"
					 "        \"one\",\n"
					 "        \"two\"\n"
					 "      ]\n"
					 "    },\n"
					 "    {\n"
					 "      \"value\": 0.5\n"
					 "    }\n"
					 "  ],\n"
					 "  \"nothing\": []\n"
					 "}\n");
}

TEST(json_line_is_one_line)
{
	CHECK_STR(sample(PIPA_DOC_JSON_LINE),
		  "{\"name\": \"cycles\", \"none\": null, \"place\": {\"cpu\": -1, \"empty\": {}}, "
		  "\"events\": [{\"count\": 18446744073709551615, \"exact\": true, "
		  "\"notes\": [\"one\", \"two\"]}, {\"value\": 0.5}], \"nothing\": []}\n");
}

TEST(yaml_is_indented)
{
	CHECK_STR(sample(PIPA_DOC_YAML), "---\n"
					 "name: \"cycles\"\n"
					 "none: null\n"
					 "place:\n"
					 "  cpu: -1\n"
					 "  empty: {}\n"
					 "events:\n"
					 "  - count: 18446744073709551615\n"
					 "    exact: true\n"
					 "    notes:\n"
					 "      - \"one\"\n"
					 "      - \"two\"\n"
					 "  - value: 0.5\n"
					 "nothing: []\n");
}

TEST(empty_documents_are_complete)
{
	static const char *const want[] = { "{\n}\n", "{}\n", "---\n" };
	enum pipa_doc_format format;

	for (format = PIPA_DOC_JSON; format <= PIPA_DOC_YAML; format++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
		struct pipa_doc doc;

		pipa_doc_begin(&doc, format, &out);
		pipa_doc_finish(&doc);
		CHECK_STR(pipa_buf_str(&out), want[format]);
	}
}

/* Format a value in one line of JSON, without braces and key. */
static const char *value_of(const char *text, double number)
{
	static char value[300];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_doc doc;

	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, &out);
	if (text)
		pipa_doc_str(&doc, "v", text);
	else
		pipa_doc_double(&doc, "v", number);
	pipa_doc_finish(&doc);
	CHECK(out.len > 8 && out.len - 8 < sizeof(value));
	memcpy(value, out.data + 6, out.len - 8);
	value[out.len - 8] = '\0';
	return value;
}

TEST(texts_are_quoted)
{
	CHECK_STR(value_of("plain", 0), "\"plain\"");
	CHECK_STR(value_of("a \"b\" \\c", 0), "\"a \\\"b\\\" \\\\c\"");
	CHECK_STR(value_of("tab\tline\nbell\a", 0), "\"tab\\tline\\nbell\\u0007\"");
	CHECK_STR(value_of("\x7f", 0), "\"\\u007f\"");
	CHECK_STR(value_of("", 0), "\"\"");
}

TEST(valid_utf8_passes_through)
{
	CHECK_STR(value_of("Å ∑ 𝄞", 0), "\"Å ∑ 𝄞\"");
	CHECK_STR(value_of("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", 0),
		  "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"");
}

TEST(invalid_utf8_bytes_are_replaced)
{
	static const char *const texts[] = {
		"\x80",
		"\xc0",
		"\xc1",
		"\xc2",
		"\xff",
		"\xf8",
		"\xe2\x88",
		"\xf0\x9d\x84",
		"\xc0\xaf" /* overlong */,
		"\xe0\x80\xaf",
		"\xf0\x80\x80\xaf",
		"\xed\xa0\x80" /* surrogate */,
		"\xf4\x90\x80\x80" /* past the end */,
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++) {
		const char *value = value_of(texts[i], 0);

		CHECK_HAS(value, "\"\\ufffd");
		for (; *value; value++)
			CHECK((unsigned char)*value < 0x80);
	}
	CHECK_STR(value_of("a\xffz", 0), "\"a\\ufffdz\"");
	CHECK_STR(value_of("\xe2z", 0), "\"\\ufffdz\""); /* the next byte is not swallowed */
}

TEST(controls_beyond_ascii_are_escaped)
{
	CHECK_STR(value_of("\xc2\x80\xc2\x9f\xc2\xa0", 0), "\"\\u0080\\u009f\\u00a0\"");
	CHECK_STR(value_of("\xe2\x80\xae", 0), "\"\\u202e\""); /* right-to-left override */
	CHECK_STR(value_of("\xf3\xa0\x80\x81", 0), "\"\\udb40\\udc01\"");
	CHECK_STR(value_of("\xef\xbf\xbd", 0), "\"\xef\xbf\xbd\"");
	CHECK_HAS(value_of("\xef\xbf\xbf", 0), "\\ufffd"); /* U+FFFF is not a character */
}

TEST(numbers_read_back_as_they_were)
{
	CHECK_STR(value_of(NULL, 0.1), "0.1");
	CHECK_STR(value_of(NULL, 3), "3");
	CHECK_STR(value_of(NULL, -2.5), "-2.5");
	CHECK_STR(value_of(NULL, 123456789012345.0), "123456789012345");
	CHECK_STR(value_of(NULL, 0.1 + 0.2), "0.30000000000000004");
	CHECK_STR(value_of(NULL, 9007199254740993.0), "9007199254740992");
}

TEST(durations_and_counts_have_no_exponent)
{
	CHECK_STR(value_of(NULL, 3.8e-5), "0.000038");
	CHECK_STR(value_of(NULL, 5e-5), "0.00005");
	CHECK_STR(value_of(NULL, -1e-9), "-0.000000001");
	CHECK_STR(value_of(NULL, 1.2345678901234567e-9), "0.0000000012345678901234566");
	CHECK_STR(value_of(NULL, 1e15), "1000000000000000");
	CHECK_STR(value_of(NULL, 18446744073709551616.0), "18446744073709552000");
	CHECK_STR(value_of(NULL, -1e20), "-100000000000000000000");
}

TEST(numbers_without_an_exponent_read_back_as_they_were)
{
	static const double scales[] = { 1e-20, 1e-17, 1e-13, 1e-9, 1e-6,
					 1e-5,	1e14,  1e16,  1e18, 1e20 };
	double value;
	size_t i;
	int n;

	for (i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
		for (n = 1; n < 200; n++) {
			value = scales[i] * (1 + n / 67.0) / 5;
			CHECK(strtod(value_of(NULL, value), NULL) == value);
		}
}

TEST(very_small_and_very_large_numbers_have_an_exponent)
{
	CHECK_STR(value_of(NULL, 5e-25), "5e-25");
	CHECK_STR(value_of(NULL, 1e30), "1e+30");
}

TEST(exponent_has_a_point_before_it_in_yaml)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_doc doc;

	pipa_doc_begin(&doc, PIPA_DOC_YAML, &out);
	pipa_doc_double(&doc, "a", 5e-25); /* 5e-25 would be a text to a reader of YAML 1.1 */
	pipa_doc_double(&doc, "b", -1e30);
	pipa_doc_double(&doc, "c", 1.25e-27);
	pipa_doc_double(&doc, "d", 12);
	pipa_doc_finish(&doc);
	CHECK_STR(pipa_buf_str(&out), "---\na: 5.0e-25\nb: -1.0e+30\nc: 1.25e-27\nd: 12\n");
}

TEST(nan_and_infinity_are_null)
{
	CHECK_STR(value_of(NULL, NAN), "null");
	CHECK_STR(value_of(NULL, INFINITY), "null");
	CHECK_STR(value_of(NULL, -INFINITY), "null");
}

TEST(failure_of_the_buffer_reaches_the_end)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 16 };
	struct pipa_doc doc;

	pipa_doc_begin(&doc, PIPA_DOC_JSON, &out);
	pipa_doc_str(&doc, "key", "a text that is too long for it");
	pipa_doc_finish(&doc);
	CHECK(out.status < 0);
}

static const char *with_keys(enum pipa_doc_format format)
{
	static const char *const keys[] = {
		"CPU(s)", "core file size (blocks, -c)", "No", "8", "eth0:1", "a \"b\"", "", "end "
	};
	static struct pipa_buf out;
	struct pipa_doc doc;
	size_t i;

	pipa_buf_reset(&out);
	pipa_doc_begin(&doc, format, &out);
	for (i = 0; i < PIPA_COUNT(keys); i++)
		pipa_doc_u64(&doc, keys[i], i);
	pipa_doc_finish(&doc);
	return pipa_buf_str(&out);
}

TEST(keys_that_yaml_would_misread_are_quoted)
{
	CHECK_STR(with_keys(PIPA_DOC_YAML), "---\n"
					    "CPU(s): 0\n"
					    "core file size (blocks, -c): 1\n"
					    "\"No\": 2\n"
					    "\"8\": 3\n"
					    "\"eth0:1\": 4\n"
					    "\"a \\\"b\\\"\": 5\n"
					    "\"\": 6\n"
					    "\"end \": 7\n");
}

TEST(keys_of_json_are_texts_like_any_other)
{
	CHECK_HAS(with_keys(PIPA_DOC_JSON_LINE), "\"eth0:1\": 4, \"a \\\"b\\\"\": 5, ");
}
