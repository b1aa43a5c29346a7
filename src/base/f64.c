#include "base/f64.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Print a number that is an integer below 10^15 divided by a power of ten up to 10^4. Both are exact as doubles, so
 * their quotient is the double that the decimal reads back as. Returns false for all other numbers.
 */
static int print_decimal(double value, char text[static PIPA_F64_SIZE])
{
	static const double powers[] = { 1, 10, 100, 1000, 10000 };
	double size = value < 0 ? -value : value;
	char digits[24], *end = text;
	uint64_t whole;
	int point, n;

	if (!(size >= 1e-3 &&
	      size < 1e11)) /* neither the others need an exponent, nor 0 its sign */
		return 0;
	for (point = 0; point < 5; point++) {
		whole = (uint64_t)(size * powers[point] + 0.5);
		if ((double)whole / powers[point] >= size && (double)whole / powers[point] <= size)
			break;
	}
	if (point == 5)
		return 0;
	if (value < 0)
		*end++ = '-';
	n = snprintf(digits, sizeof(digits), "%0*llu", point + 1, (unsigned long long)whole);
	memcpy(end, digits, (size_t)(n - point));
	end += n - point;
	if (point) {
		*end++ = '.';
		memcpy(end, digits + n - point, (size_t)point);
		end += point;
	}
	*end = '\0';
	return 1;
}

const char *pipa_f64_print(double value, char text[static PIPA_F64_SIZE])
{
	double again;

	if (print_decimal(value, text))
		return text;
	snprintf(text, PIPA_F64_SIZE, "%.15g", value);
	again = strtod(text, NULL);
	if (again < value || again > value)
		snprintf(text, PIPA_F64_SIZE, "%.17g", value);
	return text;
}
