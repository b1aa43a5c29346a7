#include "base/str.h"

#include <errno.h>

#include "base/auto.h"
#include "base/clock.h"
#include "lib/test.h"

TEST(numbers_are_decimal_or_hexadecimal)
{
	static const struct {
		const char *text;
		uint64_t want;
	} rows[] = {
		{ "0", 0 },
		{ "7", 7 },
		{ "010", 10 }, /* no octal: it is never intended */
		{ "0x1a8", 0x1a8 },
		{ "0XFF", 255 },
		{ "18446744073709551615", UINT64_MAX },
		{ "0xffffffffffffffff", UINT64_MAX },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++) {
		uint64_t value = 77;

		errno = ERANGE; /* left over from somewhere else: of no concern */
		CHECK_EQ(pipa_str_u64(rows[i].text, &value), 0);
		CHECK_EQ(value, rows[i].want);
	}
}

TEST(strings_with_other_characters_than_a_number_are_refused)
{
	static const char *const texts[] = { "",     " 1",   "1 ",     "+1",  "-1",  "12x", "0x",
					     "0x-1", "0x 1", "0x0x10", "abc", "0b1", "1.0", "1\n" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++) {
		uint64_t value = 77;

		if (pipa_str_u64(texts[i], &value) != -EINVAL)
			pipa_test_fail(__FILE__, __LINE__, "'%s' was taken", texts[i]);
		CHECK_EQ(value, 77);
	}
}

TEST(number_that_does_not_fit_is_out_of_range)
{
	uint64_t value = 77;

	CHECK_EQ(pipa_str_u64("18446744073709551616", &value), -ERANGE);
	CHECK_EQ(pipa_str_u64("0x10000000000000000", &value), -ERANGE);
	CHECK_EQ(pipa_str_hex("10000000000000000", &value), -ERANGE);
	CHECK_EQ(value, 77);
}

TEST(raw_codes_are_hexadecimal_digits_only)
{
	uint64_t value = 77;

	CHECK_EQ(pipa_str_hex("1a8", &value), 0);
	CHECK_EQ(value, 0x1a8);
	CHECK_EQ(pipa_str_hex("FFFFFFFFFFFFFFFF", &value), 0);
	CHECK_EQ(value, UINT64_MAX);
	value = 77;
	CHECK_EQ(pipa_str_hex("", &value), -EINVAL);
	CHECK_EQ(pipa_str_hex("0x1a", &value), -EINVAL);
	CHECK_EQ(pipa_str_hex("1a8u", &value), -EINVAL);
	CHECK_EQ(pipa_str_hex("-1", &value), -EINVAL);
	CHECK_EQ(value, 77);
}

TEST(decimals_have_a_point_and_maybe_an_exponent)
{
	double value = 0;

	CHECK_EQ(pipa_str_double("1.5", &value), 0);
	CHECK_NEAR(value, 1.5, 0);
	CHECK_EQ(pipa_str_double("-.25", &value), 0);
	CHECK_NEAR(value, -0.25, 0);
	CHECK_EQ(pipa_str_double("2.3283064365386962890625e-10", &value), 0); /* RAPL's scale */
	CHECK_NEAR(value, 0x1p-32, 0);
}

TEST(strings_other_than_finite_decimals_are_refused)
{
	static const char *const texts[] = { "",     "-",  ".",	   "-.",   "nan",  "inf",   "1,5",
					     "1.5x", " 1", "+1.5", "1.5 ", "0x10", "-0x10", "1e" };
	double value = 7;
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++)
		if (pipa_str_double(texts[i], &value) != -EINVAL)
			pipa_test_fail(__FILE__, __LINE__, "'%s' was taken", texts[i]);
	CHECK_EQ(pipa_str_double("1e999", &value), -ERANGE);
	CHECK_EQ(pipa_str_double("-1e999", &value), -ERANGE);
	CHECK_NEAR(value, 7, 0);
}

TEST(durations_know_their_units)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{ "3ns", 3 },
		{ "250us", 250000 },
		{ "250ms", 250000000 },
		{ "1.5s", 1500000000 },
		{ "2m", UINT64_C(120000000000) },
		{ "1h", UINT64_C(3600000000000) },
		{ "0", 0 },
		{ "0.0001ms", 100 },
		{ "100", 100000000 }, /* bare: milliseconds, as asked below */
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++) {
		uint64_t ns = 77;

		CHECK_EQ(pipa_str_duration(rows[i].text, PIPA_NS_PER_MS, &ns), 0);
		CHECK_EQ(ns, rows[i].ns);
	}
}

TEST(bare_duration_is_in_the_unit_of_the_option)
{
	uint64_t ns = 0;

	CHECK_EQ(pipa_str_duration("2.5", PIPA_NS_PER_SEC, &ns), 0);
	CHECK_EQ(ns, 2500 * PIPA_NS_PER_MS);
	CHECK_EQ(pipa_str_duration("2.5", 1, &ns), 0);
	CHECK_EQ(ns, 3); /* rounded, not cut */
}

TEST(bad_durations_are_refused)
{
	static const char *const texts[] = { "",   "s",	   "1 s", "1S",	  "1min", "-1s",
					     "1d", "1ms ", "--1", "0x1s", "nan",  "1s1s" };
	uint64_t ns = 77;
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++)
		if (pipa_str_duration(texts[i], PIPA_NS_PER_SEC, &ns) != -EINVAL)
			pipa_test_fail(__FILE__, __LINE__, "'%s' was taken", texts[i]);
	CHECK_EQ(pipa_str_duration("9223372037", PIPA_NS_PER_SEC, &ns), -ERANGE);
	CHECK_EQ(pipa_str_duration("1e300h", 1, &ns), -ERANGE);
	CHECK_EQ(ns, 77);
}

TEST(sizes_know_their_units)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = {
		{ "3", 3 * 4096 },
		{ "3B", 3 },
		{ "512k", 512000 },
		{ "512K", 512000 },
		{ "64Ki", 65536 },
		{ "1.5M", 1500000 },
		{ "2MiB", 2097152 },
		{ "1G", UINT64_C(1000000000) },
		{ "1Gi", UINT64_C(1) << 30 },
	};
	uint64_t bytes;
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++) {
		bytes = 0;
		CHECK_EQ(pipa_str_size(rows[i].text, 4096, &bytes), 0);
		CHECK_EQ(bytes, rows[i].bytes);
	}
	CHECK_EQ(pipa_str_size("12x", 1, &bytes), -EINVAL);
	CHECK_EQ(pipa_str_size("-1k", 1, &bytes), -EINVAL);
	CHECK_EQ(pipa_str_size("99999999999G", 1, &bytes), -ERANGE);
}

TEST(a_list_has_whole_words)
{
	CHECK(pipa_str_listed("sda", "sda", false));
	CHECK(pipa_str_listed("a,sda,b", "sda", false));
	CHECK(pipa_str_listed("a,b,sda", "sda", false));
	CHECK(!pipa_str_listed("sda1,asda", "sda", false));
	CHECK(!pipa_str_listed("", "sda", false));
	CHECK(!pipa_str_listed("sd*", "sda", false));
	CHECK(pipa_str_listed("nvme*,sd?", "sda", true));
	CHECK(!pipa_str_listed("nvme*,sd?", "sda1", true));
}

TEST(prefix_is_the_start_of_a_text)
{
	CHECK(pipa_str_starts("uncore_imc", "uncore_"));
	CHECK(pipa_str_starts("x", ""));
	CHECK(!pipa_str_starts("un", "uncore_"));
	CHECK(!pipa_str_starts("my_uncore_", "uncore_"));
}

TEST(sizes_take_suffixes_of_thousands_and_of_1024)
{
	uint64_t bytes = 7;

	CHECK_EQ(pipa_str_size("4096", 1, &bytes), 0);
	CHECK_EQ(bytes, 4096);
	CHECK_EQ(pipa_str_size("500M", 1, &bytes), 0);
	CHECK_EQ(bytes, 500000000);
	CHECK_EQ(pipa_str_size("1.5Ki", 1, &bytes), 0);
	CHECK_EQ(bytes, 1536);
	CHECK_EQ(pipa_str_size("1x", 1, &bytes), -EINVAL);
	CHECK_EQ(pipa_str_size("-1k", 1, &bytes), -EINVAL);
	CHECK_EQ(pipa_str_size("", 1, &bytes), -EINVAL);
	CHECK_EQ(pipa_str_size("9999999999Gi", 1, &bytes), -ERANGE);
	CHECK_EQ(bytes, 1536);
}
