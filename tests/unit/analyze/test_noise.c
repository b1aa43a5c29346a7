#include "analyze/count/noise.h"

#include <math.h>

#include "base/auto.h"
#include "lib/test.h"

/*
 * The wanted numbers of this file were computed apart from the code, to 30 digits: the quantiles
 * from the regularized incomplete beta function, the tests by Welch's formulas over the raw values.
 */

TEST(t_is_the_known_table)
{
	static const struct {
		double degrees, want;
	} rows[] = {
		{ 1, 12.7062047362 },	{ 2, 4.30265272975 },	 { 3, 3.18244630528 },
		{ 4, 2.7764451052 },	{ 5, 2.57058183564 },	 { 6, 2.44691185114 },
		{ 9, 2.2621571628 },	{ 15, 2.13144954556 },	 { 30, 2.0422724563 },
		{ 100, 1.98397151852 }, { 1000, 1.96233908083 },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++)
		CHECK_NEAR(pipa_student_t95(rows[i].degrees), rows[i].want, 0.003);
	CHECK_NEAR(pipa_student_t95(1e12), 1.959963984540054, 1e-9);
}

TEST(a_run_is_placed_among_others)
{
	double values[] = { 9, 10, 11 }, equal[] = { 5, 5 };
	struct pipa_spread runs, exact, one = { .n = 1, .mean = 5, .sd = NAN };

	pipa_spread_of(values, 3, &runs); /* 4.3027 * 1 * sqrt(4 / 3): 4.968 */
	CHECK_EQ(pipa_spread_place(&runs, 14.9), PIPA_VERDICT_SAME);
	CHECK_EQ(pipa_spread_place(&runs, 15), PIPA_VERDICT_HIGHER);
	CHECK_EQ(pipa_spread_place(&runs, 5.1), PIPA_VERDICT_SAME);
	CHECK_EQ(pipa_spread_place(&runs, 5), PIPA_VERDICT_LOWER);
	CHECK_EQ(pipa_spread_place(&runs, NAN), PIPA_VERDICT_UNKNOWN);
	pipa_spread_of(equal, 2, &exact);
	CHECK_EQ(pipa_spread_place(&exact, 5), PIPA_VERDICT_SAME);
	CHECK_EQ(pipa_spread_place(&exact, 5.001), PIPA_VERDICT_HIGHER);
	CHECK_EQ(pipa_spread_place(&one, 6), PIPA_VERDICT_UNKNOWN);
}

TEST(t_between_few_degrees_is_on_the_safe_side)
{
	CHECK_NEAR(pipa_student_t95(1.9), 12.7062047362, 1e-6);
	CHECK_NEAR(pipa_student_t95(2.94), 4.30265272975, 1e-6);
	CHECK_NEAR(pipa_student_t95(4.9), 2.7764451052, 1e-6);
	CHECK(isnan(pipa_student_t95(0.5)));
}

TEST(t_falls_with_every_degree)
{
	double degrees;

	for (degrees = 1; degrees < 200; degrees += 0.25)
		CHECK(pipa_student_t95(degrees) >= pipa_student_t95(degrees + 0.25));
}

TEST(spread_describes_a_sample)
{
	double values[] = { 4, 8, 6, 5, 3, 2, 8, 9, 2, 5 };
	struct pipa_spread s;

	pipa_spread_of(values, PIPA_COUNT(values), &s);
	CHECK_EQ(s.n, 10);
	CHECK_NEAR(s.mean, 5.2, 1e-12);
	CHECK_NEAR(s.sd, 2.5298221281347035, 1e-12);
	CHECK_NEAR(s.min, 2, 0);
	CHECK_NEAR(s.max, 9, 0);
	CHECK_NEAR(s.median, 5, 0);
	CHECK_NEAR(s.low, 3.390274269761436, 0.0005);
	CHECK_NEAR(s.high, 7.009725730238564, 0.0005);
}

TEST(median_of_an_even_sample_is_between_the_middle_two)
{
	double even[] = { 10, 1, 3, 2 }, odd[] = { 10, 1, 3 };
	struct pipa_spread s;

	pipa_spread_of(even, 4, &s);
	CHECK_NEAR(s.median, 2.5, 0);
	pipa_spread_of(odd, 3, &s);
	CHECK_NEAR(s.median, 3, 0);
}

TEST(single_run_has_no_spread)
{
	double one[] = { 42 };
	struct pipa_spread s;

	pipa_spread_of(one, 1, &s);
	CHECK_EQ(s.n, 1);
	CHECK_NEAR(s.mean, 42, 0);
	CHECK_NEAR(s.median, 42, 0);
	CHECK(isnan(s.sd) && isnan(s.low) && isnan(s.high));
}

TEST(no_run_has_nothing)
{
	struct pipa_spread s = { .n = 7 };

	pipa_spread_of(NULL, 0, &s);
	CHECK_EQ(s.n, 0);
	CHECK(isnan(s.mean) && isnan(s.min) && isnan(s.max) && isnan(s.median));
}

TEST(same_value_in_every_run_has_no_width)
{
	double values[] = { 7, 7, 7 };
	struct pipa_spread s;

	pipa_spread_of(values, 3, &s);
	CHECK_NEAR(s.sd, 0, 0);
	CHECK_NEAR(s.low, 7, 0);
	CHECK_NEAR(s.high, 7, 0);
}

static enum pipa_verdict compare(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double before[32], after[32];
	struct pipa_spread sa, sb;

	memcpy(before, a, n_a * sizeof(*a));
	memcpy(after, b, n_b * sizeof(*b));
	pipa_spread_of(before, n_a, &sa);
	pipa_spread_of(after, n_b, &sb);
	return pipa_spread_compare(&sa, &sb);
}

#define COMPARE(a, b) compare(a, PIPA_COUNT(a), b, PIPA_COUNT(b))

TEST(significant_difference_has_a_direction)
{
	/* t = 10, 8 degrees, p = 8e-6 */
	static const double a[] = { 10, 12, 9, 11, 13 }, b[] = { 20, 22, 19, 21, 23 };

	CHECK_EQ(COMPARE(a, b), PIPA_VERDICT_HIGHER);
	CHECK_EQ(COMPARE(b, a), PIPA_VERDICT_LOWER);
	CHECK_EQ(COMPARE(a, a), PIPA_VERDICT_SAME);
}

TEST(small_difference_is_noise)
{
	/* t = 1, 8 degrees, p = 0.35 */
	static const double a[] = { 10, 12, 9, 11, 13 }, b[] = { 11, 13, 10, 12, 14 };

	CHECK_EQ(COMPARE(a, b), PIPA_VERDICT_SAME);
	CHECK_EQ(COMPARE(b, a), PIPA_VERDICT_SAME);
}

TEST(textbook_sample_is_judged_as_in_the_book)
{
	/* t = 2.853, 27.89 degrees, p = 0.0081 */
	static const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
				    21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4 };
	static const double b[] = { 27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
				    24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4 };

	CHECK_EQ(COMPARE(a, b), PIPA_VERDICT_HIGHER);
}

TEST(few_runs_need_more_than_the_normal_law_would)
{
	/* t = 2.449 and 4 degrees: below 2.776, though far above 1.96 */
	static const double a[] = { 100, 101, 99 }, b[] = { 102, 103, 101 };
	/* t = 3.674 with the same degrees is enough */
	static const double c[] = { 103, 104, 102 };
	/* and two runs each need 4.303: t = 2.83 is not */
	static const double d[] = { 1, 2 }, e[] = { 3, 4 }, f[] = { 30, 31 };

	CHECK_EQ(COMPARE(a, b), PIPA_VERDICT_SAME);
	CHECK_EQ(COMPARE(a, c), PIPA_VERDICT_HIGHER);
	CHECK_EQ(COMPARE(d, e), PIPA_VERDICT_SAME);
	CHECK_EQ(COMPARE(d, f), PIPA_VERDICT_HIGHER);
}

TEST(noisy_side_with_few_runs_weighs_as_it_should)
{
	/*
	 * 20 quiet runs against 3 noisy ones: Welch has t = 3.45 with 2.02 degrees, which is noise;
	 * pooling the variances would have t = 8.9 with 21 and be wrong.
	 */
	struct pipa_spread a = { .n = 20, .mean = 100, .sd = 1 };
	struct pipa_spread b = { .n = 3, .mean = 110, .sd = 5 };

	CHECK_EQ(pipa_spread_compare(&a, &b), PIPA_VERDICT_SAME);
	b.sd = 1;
	CHECK_EQ(pipa_spread_compare(&a, &b), PIPA_VERDICT_HIGHER);
}

TEST(exact_counts_differ_by_any_difference)
{
	struct pipa_spread a = { .n = 3, .mean = 1000, .sd = 0 }, b = a;

	CHECK_EQ(pipa_spread_compare(&a, &b), PIPA_VERDICT_SAME);
	b.mean = 1001;
	CHECK_EQ(pipa_spread_compare(&a, &b), PIPA_VERDICT_HIGHER);
	CHECK_EQ(pipa_spread_compare(&b, &a), PIPA_VERDICT_LOWER);
}

TEST(single_run_on_either_side_is_unknown)
{
	struct pipa_spread one = { .n = 1, .mean = 1, .sd = NAN };
	struct pipa_spread many = { .n = 5, .mean = 100, .sd = 1 }, lost = many;

	lost.mean = NAN;
	CHECK_EQ(pipa_spread_compare(&one, &many), PIPA_VERDICT_UNKNOWN);
	CHECK_EQ(pipa_spread_compare(&many, &one), PIPA_VERDICT_UNKNOWN);
	CHECK_EQ(pipa_spread_compare(&many, &lost), PIPA_VERDICT_UNKNOWN);
	CHECK_EQ(pipa_spread_compare(&lost, &many), PIPA_VERDICT_UNKNOWN);
}

TEST(deviation_past_all_arithmetic_is_noise)
{
	struct pipa_spread a = { .n = 3, .mean = 1, .sd = 1e200 };
	struct pipa_spread b = { .n = 3, .mean = 2, .sd = 1 };

	CHECK_EQ(pipa_spread_compare(&a, &b), PIPA_VERDICT_SAME);
}

TEST(verdicts_have_words)
{
	CHECK_STR(pipa_verdict_text(PIPA_VERDICT_UNKNOWN), "unknown");
	CHECK_STR(pipa_verdict_text(PIPA_VERDICT_SAME), "within noise");
	CHECK_STR(pipa_verdict_text(PIPA_VERDICT_LOWER), "lower");
	CHECK_STR(pipa_verdict_text(PIPA_VERDICT_HIGHER), "higher");
}

TEST(p_of_t_is_the_known_one)
{
	double t;

	CHECK_NEAR(pipa_student_p(12.7062047362, 1), 0.05, 1e-10);
	CHECK_NEAR(pipa_student_p(-2.7764451052, 4), 0.05, 1e-10);
	CHECK_NEAR(pipa_student_p(2.0422724563, 30), 0.05, 1e-10);
	CHECK_NEAR(pipa_student_p(1.98397151852, 100), 0.05, 1e-10);
	CHECK_NEAR(pipa_student_p(1.959963984540054, 1e9), 0.05, 1e-6);
	for (t = 0; t < 50; t += 0.37) { /* closed forms of one and two degrees of freedom */
		CHECK_NEAR(pipa_student_p(t, 1), 1 - 2 / M_PI * atan(t), 1e-9);
		CHECK_NEAR(pipa_student_p(t, 2), 1 - t / sqrt(2 + t * t), 1e-9);
	}
	CHECK(pipa_student_p(0, 7) == 1 && pipa_student_p(INFINITY, 7) == 0);
	CHECK(pipa_student_p(100, 200) > 0 && pipa_student_p(100, 200) < 1e-150);
	CHECK(isnan(pipa_student_p(1, 0.5)) && isnan(pipa_student_p(NAN, 5)));
}

TEST(p_of_two_spreads_agrees_with_their_verdict)
{
	double low[] = { 9, 10, 11, 10, 9.5 }, high[] = { 11, 12, 13, 12.5, 11.5 };
	double near[] = { 9.2, 10.4, 11.2, 10.1, 9.9 }, equal[] = { 5, 5, 5 };
	struct pipa_spread a, b, c, exact, one = { .n = 1, .mean = 5, .sd = NAN };

	pipa_spread_of(low, 5, &a);
	pipa_spread_of(high, 5, &b);
	pipa_spread_of(near, 5, &c);
	pipa_spread_of(equal, 3, &exact);
	CHECK(pipa_spread_p(&a, &b) < 0.05);
	CHECK_EQ(pipa_spread_compare(&a, &b), PIPA_VERDICT_HIGHER);
	CHECK(pipa_spread_p(&a, &c) > 0.05);
	CHECK_EQ(pipa_spread_compare(&a, &c), PIPA_VERDICT_SAME);
	CHECK_NEAR(pipa_spread_p(&a, &b), pipa_spread_p(&b, &a), 1e-15);
	CHECK(pipa_spread_p(&exact, &exact) == 1);
	CHECK(isnan(pipa_spread_p(&a, &one)));
	one.n = 2;
	one.sd = 0;
	one.mean = 6;
	CHECK(pipa_spread_p(&exact, &one) == 0);
}

TEST(holm_divides_the_level_by_the_remaining_tests)
{
	struct pipa_p_value tests[] = { { 0.04, 0 }, { 0.001, 1 }, { 0.02, 2 }, { 0.5, 3 } };

	/* 0.001 x 4 and 0.02 x 3: the second exceeds 5 %, so 0.04 x 2 is not reached */
	CHECK_EQ(pipa_holm(tests, 4), 1);
	CHECK_EQ(tests[0].item, 1);
	CHECK_EQ(tests[3].item, 3);
	tests[1].p = 0.016;
	tests[2].p = 0.025;
	CHECK_EQ(pipa_holm(tests, 4), 3);
	CHECK_EQ(pipa_holm(tests, 0), 0);
}
