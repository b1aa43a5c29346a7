#include "export/text/number.h"

#include <math.h>
#include <stdio.h>

#include "lib/test.h"
#include "model/stat.h"

static const char *text(double value, int digits, bool plain)
{
	static char buf[64];

	return pipa_number_text(value, digits, plain, buf, sizeof(buf));
}

TEST(thousands_are_separated)
{
	CHECK_STR(text(0, 0, false), "0");
	CHECK_STR(text(999, 0, false), "999");
	CHECK_STR(text(1000, 0, false), "1,000");
	CHECK_STR(text(12345, 0, false), "12,345");
	CHECK_STR(text(123456, 0, false), "123,456");
	CHECK_STR(text(1234567.891, 2, false), "1,234,567.89");
	CHECK_STR(text(-1234567, 0, false), "-1,234,567");
	CHECK_STR(text(-123, 0, false), "-123");
	CHECK_STR(text(0.000000123, 9, false), "0.000000123");
}

TEST(numbers_rounded_up_to_a_thousand_have_a_separator)
{
	CHECK_STR(text(999.6, 0, false), "1,000");
	CHECK_STR(text(999999.999, 2, false), "1,000,000.00");
}

TEST(the_largest_count_keeps_all_its_digits)
{
	CHECK_STR(text(18446744073709551615.0, 0, false), "18,446,744,073,709,551,616");
}

TEST(plain_numbers_have_no_separators)
{
	CHECK_STR(text(1234567.891, 2, true), "1234567.89");
}

TEST(a_short_buffer_cuts_the_number)
{
	char buf[6];

	pipa_number_text(1234567, 0, false, buf, sizeof(buf));
	CHECK(strlen(buf) < sizeof(buf));
}

static void check_rate(double value, double want, const char *want_prefix)
{
	const char *prefix;

	CHECK_NEAR(pipa_number_rate(value, &prefix), want, 1e-9);
	CHECK_STR(prefix, want_prefix);
}

TEST(rates_are_brought_below_a_thousand)
{
	check_rate(0, 0, "");
	check_rate(999.5, 999.5, "");
	check_rate(1000, 1000, ""); /* as perf: only what is above */
	check_rate(1001, 1.001, "K");
	check_rate(2500000, 2.5, "M");
	check_rate(3e9, 3, "G");
	check_rate(4e12, 4000, "G");
}

static void check_derived(struct pipa_derived derived, const char *want, const char *want_unit)
{
	char value[40], unit[64];

	pipa_number_derived(&derived, value, sizeof(value), unit, sizeof(unit));
	CHECK_STR(value, want);
	CHECK_STR(unit, want_unit);
}

TEST(a_derived_number_has_its_digits_and_unit)
{
	check_derived((struct pipa_derived){ .unit = "GHz", .digits = 3, .value = 2.34567 },
		      "2.346", "GHz");
	check_derived(
		(struct pipa_derived){
			.unit = "/sec", .style = PIPA_STYLE_RATE, .digits = 3, .value = 75602.4 },
		"75.602", "K/sec");
	check_derived((struct pipa_derived){ .unit = "of all branches",
					     .style = PIPA_STYLE_PERCENT,
					     .digits = 2,
					     .value = 2.5 },
		      "2.50", "of all branches");
}

TEST(noise_is_the_standard_error_in_percent_of_the_mean)
{
	struct pipa_spread spread = { .n = 4, .mean = -50, .sd = 5 };

	CHECK_NEAR(pipa_number_noise(&spread), 5, 1e-12);
	spread.n = 1;
	CHECK_NEAR(pipa_number_noise(&spread), 0, 0);
	spread = (struct pipa_spread){ .n = 4, .mean = 0, .sd = 5 };
	CHECK_NEAR(pipa_number_noise(&spread), 0, 0);
}

static void check_fixed(double value)
{
	char got[400], want[400];
	int digits;

	for (digits = 0; digits < 12; digits++) {
		snprintf(want, sizeof(want), "%.*f", digits, value);
		CHECK_STR(pipa_number_fixed(value, digits, got, sizeof(got)), want);
	}
}

TEST(fixed_numbers_equal_those_of_printf)
{
	static const double odd[] = { 0.5,
				      2.5,
				      0.125,
				      0.0625,
				      0.0005,
				      2.675,
				      1.005,
				      999.5,
				      0.9999,
				      9.9995,
				      0.0,
				      -0.0,
				      -0.4,
				      -1.5,
				      1e14,
				      1e15,
				      1e15 + 2,
				      1e22,
				      4503599627370496.5,
				      0x1p63,
				      1e300,
				      5e-324,
				      NAN,
				      INFINITY };
	uint64_t bits = 1;
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		check_fixed(odd[i]);
	for (i = 0; i < 20000; i++) {
		bits = bits * 6364136223846793005u + 1442695040888963407u;
		check_fixed((double)(bits >> 20) / (double)(UINT64_C(1) << (bits >> 14 & 63)));
		check_fixed((double)(bits >> 40) / 2000); /* many ties */
	}
}

TEST(a_fixed_number_is_truncated_to_its_buffer)
{
	char buf[6];

	CHECK_STR(pipa_number_fixed(1234567.5, 3, buf, sizeof(buf)), "12345");
}
