/* What the sources that are lines of text share: hexadecimal numbers, without copying the line. */
#ifndef PIPA_SYMBOL_LINES_H
#define PIPA_SYMBOL_LINES_H

#include <stdbool.h>
#include <stdint.h>

/* What a hexadecimal digit is worth plus one; 0 for all that are none. */
extern const uint8_t pipa_hex_digits[256];

/*
 * Digits up to the first other character, at least one, at most 64 bits' worth. Moves *pos. By table:
 * which of letter or digit comes next cannot be predicted, and in kallsyms there are two million.
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

#endif
