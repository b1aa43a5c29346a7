#include "base/regex.h"

#include <errno.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"

/* Append the members of a bracket expression up to its end; return the rest of the text. */
static const char *put_bracket(const char *at, struct pipa_buf *out)
{
	bool backslash = false, closing = false;

	pipa_buf_putc(out, '[');
	if (*at == '^')
		pipa_buf_putc(out, *at++);
	if (*at == ']') /* the first one is a member */
		pipa_buf_putc(out, *at++);
	for (; *at && *at != ']'; at++) {
		if (at[0] == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=')) {
			const char end[] = { at[1], ']', '\0' };
			const char *past = strstr(at + 2, end);

			if (past) {
				pipa_buf_add(out, at, (size_t)(past + 2 - at));
				at = past + 1;
				continue;
			}
		}
		if (*at != '\\' || !at[1]) {
			pipa_buf_putc(out, *at);
			continue;
		}
		at++;
		if (*at == 'd')
			pipa_buf_puts(out, "0-9");
		else if (*at == 'w')
			pipa_buf_puts(out, "[:alnum:]_");
		else if (*at == 's')
			pipa_buf_puts(out, "[:space:]");
		else if (*at == 't')
			pipa_buf_putc(out, '\t');
		else if (*at == '\\')
			backslash = true;
		else if (*at == ']')
			closing = true;
		else
			pipa_buf_putc(out, *at);
	}
	/* a backslash is an ordinary member; ']' can only be the first one, so it is a class */
	if (backslash)
		pipa_buf_putc(out, '\\');
	if (closing)
		pipa_buf_puts(out, "[.].]");
	if (*at == ']')
		pipa_buf_putc(out, *at++);
	return at;
}

/* Translate the forms of RE2 that POSIX lacks. */
static void translate(const char *at, struct pipa_buf *out)
{
	while (*at) {
		if (*at == '[') {
			at = put_bracket(at + 1, out);
		} else if (strncmp(at, "(?:", 3) == 0) {
			pipa_buf_putc(out, '(');
			at += 3;
		} else if (*at == '\\' && (at[1] == 'd' || at[1] == 'D')) {
			pipa_buf_puts(out, at[1] == 'd' ? "[0-9]" : "[^0-9]");
			at += 2;
		} else if (*at == '\\' && at[1]) {
			pipa_buf_add(out, at, 2);
			at += 2;
		} else {
			pipa_buf_putc(out, *at++);
		}
	}
}

int pipa_regex_compile(const char *option, const char *text, regex_t *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf posix = { .max = 1 << 20 };
	bool ignore_case = strncmp(text, "(?i)", 4) == 0;
	char why[120];
	int rc;

	translate(text + (ignore_case ? 4 : 0), &posix);
	if (posix.status)
		return pipa_fail(err, posix.status, "compile the expression of %s", option);
	rc = regcomp(ret, pipa_buf_str(&posix),
		     REG_EXTENDED | REG_NOSUB | (ignore_case ? REG_ICASE : 0));
	if (!rc)
		return 0;
	if (rc == REG_ESPACE)
		return pipa_fail(err, -ENOMEM, "compile the expression of %s", option);
	regerror(rc, ret, why, sizeof(why));
	return pipa_refuse(err, -EINVAL, "%s: invalid regular expression '%s': %s", option, text,
			   why);
}
