#include "base/utf8.h"

#include <string.h>

#include "base/buf.h"
#include "lib/test.h"

static struct pipa_buf out;

static const char *clean(const char *text, size_t len, bool *ret_valid)
{
	pipa_buf_reset(&out);
	*ret_valid = pipa_utf8_put_clean(&out, text, len);
	return pipa_buf_str(&out);
}

TEST(bytes_that_are_not_utf8_become_the_replacement_character)
{
	bool valid;

	CHECK_STR(clean("\377\"b", 3, &valid), "\xef\xbf\xbd\"b");
	CHECK(!valid);
	CHECK_STR(clean("a\200", 2, &valid), "a\xef\xbf\xbd");
	CHECK(!valid);
	CHECK_STR(clean("ab\xc3", 3, &valid), "ab\xef\xbf\xbd"); /* truncated */
	CHECK(!valid);
	CHECK_STR(clean("a\0b", 3, &valid), "a\xef\xbf\xbd"
					    "b");
	CHECK(!valid);
	CHECK_STR(clean("\xed\xa0\x80x", 4, &valid),
		  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx"); /* surrogate */
	CHECK(!valid);
	pipa_buf_done(&out);
}

TEST(valid_text_is_copied_as_it_is)
{
	const char *const text = "größe, 漢字, 😀, e\xcc\x81";
	bool valid;

	CHECK_STR(clean(text, strlen(text), &valid), text);
	CHECK(valid);
	CHECK_STR(clean("", 0, &valid), "");
	CHECK(valid);
	pipa_buf_done(&out);
}

TEST(validity_of_text_ends_at_its_size)
{
	CHECK(pipa_utf8_is_valid("\xc3\xb6", 2));
	CHECK(!pipa_utf8_is_valid("\xc3\xb6", 1));
	CHECK(!pipa_utf8_is_valid("a\377", 2));
	CHECK(pipa_utf8_is_valid("a\377", 1));
}
