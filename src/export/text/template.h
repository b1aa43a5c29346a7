/*
 * Expand the templates of `pipa generate` (docs/templates.md). A value is quoted by the language of the template
 * and accepted only where that quoting is correct, so that no value can add code or keys:
 *
 *   {{NAME}}                    shell: the whole value of an assignment (NAME={{name}}), or in a comment line;
 *                               YAML: the whole value of a key or list item, or in a comment line
 *   {{if NAME}} ... {{else}} ... {{end}}   by whether the value is not empty; may be nested
 *   {{! text}}                  a remark that is not written
 *   \{{                         two braces
 *
 * A line of nothing but blanks, conditions and remarks is not written.
 */
#ifndef PIPA_EXPORT_TEXT_TEMPLATE_H
#define PIPA_EXPORT_TEXT_TEMPLATE_H

#include <stddef.h>

struct pipa_buf;
struct pipa_error;

enum pipa_template_language { PIPA_TEMPLATE_SHELL, PIPA_TEMPLATE_YAML };

/* A value: a text, or a list, which is written comma-separated in shell. An empty one is false. */
struct pipa_template_value {
	const char *name;
	const char *text;
	const char *const *items;
	size_t n_items;
};

struct pipa_template {
	const char *name; /* in messages: "NAME:3:1: ..." */
	enum pipa_template_language language;
	const char *text;
	size_t len;
};

/* Append the expanded template. An invalid one is refused with -EINVAL and its line and column. */
int pipa_template_expand(const struct pipa_template *in, const struct pipa_template_value *values,
			 size_t n, struct pipa_buf *out, struct pipa_error *err);

/* Append the text as one word of POSIX shell, in single quotes. */
void pipa_template_put_shell_word(struct pipa_buf *out, const char *text);

#endif
