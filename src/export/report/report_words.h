/* Strings in the parts of a report's data. */
#ifndef PIPA_EXPORT_REPORT_REPORT_WORDS_H
#define PIPA_EXPORT_REPORT_REPORT_WORDS_H

#include "model/rules.h"

struct pipa_buf;
struct pipa_doc;

/* Write a string of JSON that is safe inside a <script>. */
void pipa_report_put_string(struct pipa_buf *out, const char *text);

/* Write a text in all languages: {"en", "zh"}. */
void pipa_report_put_words(struct pipa_buf *out, const char *const words[static PIPA_LANGUAGE_NR]);

/* Write a message (export/table/messages.h) in all languages as a value of JSON. */
void pipa_report_put_message_words(struct pipa_buf *out, const char *message);

/* Write a message (export/table/messages.h) in all languages; NULL: null. */
void pipa_report_put_message(struct pipa_doc *doc, const char *key, const char *message);

#endif
