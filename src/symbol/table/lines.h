/* Parse hexadecimal numbers of text lines without copying, for kallsyms and perf maps. */
#ifndef PIPA_SYMBOL_TABLE_LINES_H
#define PIPA_SYMBOL_TABLE_LINES_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Value of a hexadecimal digit plus one; 0 for other characters. */
extern const uint8_t pipa_hex_digits[256];

/*
 * Parse hexadecimal digits, at least one and at most 64 bits, and move *pos to the first other
 * character. Uses a table: letters and digits alternate unpredictably, and kallsyms has two million
 * of them.
 */
static inline bool pipa_line_hex(const char **pos, const char *end, uint64_t *ret)
{
	const char *p = *pos;
	uint64_t value = 0, lost = 0;

	for (; p < end; p++) {
		unsigned int digit = pipa_hex_digits[(unsigned char)*p];

		if (!digit)
			break;
		lost |= value >> 60;
		value = value << 4 | (digit - 1);
	}
	if (p == *pos || lost)
		return false;
	*pos = p;
	*ret = value;
	return true;
}

/*
 * Decode eight digits at once, or return false. In each byte: bit 6 marks letters, which are worth
 * nine more than their low four bits; a byte that does not encode back to itself is not a digit.
 */
static inline bool pipa_line_hex8(const char *text, uint64_t *ret)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t lower, letters, digits, wrong;

	memcpy(&lower, text, sizeof(lower));
	lower = be64toh(lower) | ones * 0x20;
	letters = lower >> 6 & ones;
	digits = (lower & ones * 0x0f) + letters * 9;
	wrong = (digits + ones * 0x30 + letters * 0x27) ^ lower;
	wrong |= digits & ones * 0x10;
	wrong |= (((digits + ones * 6) >> 4) ^ letters) & ones;
	if (wrong)
		return false;
	digits = (digits | digits >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	digits = (digits | digits >> 8) & UINT64_C(0x0000ffff0000ffff);
	*ret = (digits | digits >> 16) & UINT32_MAX;
	return true;
}

/* Parse an address of a 64-bit kernel: exactly sixteen digits. */
static inline bool pipa_line_hex16(const char *text, uint64_t *ret)
{
	uint64_t high, low;

	if (!pipa_line_hex8(text, &high) || !pipa_line_hex8(text + 8, &low) ||
	    pipa_hex_digits[(unsigned char)text[16]])
		return false;
	*ret = high << 32 | low;
	return true;
}

#endif
