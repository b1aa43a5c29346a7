#include "screen/glyph.h"

#include "lib/test.h"

/* All characters of the text, '?' for those that are none. */
static void check_glyphs(const char *text, const uint32_t *want, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		CHECK_EQ(pipa_glyph_next(&text), want[i]);
	CHECK_EQ(pipa_glyph_next(&text), 0);
	CHECK_EQ(pipa_glyph_next(&text), 0);
}

#define CHECK_GLYPHS(text, ...)                                                                    \
	check_glyphs(text, (const uint32_t[]){ __VA_ARGS__ },                                      \
		     sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

TEST(utf8_is_read_character_by_character)
{
	CHECK_GLYPHS("aé日😀~", 'a', 0xe9, 0x65e5, 0x1f600, '~');
}

TEST(control_characters_are_question_marks)
{
	CHECK_GLYPHS("a\x1b[\x01\x7f\t\n\xc2\x9b", 'a', '?', '[', '?', '?', '?', '?', '?');
}

TEST(bytes_that_are_no_utf8_are_question_marks)
{
	CHECK_GLYPHS("\xff", '?');
	CHECK_GLYPHS("\x80z", '?', 'z');
	CHECK_GLYPHS("\xe2\x82", '?', '?'); /* cut */
	CHECK_GLYPHS("\xe2z", '?', 'z');
	CHECK_GLYPHS("\xc0\xaf", '?');	       /* too long a way to write it */
	CHECK_GLYPHS("\xed\xa0\x80", '?');     /* half of a pair */
	CHECK_GLYPHS("\xf4\x90\x80\x80", '?'); /* above the last character */
}

TEST(what_turns_or_hides_text_is_a_question_mark)
{
	CHECK_GLYPHS("\xe2\x80\xae", '?');     /* right-to-left override */
	CHECK_GLYPHS("\xe2\x80\x8b", '?');     /* no-width space */
	CHECK_GLYPHS("e\xcc\x81", 'e', '?');   /* combining accent */
	CHECK_GLYPHS("\xef\xbb\xbf", '?');     /* byte order mark */
	CHECK_GLYPHS("\xf3\xa0\x81\x81", '?'); /* tag */
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
		const char *at = text;

		CHECK_EQ(pipa_glyph_encode(chars[i], text), strlen(text));
		CHECK_EQ(pipa_glyph_next(&at), chars[i]);
		CHECK_EQ(*at, '\0');
	}
}
