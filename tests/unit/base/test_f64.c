#include "base/f64.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "lib/test.h"

static const char *print(double value)
{
	static char text[PIPA_F64_SIZE];

	return pipa_f64_print(value, text);
}

/* Format with printf, as a reference. */
static const char *expected(double value)
{
	static char text[40];

	snprintf(text, sizeof(text), "%.15g", value);
	if (strtod(text, NULL) < value || strtod(text, NULL) > value)
		snprintf(text, sizeof(text), "%.17g", value);
	return text;
}

TEST(known_doubles_have_the_fewest_digits)
{
	CHECK_STR(print(0), "0");
	CHECK_STR(print(-0.0), "-0");
	CHECK_STR(print(0.1), "0.1");
	CHECK_STR(print(-99.87), "-99.87");
	CHECK_STR(print(1e11), "100000000000");
	CHECK_STR(print(1e300), "1e+300");
	CHECK_STR(print(0.001), "0.001");
	CHECK_STR(print(1.0 / 3), "0.33333333333333331");
	CHECK_STR(print(1790000000.123456), expected(1790000000.123456));
	CHECK_STR(print(INFINITY), "inf");
	CHECK_STR(print(-DBL_MAX), "-1.7976931348623157e+308");
	CHECK_STR(print(DBL_TRUE_MIN), expected(DBL_TRUE_MIN));
}

TEST(fast_and_slow_ways_print_the_same)
{
	uint64_t state = 88172645463325252;
	double value;
	int i;

	for (i = 0; i < 300000; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		switch (i % 4) {
		case 0: value = (double)(state % 10000000000) / 100; break;
		case 1: value = (double)(int64_t)(state % 2000000 - 1000000) / 1000; break;
		case 2:
			value = nextafter((double)(state % 100000) / 100,
					  (double)(state % 2) * 1e9);
			break;
		default:
			memcpy(&value, &state, sizeof(value));
			if (isnan(value))
				continue;
		}
		CHECK_STR(print(value), expected(value));
	}
}
