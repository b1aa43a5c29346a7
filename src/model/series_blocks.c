#include "model/series_blocks.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

enum { FORM_RAW, FORM_PACKED, FORM_EQUAL };
enum { FLAG_STEPS = 1 };
enum { LANES = 8, HEAD = 4, BITMAP = PIPA_BLOCK_VALUES / 8, SPARE = 16 };
enum {
	MAX_BASE = 1 << 26,
	MAX_NARROW = 15 /* bits: four words and the start of a byte fit into 64 */
};

/* Adding 1.5 x 2^52 to an integer below this leaves it in the low bits of the mantissa. */
static const double max_exact = 2251799813685248.0; /* 2^51 */

static const double powers[PIPA_BLOCK_DIGITS + 1] = { 1, 10, 100, 1e3, 1e4, 1e5, 1e6 };

/* ---- decimals ------------------------------------------------------------------------------- */

/*
 * Convert values to integers of 10^-digits; false if a value does not survive it. n is a multiple of
 * LANES, so that compilers vectorize the inner loop. Adding and subtracting 1.5 x 2^52 rounds to an
 * integer, which rint() does only with an instruction that not every machine has.
 */
static bool to_integers(const double *values, size_t n, int digits, int64_t *ret)
{
	const double scale = powers[digits], magic = 6755399441055744.0;
	int64_t magic_bits, wrong = 0;
	size_t i, k;

	memcpy(&magic_bits, &magic, sizeof(magic));
	for (i = 0; i < n; i += LANES) {
		for (k = 0; k < LANES; k++) {
			double value = values[i + k];
			double whole = (value * scale + magic) - magic, shifted = whole + magic;
			int64_t bits;

			wrong |= -(int64_t)(whole / scale != value) |
				 -(int64_t)(fabs(whole) >= max_exact);
			memcpy(&bits, &value, sizeof(bits));
			wrong |= -(int64_t)(bits == INT64_MIN); /* minus zero */
			memcpy(&bits, &shifted, sizeof(bits));
			ret[i + k] = bits - magic_bits;
		}
		if (wrong)
			return false;
	}
	return true;
}

/* Find the least number of digits that is exact; -1: none. */
static int find_digits(const double *values, size_t n, int64_t *ret)
{
	static const int8_t order[] = { 2, 0, 1, 3, 4, 5, 6 }; /* most columns have two digits */
	size_t i;

	for (i = 0; i < sizeof(order); i++)
		if (to_integers(values, n, order[i], ret))
			return order[i];
	return -1;
}

static unsigned bits_of(uint64_t range)
{
	return range ? 64 - (unsigned)__builtin_clzll(range) : 0;
}

/* ---- encode --------------------------------------------------------------------------------- */

/* Pack the low `width` bits of each word; the buffer has SPARE bytes after its end. */
static size_t pack_bits(const uint64_t *words, size_t n, unsigned width, uint8_t *out)
{
	uint64_t pending = 0;
	unsigned filled = 0;
	uint8_t *pos = out;
	size_t i;

	for (i = 0; i < n; i++) {
		pending |= words[i] << filled;
		filled += width;
		if (filled >= 64) {
			memcpy(pos, &pending, sizeof(pending));
			pos += sizeof(pending);
			filled -= 64;
			pending = filled ? words[i] >> (width - filled) : 0;
		}
	}
	memcpy(pos, &pending, sizeof(pending));
	pos += (filled + 7) / 8;
	memset(pos, 0, SPARE);
	return (size_t)(pos - out);
}

/*
 * Write integers as offsets from a base, or as steps if those need fewer bits. Sets the extremes and
 * the sum of the block.
 */
static size_t encode_integers(const int64_t *values, size_t n, int digits, uint8_t *out,
			      struct pipa_block *block)
{
	int64_t min = values[0], max = values[0], min_step = INT64_MAX, max_step = INT64_MIN;
	int64_t sum = values[0];
	uint64_t words[PIPA_BLOCK_VALUES];
	unsigned width, step_width;
	size_t i, at = HEAD;
	bool steps;

	for (i = 1; i < n; i++) {
		int64_t step = values[i] - values[i - 1];

		sum += values[i];
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
		min_step = step < min_step ? step : min_step;
		max_step = step > max_step ? step : max_step;
	}
	block->min = (double)min / powers[digits];
	block->max = (double)max / powers[digits];
	block->sum = (double)sum / powers[digits];
	width = bits_of((uint64_t)max - (uint64_t)min);
	step_width = n > 1 ? bits_of((uint64_t)max_step - (uint64_t)min_step) : 64;
	steps = step_width < width;
	out[0] = FORM_PACKED;
	out[1] = (uint8_t)digits;
	out[2] = (uint8_t)(steps ? step_width : width);
	out[3] = steps ? FLAG_STEPS : 0;
	memcpy(out + at, steps ? &values[0] : &min, sizeof(min));
	at += sizeof(min);
	if (steps) {
		memcpy(out + at, &min_step, sizeof(min_step));
		at += sizeof(min_step);
		for (i = 1; i < n; i++)
			words[i - 1] = (uint64_t)(values[i] - values[i - 1] - min_step);
	} else {
		for (i = 0; i < n; i++)
			words[i] = (uint64_t)values[i] - (uint64_t)min;
	}
	memset(out + at, 0, SPARE);
	if (!out[2])
		return at;
	return at + pack_bits(words, steps ? n - 1 : n, out[2], out + at);
}

/* Sum up the present values and count them. */
static void summarize(const double *values, size_t n, struct pipa_block *ret)
{
	double min = INFINITY, max = -INFINITY, sum = 0;
	size_t i, present = 0;

	for (i = 0; i < n; i++) {
		double value = values[i];

		present += value == value; /* not NaN */
		min = value < min ? value : min;
		max = value > max ? value : max;
		sum += value == value ? value : 0;
	}
	*ret = (struct pipa_block){ .n = (uint32_t)n, .present = (uint32_t)present, .sum = sum };
	ret->min = present ? min : NAN;
	ret->max = present ? max : NAN;
}

/*
 * Replace missing values by the one before them and pad with the last one to a multiple of LANES.
 * Sets the bits of the present values.
 */
static void fill_missing(const double *values, size_t n, double *ret, uint8_t *bitmap)
{
	double last = 0;
	size_t i;

	for (i = 0; i < n && isnan(values[i]); i++)
		;
	last = values[i < n ? i : 0];
	for (i = 0; i < n; i++) {
		if (!isnan(values[i])) {
			last = values[i];
			bitmap[i / 8] |= (uint8_t)(1U << i % 8);
		}
		ret[i] = last;
	}
	for (; i % LANES; i++)
		ret[i] = last;
}

/* Are all values the same number? Many columns are: those of idle devices, and steal time. */
static bool is_constant(const double *values, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (values[i] != values[0] || (values[i] == 0 && signbit(values[i])))
			return false; /* minus zero equals zero */
	return values[0] == values[0] && !(values[0] == 0 && signbit(values[0]));
}

static bool has_missing(const double *values, size_t n)
{
	unsigned missing = 0;
	size_t i;

	for (i = 0; i < n; i++)
		missing |= values[i] != values[i];
	return missing;
}

/* Compress a block of one number. */
static int encode_constant(double value, size_t n, struct pipa_arena *arena, struct pipa_block *ret)
{
	uint8_t *bytes = pipa_arena_take(arena, HEAD + sizeof(value));

	if (!bytes)
		return -ENOMEM;
	memset(bytes, FORM_EQUAL, HEAD);
	memcpy(bytes + HEAD, &value, sizeof(value));
	*ret = (struct pipa_block){ .bytes = bytes,
				    .min = value,
				    .max = value,
				    .sum = value * (double)n,
				    .n = (uint32_t)n,
				    .present = (uint32_t)n };
	return 0;
}

int pipa_block_encode(const double *values, size_t n, struct pipa_arena *arena,
		      struct pipa_block *ret)
{
	uint8_t out[HEAD + 16 + PIPA_BLOCK_VALUES * sizeof(double) + SPARE];
	double filled[PIPA_BLOCK_VALUES];
	int64_t integers[PIPA_BLOCK_VALUES];
	uint8_t bitmap[BITMAP] = { 0 };
	struct pipa_block block, summary;
	size_t len, bitmap_len = 0;
	uint8_t *bytes;
	bool missing;
	int digits;

	if (is_constant(values, n))
		return encode_constant(values[0], n, arena, ret);
	block = (struct pipa_block){ .n = (uint32_t)n, .present = (uint32_t)n };
	missing = has_missing(values, n);
	if (missing)
		summarize(values, n, &block);
	if (!block.present) {
		*ret = block;
		return 0;
	}
	summary = block;
	if (missing || n % LANES) {
		fill_missing(values, n, filled, bitmap);
		values = filled;
	}
	if (missing)
		bitmap_len = (n + 7) / 8;
	digits = find_digits(values, (n + LANES - 1) / LANES * LANES, integers);
	if (digits >= 0) {
		len = encode_integers(integers, n, digits, out, &block);
	} else {
		summarize(values, n, &block);
		memset(out, FORM_RAW, HEAD);
		memcpy(out + HEAD, values, n * sizeof(*values));
		len = HEAD + n * sizeof(*values);
		memset(out + len, 0, SPARE);
	}
	bytes = pipa_arena_take(arena, bitmap_len + len + SPARE);
	if (!bytes)
		return -ENOMEM;
	if (missing) /* not of the values that fill the gaps */
		block = summary;
	memcpy(bytes, bitmap, bitmap_len);
	memcpy(bytes + bitmap_len, out, len + SPARE);
	block.bytes = bytes;
	*ret = block;
	return 0;
}

/* ---- hundredths ----------------------------------------------------------------------------- */

/* Four integers, which machines with vectors compare and add at once. */
typedef int32_t lanes __attribute__((vector_size(16)));

enum { WIDTH = sizeof(lanes) / sizeof(int32_t) };

/* Extremes and sum of integers, extremes of the differences between neighbours. */
struct extent {
	int32_t min, max, min_step, max_step;
	int64_t sum;
};

static inline lanes load_lanes(const int32_t *values)
{
	lanes ret;

	memcpy(&ret, values, sizeof(ret));
	return ret;
}

static inline lanes least_lanes(lanes a, lanes b)
{
	const lanes less = a < b;

	return (a & less) | (b & ~less);
}

static inline lanes most_lanes(lanes a, lanes b)
{
	const lanes more = a > b;

	return (a & more) | (b & ~more);
}

/* Find the extent of n integers, two or more. A lane has at most 128 of them, so that its sum fits. */
static struct extent find_extent(const int32_t *values, size_t n)
{
	const int32_t step = values[1] - values[0];
	lanes min = { values[0], values[0], values[0], values[0] }, max = min;
	lanes min_step = { step, step, step, step }, max_step = min_step, sum = { 0 };
	struct extent ret;
	size_t i;

	for (i = 1; i + WIDTH <= n; i += WIDTH) {
		const lanes value = load_lanes(values + i);
		const lanes change = value - load_lanes(values + i - 1);

		min = least_lanes(min, value);
		max = most_lanes(max, value);
		min_step = least_lanes(min_step, change);
		max_step = most_lanes(max_step, change);
		sum += value;
	}
	ret = (struct extent){ min[0], max[0], min_step[0], max_step[0], values[0] };
	for (size_t k = 0; k < WIDTH; k++) {
		ret.min = min[k] < ret.min ? min[k] : ret.min;
		ret.max = max[k] > ret.max ? max[k] : ret.max;
		ret.min_step = min_step[k] < ret.min_step ? min_step[k] : ret.min_step;
		ret.max_step = max_step[k] > ret.max_step ? max_step[k] : ret.max_step;
		ret.sum += sum[k];
	}
	for (; i < n; i++) {
		const int32_t change = values[i] - values[i - 1];

		ret.min = values[i] < ret.min ? values[i] : ret.min;
		ret.max = values[i] > ret.max ? values[i] : ret.max;
		ret.min_step = change < ret.min_step ? change : ret.min_step;
		ret.max_step = change > ret.max_step ? change : ret.max_step;
		ret.sum += values[i];
	}
	return ret;
}

/*
 * Pack the low `width` bits, at most MAX_NARROW, of eight words into `width` bytes, as two halves; up to 8 bytes
 * after those are overwritten.
 */
static inline void pack_eight(const uint32_t *words, unsigned width, uint8_t *out)
{
	uint64_t half[2];
	size_t i;

	for (i = 0; i < 2; i++, words += 4)
		half[i] = ((uint64_t)words[0] | (uint64_t)words[1] << width) |
			  ((uint64_t)words[2] | (uint64_t)words[3] << width) << 2 * width;
	/* the second half starts at a byte, or in the middle of one */
	half[1] = half[1] << 4 * (width % 2) | half[0] >> 8 * (width / 2);
	memcpy(out, &half[0], sizeof(half[0]));
	memcpy(out + width / 2, &half[1], sizeof(half[1]));
}

/* Pack words of any width. The array has room for LANES more words. */
static void pack_words(uint32_t *words, size_t n, unsigned width, uint8_t *out)
{
	uint64_t wide[PIPA_BLOCK_VALUES];
	size_t i;

	if (width > MAX_NARROW) {
		for (i = 0; i < n; i++)
			wide[i] = words[i];
		pack_bits(wide, n, width, out);
		return;
	}
	memset(words + n, 0, LANES * sizeof(*words));
	for (i = 0; i < n; i += LANES, out += width)
		pack_eight(words + i, width, out);
}

/* Subtract a number from the differences between neighbours, or from the integers. Returns the number of words. */
static size_t offset_words(const int32_t *values, size_t n, bool steps, int32_t base, uint32_t *ret)
{
	const lanes bases = { base, base, base, base };
	size_t i = 0;

	n -= steps;
	for (; i + WIDTH <= n; i += WIDTH) {
		lanes word = load_lanes(values + i + steps) - bases;

		if (steps)
			word -= load_lanes(values + i);
		memcpy(ret + i, &word, sizeof(word));
	}
	for (; i < n; i++)
		ret[i] = (uint32_t)(values[i + steps] - base - (steps ? values[i] : 0));
	return n;
}

int pipa_block_encode_hundredths(const int32_t *hundredths, size_t n, struct pipa_arena *arena,
				 struct pipa_block *ret)
{
	uint32_t words[PIPA_BLOCK_VALUES + LANES];
	unsigned width, step_width;
	struct extent e;
	size_t len, count;
	uint8_t *bytes;
	int64_t base;
	bool steps;

	if (memcmp(hundredths, hundredths + 1, (n - 1) * sizeof(*hundredths)) == 0)
		return encode_constant(hundredths[0] / powers[2], n, arena, ret);
	e = find_extent(hundredths, n);
	width = bits_of((uint64_t)(e.max - e.min));
	step_width = bits_of((uint64_t)(e.max_step - e.min_step));
	steps = step_width < width;
	width = steps ? step_width : width;
	count = offset_words(hundredths, n, steps, steps ? e.min_step : e.min, words);
	len = HEAD + (steps ? 16 : 8);
	bytes = pipa_arena_take(arena, len + (count + LANES - 1) / LANES * width + SPARE);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes,
	       (const uint8_t[HEAD]){ FORM_PACKED, 2, (uint8_t)width, steps ? FLAG_STEPS : 0 },
	       HEAD);
	base = steps ? hundredths[0] : e.min;
	memcpy(bytes + HEAD, &base, sizeof(base));
	base = e.min_step;
	if (steps)
		memcpy(bytes + HEAD + 8, &base, sizeof(base));
	if (width)
		pack_words(words, count, width, bytes + len);
	*ret = (struct pipa_block){ .bytes = bytes,
				    .min = e.min / powers[2],
				    .max = e.max / powers[2],
				    .sum = (double)e.sum / powers[2],
				    .n = (uint32_t)n,
				    .present = (uint32_t)n };
	return 0;
}

/* ---- decode --------------------------------------------------------------------------------- */

/* Return word number i of `width` bits; at most 57 bits are read at once. */
static uint64_t unpack_word(const uint8_t *bytes, size_t i, unsigned width)
{
	size_t bit = i * width;
	uint64_t word;

	memcpy(&word, bytes + bit / 8, sizeof(word));
	return word >> bit % 8 & ((UINT64_C(1) << width) - 1);
}

/* Unpack eight words of at most MAX_NARROW bits; up to 8 bytes after them are read. */
static inline void unpack_eight(const uint8_t *bytes, unsigned width, int32_t *ret)
{
	const uint64_t mask = (UINT64_C(1) << width) - 1;
	uint64_t half[2];
	size_t i;

	memcpy(&half[0], bytes, sizeof(half[0]));
	memcpy(&half[1], bytes + width / 2, sizeof(half[1]));
	half[1] >>= 4 * (width % 2);
	for (i = 0; i < 2; i++, ret += 4) {
		ret[0] = (int32_t)(half[i] & mask);
		ret[1] = (int32_t)(half[i] >> width & mask);
		ret[2] = (int32_t)(half[i] >> 2 * width & mask);
		ret[3] = (int32_t)(half[i] >> 3 * width & mask);
	}
}

/*
 * Divide eight integers of less than 2^27 by 10^digits, without division: `high` has the first 26 bits of the
 * reciprocal, so that its products are exact, and `low` the next 53. The error of the sum before it is rounded is
 * below 2^-77 of it, and a quotient of these integers is farther than 2^-74 from the middle between two doubles, or
 * is one: the sum is the nearest double, as is that of a division.
 */
static inline void scale_eight(const int32_t *integers, int32_t base, double high, double low,
			       double *ret)
{
	size_t i;

	for (i = 0; i < LANES; i++) {
		const double value = base + integers[i];

		ret[i] = value * high + value * low;
	}
}

/* Decode offsets of few bits from a base of less than 2^26. */
static void decode_narrow(const uint8_t *bits, size_t n, unsigned width, int32_t base, double scale,
			  double *ret)
{
	const uint64_t first_bits = ~((UINT64_C(1) << 27) - 1);
	int32_t integers[PIPA_BLOCK_VALUES];
	double high = 1 / scale, low, last[LANES];
	uint64_t word;
	size_t i;

	memcpy(&word, &high, sizeof(word));
	word &= first_bits;
	memcpy(&high, &word, sizeof(high));
	low = (1 - scale * high) / scale;
	/* all words first: a wide load of integers that were just stored has to wait for the stores */
	for (i = 0; i < n; i += LANES, bits += width)
		unpack_eight(bits, width, integers + i);
	for (i = 0; i + LANES <= n; i += LANES)
		scale_eight(integers + i, base, high, low, ret + i);
	if (i == n)
		return;
	scale_eight(integers + i, base, high, low, last);
	memcpy(ret + i, last, (n - i) * sizeof(*ret));
}

static void decode_integers(const uint8_t *in, size_t n, double *ret)
{
	const double scale = powers[in[1]];
	const unsigned width = in[2];
	const bool steps = in[3] & FLAG_STEPS;
	const uint8_t *bits = in + HEAD + (steps ? 16 : 8);
	int64_t base, step = 0;
	size_t i;

	memcpy(&base, in + HEAD, sizeof(base));
	if (!steps && width <= MAX_NARROW && base > -MAX_BASE && base < MAX_BASE) {
		decode_narrow(bits, n, width, (int32_t)base, scale, ret);
		return;
	}
	if (steps)
		memcpy(&step, in + HEAD + 8, sizeof(step));
	for (i = 0; i < n; i++) {
		if (!steps) {
			ret[i] = (double)(base +
					  (width ? (int64_t)unpack_word(bits, i, width) : 0)) /
				 scale;
			continue;
		}
		ret[i] = (double)base / scale;
		if (i + 1 < n)
			base += step + (width ? (int64_t)unpack_word(bits, i, width) : 0);
	}
}

void pipa_block_decode(const struct pipa_block *block, double *ret)
{
	const uint8_t *in = block->bytes;
	size_t i, n = block->n;
	double value = 0;

	if (!in) {
		for (i = 0; i < n; i++)
			ret[i] = NAN;
		return;
	}
	if (block->present < n)
		in += (n + 7) / 8;
	if (in[0] == FORM_RAW)
		memcpy(ret, in + HEAD, n * sizeof(*ret));
	else if (in[0] == FORM_PACKED)
		decode_integers(in, n, ret);
	if (in[0] == FORM_EQUAL)
		memcpy(&value, in + HEAD, sizeof(value));
	for (i = 0; in[0] == FORM_EQUAL && i < n; i++)
		ret[i] = value;
	for (i = 0; block->present < n && i < n; i++)
		if (!(block->bytes[i / 8] >> i % 8 & 1))
			ret[i] = NAN;
}
