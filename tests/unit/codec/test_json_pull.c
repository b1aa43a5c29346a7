#include "codec/json_pull.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "lib/test.h"

static struct pipa_json_pull start(const char *text)
{
	struct pipa_json_pull json;

	pipa_json_pull_init(&json, (struct pipa_span){ (const uint8_t *)text, strlen(text) });
	return json;
}

TEST(members_and_elements_are_read_in_order)
{
	struct pipa_json_pull json = start(" {\"a\" : [1, 2,3] , \"b\":{\"c\":[]},\"d\":-1.5e2}");
	struct pipa_json_text key;
	bool first = true, element = true;
	uint64_t number, sum = 0;
	double real;

	CHECK(pipa_json_pull_open(&json, '{'));
	CHECK(pipa_json_pull_member(&json, &first, &key));
	CHECK(pipa_json_text_is(&key, "a"));
	CHECK(pipa_json_pull_open(&json, '['));
	while (pipa_json_pull_element(&json, &element)) {
		CHECK(pipa_json_pull_u64(&json, &number));
		sum = sum * 10 + number;
	}
	CHECK_EQ(sum, 123u);
	CHECK(pipa_json_pull_member(&json, &first, &key));
	CHECK(pipa_json_pull_skip(&json));
	CHECK(pipa_json_pull_member(&json, &first, &key));
	CHECK(pipa_json_text_is(&key, "d"));
	CHECK(pipa_json_pull_double(&json, &real));
	CHECK(real == -150);
	CHECK(!pipa_json_pull_member(&json, &first, &key));
	CHECK_EQ(json.status, 0);
}

TEST(escapes_are_decoded)
{
	struct pipa_json_pull json = start(
		"\"a\\\"\\\\\\/\\n\\u00e9\\ud83d\\ude00\\ud800x\\u0000\"");
	struct pipa_buf out = { 0 };
	struct pipa_json_text text;

	CHECK(pipa_json_pull_string(&json, &text));
	CHECK(text.escaped);
	pipa_json_text_put(&text, &out);
	CHECK_STR(pipa_buf_str(&out), "a\"\\/\n\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbdx\xef\xbf\xbd");
	pipa_buf_done(&out);
}

TEST(integers_are_exact_up_to_64_bits)
{
	struct pipa_json_pull json = start("18446744073709551615");
	uint64_t number;

	CHECK(pipa_json_pull_u64(&json, &number));
	CHECK_EQ(number, UINT64_MAX);
	json = start("18446744073709551616");
	CHECK(!pipa_json_pull_u64(&json, &number));
	CHECK_STR(json.what, "a number exceeds 64 bits");
	json = start("2.0");
	CHECK(pipa_json_pull_u64(&json, &number));
	CHECK_EQ(number, 2u);
	json = start("1.5");
	CHECK(!pipa_json_pull_u64(&json, &number));
}

TEST(malformed_text_is_refused)
{
	static const char *const texts[] = { "",	  "{\"a\"", "[1",   "{\"a\":\"b", "[1 2]",
					     "{\"a\" 1}", "x",	    "\"\\", "{\"a\":1,",  "1e999" };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct pipa_json_pull json = start(texts[i]);
		struct pipa_json_text key;
		bool first = true, is_object = texts[i][0] == '{', is_list = texts[i][0] == '[';

		if (is_object && pipa_json_pull_open(&json, '{'))
			while (pipa_json_pull_member(&json, &first, &key))
				pipa_json_pull_skip(&json);
		else if (is_list && pipa_json_pull_open(&json, '['))
			while (pipa_json_pull_element(&json, &first))
				pipa_json_pull_skip(&json);
		else
			pipa_json_pull_skip(&json);
		CHECK_EQ(json.status, -EBADMSG);
		CHECK(json.what != NULL);
	}
}

TEST(deep_nesting_is_refused)
{
	struct pipa_json_pull json;
	char text[2001];

	memset(text, '[', 2000);
	text[2000] = '\0';
	json = start(text);
	CHECK(!pipa_json_pull_skip(&json));
	CHECK_STR(json.what, "values are nested too deeply");
}
