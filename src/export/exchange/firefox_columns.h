/*
 * Write tables of the Firefox Profiler's format: objects with one array per column.
 *
 * Values are appended to the buffer by the caller, each after pipa_firefox_column_next().
 */
#ifndef PIPA_EXPORT_EXCHANGE_FIREFOX_COLUMNS_H
#define PIPA_EXPORT_EXCHANGE_FIREFOX_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/pieces.h"

/* Start a table, which is a member of an object and not its first one: `,"NAME":{"length":N`. */
void pipa_firefox_table_begin(struct pipa_pieces *to, const char *name, size_t n);

/* Start a column: `,"NAME":[`. */
void pipa_firefox_column_begin(struct pipa_pieces *to, const char *name);

/* Separate value `i` of a column or list from the one before it, and pass complete text on. */
static inline void pipa_firefox_column_next(struct pipa_pieces *to, size_t i)
{
	if (i) {
		pipa_buf_putc(&to->buf, ',');
		pipa_pieces_flush(to);
	}
}

static inline void pipa_firefox_column_end(struct pipa_pieces *to)
{
	pipa_buf_putc(&to->buf, ']');
}

/* Write a column in which all values are equal. */
void pipa_firefox_column_constant(struct pipa_pieces *to, const char *name, const char *value,
				  size_t n);

/* Write a column of consecutive numbers. */
void pipa_firefox_column_range(struct pipa_pieces *to, const char *name, uint64_t first, size_t n);

/* Write a number, or null for one value. */
void pipa_firefox_put_number_or_null(struct pipa_buf *out, uint64_t number, uint64_t null);

/* Write nanoseconds as milliseconds, exactly. */
void pipa_firefox_put_ms(struct pipa_buf *out, uint64_t ns);

#endif
