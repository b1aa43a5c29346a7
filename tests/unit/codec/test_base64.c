#include "codec/base64.h"

#include "base/buf.h"
#include "lib/test.h"

/* the vectors of RFC 4648 */
TEST(base64_is_that_of_the_standard)
{
	static const char *const want[] = {
		"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
	};
	struct pipa_buf out = { 0 };
	size_t i;

	for (i = 0; i < 7; i++) {
		pipa_buf_reset(&out);
		pipa_base64_put(&out, "foobar", i);
		CHECK_STR(pipa_buf_str(&out), want[i]);
	}
	pipa_buf_puts(&out, ":");
	pipa_base64_put(&out, "\xff\xef\xfe\x00\x10\x83", 6);
	CHECK_STR(pipa_buf_str(&out), "Zm9vYmFy:/+/+ABCD");
	pipa_buf_done(&out);
}

TEST(base64_is_decoded_in_either_alphabet_with_padding_or_without)
{
	static const struct {
		const char *text, *want; /* NULL: malformed */
	} cases[] = {
		{ "", "" },
		{ "Zg==", "f" },
		{ "Zg", "f" },
		{ "Zm8=", "fo" },
		{ "Zm9vYmFy", "foobar" },
		{ "-_-_", "\xfb\xff\xbf" },
		{ "+/+/", "\xfb\xff\xbf" },
		{ "Z", NULL },
		{ "Zg=", NULL },
		{ "Z===", NULL },
		{ "Zm 9", NULL },
		{ "=", NULL },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		struct pipa_buf out = { 0 };

		CHECK(pipa_base64_take(&out, cases[i].text, strlen(cases[i].text)) ==
		      (cases[i].want != NULL));
		if (cases[i].want)
			CHECK_STR(pipa_buf_str(&out), cases[i].want);
		pipa_buf_done(&out);
	}
}
