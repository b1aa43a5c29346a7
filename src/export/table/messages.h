/*
 * Messages about inputs and rules in the language of a report. Layers below write them in English; the table here
 * has each of their formats in Chinese.
 */
#ifndef PIPA_EXPORT_TABLE_MESSAGES_H
#define PIPA_EXPORT_TABLE_MESSAGES_H

#include <stddef.h>

#include "model/rules.h"

struct pipa_buf;

/*
 * Append a message in a language. A message without a translation is appended in English, after words in that
 * language which say that it is the original.
 */
void pipa_message_put(const char *message, enum pipa_language language, struct pipa_buf *out);

/* A format: an asterisk stands for any text, {1} for that of the first asterisk. */
struct pipa_message_format {
	const char *english, *chinese;
};

extern const struct pipa_message_format pipa_message_formats[];
extern const size_t pipa_n_message_formats;

#endif
