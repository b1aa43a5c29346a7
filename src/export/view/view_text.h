/*
 * Sanitize untrusted text for a page or an image: valid UTF-8 that cannot end its context; invalid
 * bytes become U+FFFD.
 */
#ifndef PIPA_EXPORT_VIEW_VIEW_TEXT_H
#define PIPA_EXPORT_VIEW_VIEW_TEXT_H

#include <stddef.h>

struct pipa_buf;

/* A string of JSON, quotes included, that may stand inside a <script>. */
void pipa_view_put_json(struct pipa_buf *out, const char *text, size_t len);

/* JSON made elsewhere, so that it may stand there: `<` occurs in its strings alone. */
void pipa_view_put_doc(struct pipa_buf *out, const char *json, size_t len);

/*
 * Text or an attribute of XML and HTML. Control characters and those that turn the direction of what
 * follows are shown as their code, <U+202E>. In at most so many columns, at whose end a sign says
 * that there was more; what is not of the Latin, Greek and Cyrillic alphabets is taken for two wide.
 */
void pipa_view_put_xml(struct pipa_buf *out, const char *text, size_t len, size_t columns);

#endif
