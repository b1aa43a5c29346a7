/*
 * Parse decimals faster than strtod(): plain ones, "-12.345", in one pass; those of a fixed format, "0.00" and
 * "99.87", eight bytes of text at a time. Arithmetic on a 64-bit word (SWAR) checks and converts all their digits at
 * once, without instructions of one architecture.
 */
#ifndef PIPA_BASE_DECIMAL_H
#define PIPA_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PIPA_DECIMAL_WORD = 8 }; /* bytes that must be readable */

/* Load eight bytes, the first one in the low bits. */
static inline uint64_t pipa_decimal_load(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Store eight bytes, the low bits first. */
static inline void pipa_decimal_store(uint64_t word, char *ret)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(ret, &word, sizeof(word));
}

/* Return the number of bytes before the first one that is `byte`; 8: there is none. */
static inline size_t pipa_decimal_find(uint64_t word, char byte)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t other = word ^ (unsigned char)byte * ones; /* 0 at the place of the byte */
	const uint64_t found = (other - ones) & ~other & ones << 7;

	return found ? (size_t)__builtin_ctzll(found) / 8 : PIPA_DECIMAL_WORD;
}

/*
 * Is each byte 0 where `limits` has 0x7f, and at most 9 where it has 0x76? Such a byte does not reach the top bit of
 * their sum, and has no carry.
 */
static inline bool pipa_decimal_fits(uint64_t digits, uint64_t limits)
{
	return !(((digits + limits) | digits) & UINT64_C(0x8080808080808080));
}

/*
 * Parse one to four digits, a point and two digits, "0.00" to "9999.99", up to the byte `stop`. Sets the number in
 * hundredths and returns its length; 0: the text has another form. A cell is mostly as long as that of the row
 * before: branches by length are predicted, so that several cells are parsed at the same time. With a computed
 * length each cell would wait for the one before it.
 */
static inline size_t pipa_decimal_hundredths(uint64_t word, char stop, int32_t *ret)
{
	const uint64_t end = (unsigned char)stop;
	uint64_t digits, pairs; /* pairs: in each byte 10 times the digit, and the next one */

	digits = (word ^ (end << 32 | 0x30302e30)) & UINT64_C(0xffffffffff);
	pairs = digits * 10 + (digits >> 8);
	if (pipa_decimal_fits(digits, UINT64_C(0x7f76767f76))) {
		*ret = (int32_t)((digits & 0xff) * 100 + (pairs >> 16 & 0xff));
		return 4;
	}
	digits = (word ^ (end << 40 | UINT64_C(0x30302e3030))) & UINT64_C(0xffffffffffff);
	pairs = digits * 10 + (digits >> 8);
	if (pipa_decimal_fits(digits, UINT64_C(0x7f76767f7676))) {
		*ret = (int32_t)((pairs & 0xff) * 100 + (pairs >> 24 & 0xff));
		return 5;
	}
	digits = (word ^ (end << 48 | UINT64_C(0x30302e303030))) & UINT64_C(0xffffffffffffff);
	pairs = digits * 10 + (digits >> 8);
	if (pipa_decimal_fits(digits, UINT64_C(0x7f76767f767676))) {
		*ret = (int32_t)((digits & 0xff) * 10000 + (pairs >> 8 & 0xff) * 100 +
				 (pairs >> 32 & 0xff));
		return 6;
	}
	digits = word ^ (end << 56 | UINT64_C(0x30302e30303030));
	pairs = digits * 10 + (digits >> 8);
	if (pipa_decimal_fits(digits, UINT64_C(0x7f76767f76767676))) {
		*ret = (int32_t)((pairs & 0xff) * 10000 + (pairs >> 16 & 0xff) * 100 +
				 (pairs >> 40 & 0xff));
		return 7;
	}
	return 0;
}

/*
 * Parse digits, maybe with a minus before them and with a point and digits after them, at most 15 bytes without the
 * minus. Both parts of mantissa / 10^digits are exact, so that their quotient is the nearest double, as of strtod().
 * Returns the end, a byte that is not a digit; NULL: the text has another form. It must have such a byte.
 */
static inline const char *pipa_decimal_parse(const char *text, double *ret)
{
	static const double powers[] = { 1,   10,  100,	 1e3,  1e4,  1e5,  1e6,	 1e7,
					 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	const bool negative = *text == '-';
	const char *const first = text + negative, *pos, *point = NULL;
	uint64_t mantissa = 0;
	unsigned digit;
	double value;

	for (pos = first; (digit = (unsigned char)*pos - (unsigned)'0') <= 9; pos++)
		mantissa = mantissa * 10 + digit;
	if (*pos == '.' && pos > first) {
		point = pos;
		for (pos++; (digit = (unsigned char)*pos - (unsigned)'0') <= 9; pos++)
			mantissa = mantissa * 10 + digit;
	}
	if (pos == first || pos - first > 15 || (point && pos == point + 1))
		return NULL;
	value = (double)mantissa;
	if (point)
		value /= powers[pos - point - 1];
	*ret = negative ? -value : value;
	return pos;
}

#endif
