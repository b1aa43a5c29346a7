#include "screen/cells/glyph.h"

#include "lib/test.h"

/* All characters of the text. */
static void check_glyphs(const char *text, const uint32_t *want, size_t n)
{
	struct pipa_glyphs glyphs = { .text = text };
	size_t i;

	for (i = 0; i < n; i++)
		CHECK_EQ(pipa_glyph_next(&glyphs), want[i]);
	CHECK_EQ(pipa_glyph_next(&glyphs), 0);
	CHECK_EQ(pipa_glyph_next(&glyphs), 0);
}

#define CHECK_GLYPHS(text, ...)                                                                    \
	check_glyphs(text, (const uint32_t[]){ __VA_ARGS__ },                                      \
		     sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

TEST(utf8_is_read_character_by_character)
{
	CHECK_GLYPHS("aé日😀~", 'a', 0xe9, 0x65e5, 0x1f600, '~');
}

/* All of it as a terminal gets it. */
static const char *shown(const char *text)
{
	static char all[200];
	struct pipa_glyphs glyphs = { .text = text };
	size_t len = 0;
	uint32_t ch;

	while (pipa_glyph_follows(&glyphs)) {
		ch = pipa_glyph_next(&glyphs);
		CHECK(ch >= ' ' && len + 4 < sizeof(all));
		len += (size_t)pipa_glyph_encode(ch, all + len);
	}
	CHECK_EQ(pipa_glyph_next(&glyphs), 0);
	all[len] = '\0';
	return all;
}

TEST(control_characters_are_written_out)
{
	CHECK_STR(shown("a\x1b[\x01\x7f\t\n\xc2\x9b"), "a\\x1b[\\x01\\x7f\\x09\\x0a\\u009b");
}

TEST(invalid_utf8_bytes_are_escaped)
{
	CHECK_STR(shown("\xff"), "\\xff");
	CHECK_STR(shown("\x80z"), "\\x80z");
	CHECK_STR(shown("\xe2\x82"), "\\xe2\\x82"); /* cut */
	CHECK_STR(shown("\xe2z"), "\\xe2z");
	CHECK_STR(shown("\xc0\xaf"), "\\xc0\\xaf");	     /* too long a way to write it */
	CHECK_STR(shown("\xed\xa0\x80"), "\\xed\\xa0\\x80"); /* half of a pair */
	CHECK_STR(shown("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"); /* above the last character */
}

TEST(bidirectional_and_invisible_characters_are_escaped)
{
	CHECK_STR(shown("\xe2\x80\xae"), "\\u202e");	     /* right-to-left override */
	CHECK_STR(shown("\xe2\x80\x8b"), "\\u200b");	     /* no-width space */
	CHECK_STR(shown("e\xcc\x81"), "e\\u0301");	     /* combining accent */
	CHECK_STR(shown("\xef\xbb\xbf"), "\\ufeff");	     /* byte order mark */
	CHECK_STR(shown("\xf3\xa0\x81\x81"), "\\U000e0041"); /* tag */
}

TEST(wide_characters_take_two_cells)
{
	CHECK_EQ(pipa_glyph_width('a'), 1);
	CHECK_EQ(pipa_glyph_width(0x25a0), 1);
	CHECK_EQ(pipa_glyph_width(0x65e5), 2);
	CHECK_EQ(pipa_glyph_width(0xac00), 2);
	CHECK_EQ(pipa_glyph_width(0x1f600), 2);
}

TEST(encoding_is_the_way_back)
{
	static const uint32_t chars[] = { 'a', 0xe9, 0x7ff, 0x800, 0x65e5, 0x1f600 };
	size_t i;

	for (i = 0; i < sizeof(chars) / sizeof(chars[0]); i++) {
		char text[5] = { 0 };
		struct pipa_glyphs glyphs = { .text = text };

		CHECK_EQ(pipa_glyph_encode(chars[i], text), strlen(text));
		CHECK_EQ(pipa_glyph_next(&glyphs), chars[i]);
		CHECK(!pipa_glyph_follows(&glyphs));
	}
}
