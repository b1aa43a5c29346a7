#include "analyze/profile/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pipa_listing_done(struct pipa_listing *listing)
{
	free(listing->rows.items);
	*listing = (struct pipa_listing){ 0 };
}

bool pipa_listing_add_weight(struct pipa_listing *listing, uint64_t addr, uint64_t weight,
			     uint64_t count)
{
	size_t low = 0, high = listing->rows.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (listing->rows.items[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	listing->rows.items[low - 1].weight += weight;
	listing->rows.items[low - 1].count += count;
	return true;
}

/* ---- by line --------------------------------------------------------------------------------------------- */

struct keyed {
	struct pipa_listing_line line;
	size_t file; /* index in order of occurrence */
};

static size_t file_number(const struct keyed *rows, size_t n, const char *file)
{
	size_t i, most = 0;

	for (i = n; i-- > 0;) {
		if (rows[i].line.file == file || strcmp(rows[i].line.file, file) == 0)
			return rows[i].file;
		most = rows[i].file >= most ? rows[i].file + 1 : most;
	}
	return most;
}

static int by_place(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line.line < y->line.line ? -1 : x->line.line > y->line.line;
}

int pipa_listing_lines(const struct pipa_listing *listing, struct pipa_listing_line **ret,
		       size_t *ret_n)
{
	struct keyed *rows = calloc(listing->rows.n + 1, sizeof(*rows));
	struct pipa_listing_line *lines = calloc(listing->rows.n + 1, sizeof(*lines));
	size_t n = 0, out = 0, i;

	for (i = 0; rows && i < listing->rows.n; i++) {
		const struct pipa_listing_row *row = &listing->rows.items[i];

		if (!row->file || !row->line)
			continue;
		rows[n].file = file_number(rows, n, row->file);
		rows[n++].line = (struct pipa_listing_line){ row->file, row->line, row->weight,
							     row->count };
	}
	if (rows && n)
		qsort(rows, n, sizeof(*rows), by_place);
	for (i = 0; rows && lines && i < n; i++) {
		if (i && by_place(&rows[i - 1], &rows[i]) == 0) {
			lines[out - 1].weight += rows[i].line.weight;
			lines[out - 1].count += rows[i].line.count;
		} else {
			lines[out++] = rows[i].line;
		}
	}
	free(rows);
	if (!rows || !lines) {
		free(lines);
		return -ENOMEM;
	}
	*ret = lines;
	*ret_n = out;
	return 0;
}
