#include "symbol/table/sort.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "symbol/table/table_build.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 64 };

struct range {
	uint64_t least, most;
	bool sorted;
};

static struct range find_range(const struct pipa_symbol_row *rows, size_t n)
{
	struct range range = { rows[0].start, rows[0].start, true };
	size_t i;

	for (i = 1; i < n; i++) {
		if (rows[i].start < rows[i - 1].start)
			range.sorted = false;
		if (rows[i].start < range.least)
			range.least = rows[i].start;
		if (rows[i].start > range.most)
			range.most = rows[i].start;
	}
	return range;
}

static void insertion_sort(struct pipa_symbol_row *rows, size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		struct pipa_symbol_row row = rows[i];

		for (j = i; j > 0 && rows[j - 1].start > row.start; j--)
			rows[j] = rows[j - 1];
		rows[j] = row;
	}
}

/* Distribute the rows to `out` by one digit. False without a change if all have the same digit. */
static bool by_digit(const struct pipa_symbol_row *rows, struct pipa_symbol_row *out, size_t n,
		     uint64_t least, unsigned int shift)
{
	size_t at[DIGITS] = { 0 }, sum = 0, count, i;

	for (i = 0; i < n; i++)
		at[(rows[i].start - least) >> shift & (DIGITS - 1)]++;
	for (i = 0; i < DIGITS; i++) {
		count = at[i];
		if (count == n)
			return false;
		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		out[at[(rows[i].start - least) >> shift & (DIGITS - 1)]++] = rows[i];
	return true;
}

int pipa_symbol_rows_sort(struct pipa_symbol_row *rows, size_t n)
{
	PIPA_AUTO(free) struct pipa_symbol_row *spare = NULL;
	struct pipa_symbol_row *from = rows, *to, *swap;
	struct range range;
	unsigned int shift;

	if (n < 2)
		return 0;
	range = find_range(rows, n);
	if (range.sorted)
		return 0;
	if (n <= FEW) {
		insertion_sort(rows, n);
		return 0;
	}
	spare = to = malloc(n * sizeof(*rows));
	if (!spare)
		return -ENOMEM;
	for (shift = 0; shift < 64 && (range.most - range.least) >> shift; shift += DIGIT_BITS)
		if (by_digit(from, to, n, range.least, shift)) {
			swap = from;
			from = to;
			to = swap;
		}
	if (from != rows)
		memcpy(rows, from, n * sizeof(*rows));
	return 0;
}
