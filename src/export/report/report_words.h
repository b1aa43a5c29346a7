/* Strings in the parts of a report's data. */
#ifndef PIPA_EXPORT_REPORT_REPORT_WORDS_H
#define PIPA_EXPORT_REPORT_REPORT_WORDS_H

#include "model/rules.h"

struct pipa_buf;

/* Write a string of JSON that is safe inside a <script>. */
void pipa_report_put_string(struct pipa_buf *out, const char *text);

/* Write a text in all languages: {"en", "zh"}. */
void pipa_report_put_words(struct pipa_buf *out, const char *const words[static PIPA_LANGUAGE_NR]);

#endif
