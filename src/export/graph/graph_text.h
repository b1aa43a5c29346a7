/*
 * Sanitize untrusted names for an image: valid UTF-8 without control or direction characters,
 * truncated to a readable length, with the width estimated without a font.
 */
#ifndef PIPA_EXPORT_GRAPH_GRAPH_TEXT_H
#define PIPA_EXPORT_GRAPH_GRAPH_TEXT_H

#include <stddef.h>

#include "base/buf.h"

/* Truncate to this many characters, omitting the middle: invalid bytes and controls are escaped. */
void pipa_graph_text(struct pipa_buf *out, const char *text, size_t most);

/* Truncate a symbol likewise, but omit template arguments and parameters first. */
void pipa_graph_symbol(struct pipa_buf *out, const char *symbol, size_t most);

/* Escape sanitized text for XML content and attributes, or for quotes of DOT. */
void pipa_graph_xml(struct pipa_buf *out, const char *text);
void pipa_graph_dot_text(struct pipa_buf *out, const char *text);

/* Estimate the maximum width of a text in a common sans-serif font of size 1. */
double pipa_graph_width(const char *text);

/* Copy the failure of one buffer to another. */
static inline void pipa_graph_pass_failure(const struct pipa_buf *from, struct pipa_buf *to)
{
	if (from->status && !to->status)
		to->status = from->status;
}

#endif
