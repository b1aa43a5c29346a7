#include "symbol/table/perf_map.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/vec.h"
#include "symbol/table/lines.h"
#include "symbol/table/sort.h"
#include "symbol/table/table.h"
#include "symbol/table/table_build.h"

/* Parsed entries. `module` is the position in the file until overlaps are resolved. */
struct entries {
	struct pipa_symbol_row *items;
	size_t n, cap;
};

/* Parse a hexadecimal number with or without 0x. */
static bool read_hex(const char **pos, const char *end, uint64_t *ret)
{
	if (end - *pos > 2 && (*pos)[0] == '0' && ((*pos)[1] | 0x20) == 'x')
		*pos += 2;
	return pipa_line_hex(pos, end, ret);
}

static bool skip_blanks(const char **pos, const char *end)
{
	const char *start = *pos;

	while (*pos < end && (**pos == ' ' || **pos == '\t'))
		++*pos;
	return *pos > start;
}

static bool parse_entry(const char *pos, const char *end, struct pipa_symbol_row *row,
			const char *text)
{
	uint64_t size;

	skip_blanks(&pos, end);
	if (!read_hex(&pos, end, &row->start) || !skip_blanks(&pos, end) ||
	    !read_hex(&pos, end, &size) || !skip_blanks(&pos, end))
		return false;
	if (pos == end || *pos == '\r' || !*pos || !size)
		return false;
	if (size > UINT32_MAX)
		size = UINT32_MAX;
	if (size > UINT64_MAX - row->start)
		return false;
	row->size = (uint32_t)size;
	row->name = (uint32_t)(pos - text);
	return true;
}

static int read_lines(const char *text, size_t len, struct entries *out, size_t *skipped)
{
	const char *pos = text, *end = text + len;

	while (pos < end) {
		const char *newline = memchr(pos, '\n', (size_t)(end - pos));
		const char *stop = newline ? newline : end;
		struct pipa_symbol_row row = { .module = (uint32_t)out->n }, *added;

		if (parse_entry(pos, stop, &row, text)) {
			added = PIPA_VEC_ADD(out);
			if (!added)
				return -ENOMEM;
			*added = row;
		} else {
			++*skipped;
		}
		pos = stop + 1;
	}
	return 0;
}

/* Heap of the entries at the current address of the sweep, the latest one on top. */
struct heap {
	const struct pipa_symbol_row **items;
	size_t n;
};

static void heap_push(struct heap *heap, const struct pipa_symbol_row *entry)
{
	size_t i = heap->n++;

	for (; i > 0 && heap->items[(i - 1) / 2]->module < entry->module; i = (i - 1) / 2)
		heap->items[i] = heap->items[(i - 1) / 2];
	heap->items[i] = entry;
}

static void heap_pop(struct heap *heap)
{
	const struct pipa_symbol_row *last = heap->items[--heap->n];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < heap->n; i = child) {
		if (child + 1 < heap->n &&
		    heap->items[child + 1]->module > heap->items[child]->module)
			child++;
		if (heap->items[child]->module <= last->module)
			break;
		heap->items[i] = heap->items[child];
	}
	heap->items[i] = last;
}

static int emit_symbol(struct pipa_symbols *symbols, const struct pipa_symbol_row *entry,
		       uint64_t from, uint64_t to, uint8_t pool)
{
	struct pipa_symbol_row row = *entry;

	row.start = from;
	row.size = (uint32_t)(to - from);
	row.module = 0;
	row.pool = pool;
	return pipa_symbols_add(symbols, &row);
}

/* Add [*at, until) to the table, divided among the latest entries at each address. */
static int emit_until(struct pipa_symbols *symbols, struct heap *heap, uint64_t *at, uint64_t until,
		      uint8_t pool)
{
	int rc = 0;

	while (rc == 0 && heap->n && *at < until) {
		const struct pipa_symbol_row *top = heap->items[0];
		uint64_t end = top->start + top->size;

		if (end > *at) {
			if (end > until)
				end = until;
			rc = emit_symbol(symbols, top, *at, end, pool);
			*at = end;
		} else {
			heap_pop(heap);
		}
	}
	return rc;
}

/*
 * Resolve overlaps with a sweep over the entries by address: each address belongs to the latest
 * entry that contains it.
 */
static int resolve_overlaps(struct pipa_symbols *symbols, const struct entries *entries,
			    uint8_t pool)
{
	PIPA_AUTO(free) const struct pipa_symbol_row **room = NULL;
	struct heap heap = { 0 };
	uint64_t at = 0;
	size_t i;
	int rc = 0;

	room = calloc(entries->n + 1, sizeof(void *));
	if (!room)
		return -ENOMEM;
	heap.items = room;
	for (i = 0; rc == 0 && i < entries->n; i++) {
		const struct pipa_symbol_row *entry = &entries->items[i];

		/* an earlier entry that starts inside a later one does not split it */
		if (!heap.n || entry->module > heap.items[0]->module ||
		    heap.items[0]->start + heap.items[0]->size <= entry->start) {
			rc = emit_until(symbols, &heap, &at, entry->start, pool);
			if (at < entry->start)
				at = entry->start;
		}
		heap_push(&heap, entry);
	}
	return rc < 0 ? rc : emit_until(symbols, &heap, &at, UINT64_MAX, pool);
}

int pipa_perf_map_decode(const char *text, size_t len, struct pipa_symbols **ret,
			 size_t *ret_skipped)
{
	PIPA_AUTO(pipa_symbols_free) struct pipa_symbols *symbols = pipa_symbols_new();
	struct entries entries = { 0 };
	size_t skipped = 0;
	int rc = -ENOMEM;

	if (len >= UINT32_MAX)
		return -EFBIG;
	if (symbols)
		rc = !len ? 0 : read_lines(text, len, &entries, &skipped);
	if (rc == 0)
		rc = pipa_symbol_rows_sort(entries.items, entries.n);
	if (rc == 0)
		rc = resolve_overlaps(symbols, &entries,
				      (uint8_t)pipa_symbols_add_pool(symbols, text, len,
								     PIPA_NAME_LINE));
	free(entries.items);
	if (rc == 0)
		rc = pipa_symbols_finish(symbols, PIPA_ALIAS_NONE);
	if (rc < 0)
		return rc;
	if (ret_skipped)
		*ret_skipped = skipped;
	*ret = PIPA_TAKE(symbols);
	return 0;
}
