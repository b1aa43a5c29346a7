#include "import/folded_scan.h"

#include <endian.h>
#include <string.h>

#include "base/hash.h"
#include "base/strings.h"
#include "import/folded.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Multiply by 10^power, which may be negative; false on overflow. */
static bool shift(uint64_t value, int power, uint64_t *ret)
{
	for (; power > 0; power--)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	for (; power < -1; power++)
		value /= 10;
	*ret = power < 0 ? value / 10 + (value % 10 >= 5) : value;
	return true;
}

/* Return value * 10^power, in thousandths if millionths do not fit; false on overflow, or if it is rounded to 0. */
static bool get_decimal(uint64_t value, int power, struct pipa_folded_count *ret)
{
	uint32_t unit = 1;
	uint64_t all;

	*ret = (struct pipa_folded_count){ 0, 0 };
	if (!value)
		return true;
	if (!shift(value, power + 6, &all)) {
		unit = 1000;
		if (!shift(value, power + 3, &all))
			return false;
	}
	ret->whole = all / (1000000 / unit);
	ret->millionths = (uint32_t)(all % (1000000 / unit)) * unit;
	return all > 0;
}

/* Parse a complete text as a number with a fraction or an exponent. */
static bool get_fraction(const char *text, size_t len, struct pipa_folded_count *ret)
{
	enum { POWER_MAX = 40 };
	uint64_t value = 0;
	int power = 0, exponent = 0, sign = 1;
	bool digits = false, dot = false;
	size_t i;

	for (i = 0; i < len && (is_digit(text[i]) || (text[i] == '.' && !dot)); i++) {
		dot |= text[i] == '.';
		if (text[i] == '.')
			continue;
		digits = true;
		if (value < UINT64_MAX / 100) {
			value = value * 10 + (uint64_t)(text[i] - '0');
			power -= dot;
		} else {
			power += !dot; /* further digits only count as a power */
		}
	}
	if (digits && i + 1 < len && (text[i] == 'e' || text[i] == 'E')) {
		i++;
		sign = text[i] == '-' ? -1 : 1;
		i += text[i] == '-' || text[i] == '+';
		if (i == len)
			return false;
		for (; i < len && is_digit(text[i]) && exponent < POWER_MAX; i++)
			exponent = exponent * 10 + (text[i] - '0');
	}
	power += sign * exponent;
	return digits && i == len && power <= POWER_MAX && get_decimal(value, power, ret);
}

/* Parse the last word of a line as a number that is not made of digits only. */
static bool get_last_word(const char *line, size_t len, size_t *ret_stack,
			  struct pipa_folded_count *ret_count)
{
	enum { WORD_MAX = 64 };
	size_t i = len;

	while (i > 0 && len - i < WORD_MAX && line[i - 1] != ' ' && line[i - 1] != '\t')
		i--;
	if (i < 2 || len - i == WORD_MAX || !get_fraction(line + i, len - i, ret_count))
		return false;
	*ret_stack = i - 1;
	return true;
}

bool pipa_folded_line(const char *line, size_t len, size_t *ret_stack,
		      struct pipa_folded_count *ret_count)
{
	uint64_t value = 0, unit = 1;
	size_t i;

	while (len && (line[len - 1] == '\r' || line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	for (i = len; i > 0 && line[i - 1] >= '0' && line[i - 1] <= '9'; i--) {
		if (len - i == 19) /* more digits than are certain to fit */
			return false;
		value += unit * (uint64_t)(line[i - 1] - '0');
		unit *= 10;
	}
	if (i < 2)
		return false;
	if (i == len || (line[i - 1] != ' ' && line[i - 1] != '\t'))
		return get_last_word(line, len, ret_stack, ret_count);
	*ret_stack = i - 1;
	*ret_count = (struct pipa_folded_count){ value, 0 };
	return true;
}

static uint64_t word_at(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return le64toh(word);
}

size_t pipa_folded_common(const char *a, const char *b, size_t least)
{
	size_t same = 0;

	while (same + 8 <= least && word_at(a + same) == word_at(b + same))
		same += 8;
	while (same < least && a[same] == b[same])
		same++;
	return same;
}

/*
 * Return a word with the highest bit of each semicolon set. The lowest set bit is exact, higher
 * ones may be false.
 */
static uint64_t semicolons(uint64_t word)
{
	uint64_t zeros = word ^ UINT64_C(0x3b3b3b3b3b3b3b3b);

	return (zeros - UINT64_C(0x0101010101010101)) & ~zeros & UINT64_C(0x8080808080808080);
}

/* Return the end of the frame and compute the hash of its name. */
static const char *scan_frame(const char *frame, const char *end, uint64_t *ret_hash)
{
	uint64_t seed = PIPA_HASH_SEED, word, found;
	const char *at = frame, *stop;

	for (; end - at >= 8; at += 8) {
		word = word_at(at);
		found = semicolons(word);
		if (found) {
			unsigned int bytes = (unsigned int)__builtin_ctzll(found) / 8;

			word &= (UINT64_C(1) << 8 * bytes) - 1;
			stop = at + bytes;
			*ret_hash = pipa_hash_last(word, (size_t)(stop - frame), seed);
			return stop;
		}
		seed = pipa_hash_u64(word, seed);
	}
	for (stop = at; stop < end && *stop != ';';)
		stop++;
	word = pipa_hash_rest(at, (size_t)(stop - at));
	*ret_hash = pipa_hash_last(word, (size_t)(stop - frame), seed);
	return stop;
}

const char *pipa_folded_scan(const struct pipa_strings *strings, const char *frame, const char *end,
			     struct pipa_folded_name *names, size_t most, size_t *ret_n)
{
	size_t n = 0;

	for (; n < most && frame <= end; n++) {
		const char *stop = scan_frame(frame, end, &names[n].hash);

		__builtin_prefetch(pipa_index_start(&strings->index, names[n].hash));
		names[n].text = frame;
		names[n].len = (size_t)(stop - frame);
		frame = stop + 1;
	}
	*ret_n = n;
	return frame;
}
