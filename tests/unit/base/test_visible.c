#include "base/visible.h"

#include <string.h>

#include "base/buf.h"
#include "lib/test.h"

static struct pipa_buf out;

static const char *put(const char *text)
{
	pipa_buf_reset(&out);
	pipa_visible_put(&out, text);
	return pipa_buf_str(&out);
}

TEST(names_that_differ_in_invisible_characters_are_shown_differently)
{
	CHECK_STR(put("f"), "f");
	CHECK_STR(put("f\x01"), "f\\x01");
	CHECK_STR(put("f\x02"), "f\\x02");
	CHECK_STR(put("\x7f\x1b[2J\n"), "\\x7f\\x1b[2J\\x0a");
	CHECK_STR(put("f\xe2\x80\x8b"), "f\\u200b");
	CHECK_STR(put("f\xe2\x80\xae"), "f\\u202e");
	CHECK_STR(put("f\xc2\xa0"), "f\\u00a0"); /* no-break space */
	CHECK_STR(put("f\xf3\xa0\x81\x81"), "f\\U000e0041");
	CHECK_STR(put("f\xef\xbf\xbf"), "f\\xef\\xbf\\xbf");
	pipa_buf_done(&out);
}

TEST(letters_of_all_languages_are_unchanged)
{
	CHECK_STR(put("größe, 漢字, 😀, e\xcc\x81"), "größe, 漢字, 😀, e\xcc\x81");
	CHECK_STR(put(""), "");
	pipa_buf_done(&out);
}

TEST(invalid_utf8_bytes_are_escaped)
{
	CHECK_STR(put("\xff\x80x\xc3"), "\\xff\\x80x\\xc3");
	CHECK_STR(put("\xe2\x80"), "\\xe2\\x80");
	CHECK_STR(put("\xc0\xaf"), "\\xc0\\xaf");
	CHECK_STR(put("\xed\xa0\x80"), "\\xed\\xa0\\x80");
	CHECK_STR(put("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
	pipa_buf_done(&out);
}

TEST(columns_are_those_of_the_escaped_text)
{
	const char *text = "\xe2\x80\xaeé";
	char shown[PIPA_VISIBLE_MAX];
	size_t columns;

	CHECK_EQ(pipa_visible_next(&text, shown, &columns), 6);
	CHECK_EQ(columns, 6);
	CHECK_EQ(pipa_visible_next(&text, shown, &columns), 2);
	CHECK_EQ(columns, 1);
	CHECK_EQ(pipa_visible_next(&text, shown, &columns), 0);
	CHECK_EQ(columns, 0);
}

static const char *add(const char *text, size_t len)
{
	pipa_buf_reset(&out);
	pipa_visible_add(&out, text, len);
	return pipa_buf_str(&out);
}

TEST(text_of_a_length_is_escaped_up_to_its_end)
{
	CHECK_STR(add("plain text, longer than a word", 5), "plain");
	CHECK_STR(add("a\0b", 3), "a\\x00b");
	CHECK_STR(add("f\xe2\x80\xae", 4), "f\\u202e");
	CHECK_STR(add("f\xe2\x80\xae", 3), "f\\xe2\\x80"); /* a truncated character */
	pipa_buf_done(&out);
}

TEST(every_byte_is_escaped_or_not_at_each_offset)
{
	char text[19];
	size_t at;
	int byte;

	for (byte = 0; byte < 256; byte++)
		for (at = 0; at < sizeof(text); at++) {
			memset(text, 'a', sizeof(text));
			text[at] = (char)byte;
			CHECK_EQ(pipa_visible_is_plain(text, sizeof(text)),
				 byte >= ' ' && byte < 0x7f);
		}
}

TEST(appended_text_is_escaped_in_place)
{
	pipa_buf_reset(&out);
	pipa_buf_puts(&out, "\033[1m");
	pipa_buf_puts(&out, "a\nb\tc");
	pipa_visible_since(&out, 4);
	CHECK_STR(pipa_buf_str(&out), "\033[1ma\\x0ab\\x09c");
	pipa_visible_since(&out, out.len);
	CHECK_STR(pipa_buf_str(&out), "\033[1ma\\x0ab\\x09c");
	pipa_buf_done(&out);
}

TEST(a_string_of_fixed_size_ends_with_a_whole_escape)
{
	char text[8];

	pipa_visible_copy(text, sizeof(text), "ab\n\n");
	CHECK_STR(text, "ab\\x0a");
	pipa_visible_copy(text, sizeof(text), "abcdefghij");
	CHECK_STR(text, "abcdefg");
}
