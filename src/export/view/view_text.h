/*
 * Sanitize untrusted text for a page or an image: valid UTF-8 that cannot end its context; invalid
 * bytes become U+FFFD.
 */
#ifndef PIPA_EXPORT_VIEW_VIEW_TEXT_H
#define PIPA_EXPORT_VIEW_VIEW_TEXT_H

#include <stddef.h>

struct pipa_buf;

/* Write a string of JSON, with quotes, that is safe inside a <script>. */
void pipa_view_put_json(struct pipa_buf *out, const char *text, size_t len);

/* Write existing JSON safely for a <script>: `<` occurs only in its strings. */
void pipa_view_put_doc(struct pipa_buf *out, const char *json, size_t len);

/*
 * Write text or an attribute of XML and HTML. Control and direction characters become their code,
 * <U+202E>. Truncated to this many columns, with a mark; characters other than Latin, Greek and
 * Cyrillic count as two wide.
 */
void pipa_view_put_xml(struct pipa_buf *out, const char *text, size_t len, size_t columns);

#endif
