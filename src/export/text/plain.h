/*
 * Sanitize untrusted text for a terminal: command lines, symbols, output lines. Control characters
 * are escaped, and the width is limited.
 */
#ifndef PIPA_EXPORT_TEXT_PLAIN_H
#define PIPA_EXPORT_TEXT_PLAIN_H

#include <stddef.h>

struct pipa_buf;

/* Return its width in columns; each character counts as one. */
size_t pipa_plain_width(const char *text);

/* Truncate to this many columns, with "..." at the end; returns the width. */
size_t pipa_plain_put(struct pipa_buf *out, const char *text, size_t columns);

/* The same for a symbol: if it is too long, it is shortened first (analyze/profile/short_name.h). */
size_t pipa_plain_put_symbol(struct pipa_buf *out, const char *symbol, size_t columns);

/* Append a CSV field: escaped, quoted if needed, followed by `mark`, which needs neither. */
void pipa_plain_put_csv(struct pipa_buf *out, const char *text, const char *mark);

/* Wrap words in lines with this indentation, no wider than columns if possible. */
void pipa_plain_wrap(struct pipa_buf *out, const char *text, size_t indent, size_t columns);

#endif
