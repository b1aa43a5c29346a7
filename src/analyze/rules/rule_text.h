/*
 * Templates of findings (docs/rules.md): placeholders {NAME}, {NAME:.1f} and {NAME:.0f|page|pages}, **bold** and a few tags of HTML,
 * written as plain text, as HTML that is safe to embed, or as a list of runs.
 */
#ifndef PIPA_ANALYZE_RULES_RULE_TEXT_H
#define PIPA_ANALYZE_RULES_RULE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/context.h"

struct pipa_buf;

enum pipa_rule_markup {
	PIPA_MARKUP_TEXT,
	PIPA_MARKUP_HTML,
	PIPA_MARKUP_RUNS, /* a list in JSON: "text", ["b", "bold text"], ["br"] */
};

/*
 * Append a template with its placeholders replaced. HTML has only tags of the list without attributes, each
 * closed; everything else is escaped. In plain text and in runs, blanks are joined and blocks start on lines
 * of their own; values of plain text are not escaped.
 */
void pipa_rule_text_write(const char *text, const struct pipa_context *context,
			  enum pipa_rule_markup markup, struct pipa_buf *out);

enum { PIPA_PLACEHOLDER_NAME = 64 };

struct pipa_placeholder {
	size_t start, end;		  /* bytes of the template, with the braces */
	char name[PIPA_PLACEHOLDER_NAME]; /* "" if it is invalid */
	int digits;			  /* after the point; -1: as Python prints it */
	/* Noun after a value of 1 and of others, in the template; NULL: the placeholder has none */
	const char *one, *other;
	size_t one_len, other_len;
	const char *fault; /* why it is invalid, or NULL */
};

/* Find the first placeholder at or after *offset and advance *offset to its end. False: no more. */
bool pipa_placeholder_next(const char *text, size_t *offset, struct pipa_placeholder *ret);

/* Append a value as Python prints it (digits < 0), or with that number of digits. Absent: "?". */
void pipa_value_write(const struct pipa_value *value, int digits, struct pipa_buf *out);

#endif
