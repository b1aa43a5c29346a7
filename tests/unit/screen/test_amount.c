#include "screen/cells/amount.h"

#include <math.h>

#include "lib/test.h"

static const char *as(void (*write)(char *, double), double value)
{
	static char text[PIPA_AMOUNT_MAX];

	write(text, value);
	return text;
}

TEST(sizes_have_three_digits_and_a_letter)
{
	CHECK_STR(as(pipa_amount_size, 0), "0");
	CHECK_STR(as(pipa_amount_size, 0.5), "0.50K");
	CHECK_STR(as(pipa_amount_size, 9.996), "10.0K");
	CHECK_STR(as(pipa_amount_size, 999), "999K");
	CHECK_STR(as(pipa_amount_size, 999.6), "0.98M");
	CHECK_STR(as(pipa_amount_size, 1536), "1.50M");
	CHECK_STR(as(pipa_amount_size, 8.0 * 1024 * 1024 * 1024), "8.00T");
	CHECK_STR(as(pipa_amount_size, NAN), "-");
}

TEST(counts_have_a_fraction_only_when_small)
{
	CHECK_STR(as(pipa_amount_count, 0), "0");
	CHECK_STR(as(pipa_amount_count, 0.25), "0.2");
	CHECK_STR(as(pipa_amount_count, 3), "3");
	CHECK_STR(as(pipa_amount_count, 12.6), "13");
	CHECK_STR(as(pipa_amount_count, 999.6), "1.00k");
	CHECK_STR(as(pipa_amount_count, 12345), "12.3k");
	CHECK_STR(as(pipa_amount_count, 5e6), "5.00M");
	CHECK_STR(as(pipa_amount_count, NAN), "-");
}

TEST(percent_above_a_hundred_has_no_fraction)
{
	CHECK_STR(as(pipa_amount_percent, 0), "0.0");
	CHECK_STR(as(pipa_amount_percent, 99.94), "99.9");
	CHECK_STR(as(pipa_amount_percent, 99.97), "100");
	CHECK_STR(as(pipa_amount_percent, 1600), "1600");
	CHECK_STR(as(pipa_amount_percent, NAN), "-");
}

TEST(intervals_and_uptimes_are_short)
{
	char text[PIPA_AMOUNT_MAX];

	pipa_amount_interval(text, 250000000);
	CHECK_STR(text, "250ms");
	pipa_amount_interval(text, 1500000000);
	CHECK_STR(text, "1.5s");
	pipa_amount_interval(text, 120000000000);
	CHECK_STR(text, "2m");
	pipa_amount_uptime(text, 4 * 3600 + 11 * 60 + 59);
	CHECK_STR(text, "04:11");
	pipa_amount_uptime(text, 12 * 86400 + 60);
	CHECK_STR(text, "12d 00:01");
}
