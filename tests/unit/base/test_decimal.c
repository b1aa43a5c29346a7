#include "base/decimal.h"

#include <stdio.h>

#include "lib/test.h"

/* The definition: one to four digits, a point, two digits, the byte after them. */
static size_t expected(const char *text, char stop, int32_t *ret)
{
	size_t i, whole;

	*ret = 0;
	for (i = 0; text[i] >= '0' && text[i] <= '9' && i < 5; i++)
		*ret = *ret * 10 + text[i] - '0';
	whole = i;
	if (!whole || whole > 4 || text[i++] != '.')
		return 0;
	for (; i < whole + 3; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		*ret = *ret * 10 + text[i] - '0';
	}
	return text[i] == stop ? i : 0;
}

static void check_text(const char *text, char stop)
{
	int32_t want, got = -1;
	size_t len = expected(text, stop, &want);

	CHECK_EQ(pipa_decimal_hundredths(pipa_decimal_load(text), stop, &got), len);
	CHECK_EQ(got, len ? want : -1);
}

TEST(every_number_with_two_digits_after_the_point_is_parsed)
{
	char text[16];

	for (int32_t i = 0; i < 1000000; i++) {
		int32_t got = -1;

		snprintf(text, sizeof(text), "%d.%02d;33333", i / 100, i % 100);
		if (pipa_decimal_hundredths(pipa_decimal_load(text), ';', &got) !=
			    strcspn(text, ";") ||
		    got != i)
			pipa_test_fail(__FILE__, __LINE__, "%s is read as %d", text, got);
	}
}

TEST(other_forms_of_numbers_are_left_to_other_parsers)
{
	static const char *const texts[] = {
		";1.00;1.00", ".50;1.00;",  "5.;1.00;0", "5;1.00;00",	"1.5;1.00;",  "1.500;1.0",
		"-1.50;1.0",  "+1.50;1.0",  "1e2;1.00;", "1.0e1;1.0",	"nan;1.00;",  "inf;1.00;",
		"1,25;1.00",  "\"1.00\";1", " 1.00;1.0", "1.00 ;1.0",	"1.00\r\n;0", "12345.00;",
		"1..0;1.00",  "1.0.;1.00",  "00.00;1.0", "0007.25;0",	"12345678",   "........",
		"1:.00;1.0",  "1.0:;1.00",  "1.00\n1.0", "1.00,1.00",	";;;;;;;;;",  "9999.99;0",
		"/.00;1.00",  "0.0/;1.000", "99.9:;1.0", "1\xb0.00;11", "\xff.00;100"
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		check_text(texts[i], ';');
		check_text(texts[i], ',');
		check_text(texts[i], '\n');
	}
}

TEST(any_byte_at_any_offset_is_noticed)
{
	static const char *const texts[] = { "0.00;0.00", "12.34;1.2", "999.99;00", "9876.54;0" };
	char text[16];
	size_t i, at;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		for (at = 0; at < PIPA_DECIMAL_WORD; at++)
			for (int byte = 0; byte < 256; byte++) {
				snprintf(text, sizeof(text), "%s", texts[i]);
				text[at] = (char)byte;
				check_text(text, ';');
			}
}

TEST(the_first_of_several_equal_bytes_is_found)
{
	char text[PIPA_DECIMAL_WORD];
	size_t at, i;

	for (at = 0; at <= PIPA_DECIMAL_WORD; at++)
		for (i = 0; i < 256; i++) {
			memset(text, (int)i, sizeof(text));
			if (at < PIPA_DECIMAL_WORD)
				text[at] = ';';
			CHECK_EQ(pipa_decimal_find(pipa_decimal_load(text), ';'),
				 i == ';' ? 0 : at);
		}
	memcpy(text, "ab;c;:;;", sizeof(text));
	CHECK_EQ(pipa_decimal_find(pipa_decimal_load(text), ';'), 2);
}

TEST(stored_words_have_the_bytes_that_were_loaded)
{
	char text[PIPA_DECIMAL_WORD];

	pipa_decimal_store(pipa_decimal_load("12345678"), text);
	CHECK(memcmp(text, "12345678", sizeof(text)) == 0);
	CHECK_EQ(pipa_decimal_load("1\0\0\0\0\0\0\0"), '1');
}
