#include "export/text/template.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/visible.h"
#include "codec/doc.h"

enum { DEPTH_MAX = 16, NAME_MAX_BYTES = 64 };

struct expansion {
	const struct pipa_template *in;
	const struct pipa_template_value *values;
	size_t n;
	struct pipa_buf *out;
	struct pipa_error *err;

	size_t line_number;
	const char *line, *line_end; /* without the newline */
	struct condition {
		bool outer; /* the lines around it are written */
		bool holds; /* its own branch is written */
		bool in_else;
		size_t line_number;
	} conditions[DEPTH_MAX];
	size_t depth;
};

void pipa_template_put_shell_word(struct pipa_buf *out, const char *text)
{
	pipa_buf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			pipa_buf_puts(out, "'\\''");
		else
			pipa_buf_putc(out, *text);
	}
	pipa_buf_putc(out, '\'');
}

PIPA_PRINTF(3, 4)
static int fail_at(const struct expansion *x, const char *at, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return pipa_refuse(x->err, -EINVAL, "%s:%zu:%zu: %s", x->in->name, x->line_number,
			   (size_t)(at - x->line) + 1, text);
}

static bool is_written(const struct expansion *x)
{
	const struct condition *c = x->depth ? &x->conditions[x->depth - 1] : NULL;

	return !c || (c->outer && c->holds != c->in_else);
}

static bool is_true(const struct pipa_template_value *value)
{
	return value->n_items || (value->text && value->text[0]);
}

static int find_value(const struct expansion *x, const char *at, const char *name, size_t len,
		      const struct pipa_template_value **ret)
{
	struct pipa_nearest near = { 0 };
	char wanted[NAME_MAX_BYTES], hint[256];
	size_t i;

	for (i = 0; i < x->n; i++)
		if (strlen(x->values[i].name) == len && memcmp(x->values[i].name, name, len) == 0) {
			*ret = &x->values[i];
			return 0;
		}
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(len < 60 ? len : 60), name);
	near.wanted = wanted;
	for (i = 0; i < x->n; i++)
		pipa_nearest_offer(&near, x->values[i].name);
	fail_at(x, at, "unknown placeholder '%s'", wanted);
	return pipa_nearest_hint(&near, hint, sizeof(hint))[0] ? pipa_hint(x->err, "%s", hint) :
								 -EINVAL;
}

/* ---- values --------------------------------------------------------------------------------------- */

static bool is_comment(const struct expansion *x)
{
	const char *c = x->line;

	while (c < x->line_end && isblank((unsigned char)*c))
		c++;
	return c < x->line_end && *c == '#';
}

/* Is the text before `at` the beginning of an assignment of shell, "  name="? */
static bool is_assigned(const struct expansion *x, const char *at)
{
	const char *c = x->line;

	while (c < at && isblank((unsigned char)*c))
		c++;
	if (c == at || !(isalpha((unsigned char)*c) || *c == '_'))
		return false;
	while (c < at && (isalnum((unsigned char)*c) || *c == '_'))
		c++;
	return c + 1 == at && *c == '=';
}

/* Is the text before `at` a key of YAML, "name: ", or the beginning of a list item, "- "? */
static bool is_yaml_value(const struct expansion *x, const char *at)
{
	const char *c = x->line;

	while (c < at && isblank((unsigned char)*c))
		c++;
	if (c < at && *c == '-')
		return c + 2 == at && c[1] == ' ';
	while (c < at && (isalnum((unsigned char)*c) || *c == '_'))
		c++;
	return c > x->line && c + 2 == at && c[0] == ':' && c[1] == ' ';
}

/* Write a text as YAML: a number or a boolean as it is, all else in double quotes. */
static void put_yaml_text(struct pipa_buf *out, const char *text)
{
	const char *digits = text[0] == '-' ? text + 1 : text;

	if ((digits[0] && strspn(digits, "0123456789") == strlen(digits)) ||
	    strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		pipa_buf_puts(out, text);
	else
		pipa_doc_put_quoted(out, text);
}

static void put_yaml_list(struct pipa_buf *out, const struct pipa_template_value *value)
{
	size_t i;

	pipa_buf_putc(out, '[');
	for (i = 0; i < value->n_items; i++) {
		pipa_buf_puts(out, i ? ", " : "");
		put_yaml_text(out, value->items[i]);
	}
	pipa_buf_putc(out, ']');
}

/* Append the value as one text; a list comma-separated. */
static void put_plain(struct pipa_buf *out, const struct pipa_template_value *value)
{
	size_t i;

	for (i = 0; i < value->n_items; i++)
		pipa_buf_printf(out, "%s%s", i ? "," : "", value->items[i]);
	if (!value->n_items && value->text)
		pipa_buf_puts(out, value->text);
}

static int put_value(struct expansion *x, const struct pipa_template_value *value, const char *at,
		     const char *end)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	bool shell = x->in->language == PIPA_TEMPLATE_SHELL;

	put_plain(&text, value);
	if (text.status)
		return pipa_fail(x->err, text.status, "expand %s", x->in->name);
	if (is_comment(x)) {
		pipa_visible_put(x->out, pipa_buf_str(&text));
		return 0;
	}
	if (end != x->line_end || !(shell ? is_assigned(x, at) : is_yaml_value(x, at)))
		return fail_at(x, at,
			       shell ? "a value must be assigned on a line of its own: "
				       "name={{name}}" :
				       "a value must be that of a key or list item: "
				       "key: {{name}}");
	if (shell)
		pipa_template_put_shell_word(x->out, pipa_buf_str(&text));
	else if (value->n_items)
		put_yaml_list(x->out, value);
	else
		put_yaml_text(x->out, pipa_buf_str(&text));
	return 0;
}

/* ---- conditions ------------------------------------------------------------------------------------ */

static int open_condition(struct expansion *x, const char *at, const char *name, size_t len)
{
	const struct pipa_template_value *value = NULL;
	bool outer = is_written(x);
	int rc = find_value(x, at, name, len, &value);

	if (rc)
		return rc;
	if (x->depth == DEPTH_MAX)
		return fail_at(x, at, "more than %d nested conditions", DEPTH_MAX);
	x->conditions[x->depth++] = (struct condition){ .outer = outer,
							.holds = is_true(value),
							.line_number = x->line_number };
	return 0;
}

static int switch_condition(struct expansion *x, const char *at)
{
	if (!x->depth || x->conditions[x->depth - 1].in_else)
		return fail_at(x, at, "{{else}} without {{if}}");
	x->conditions[x->depth - 1].in_else = true;
	return 0;
}

static int close_condition(struct expansion *x, const char *at)
{
	if (!x->depth)
		return fail_at(x, at, "{{end}} without {{if}}");
	x->depth--;
	return 0;
}

/* ---- lines ----------------------------------------------------------------------------------------- */

static bool is_name(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!islower((unsigned char)text[i]) && text[i] != '_')
			return false;
	return len > 0;
}

/* Expand the placeholder at `at`, whose words are between the braces. Sets *ret_shows if it is a value. */
static int expand_placeholder(struct expansion *x, const char *at, const char *words, size_t len,
			      bool *ret_shows)
{
	const struct pipa_template_value *value = NULL;
	int rc;

	if (len && words[0] == '!')
		return 0;
	if (len > 3 && memcmp(words, "if ", 3) == 0 && is_name(words + 3, len - 3))
		return open_condition(x, at, words + 3, len - 3);
	if (len == 4 && memcmp(words, "else", 4) == 0)
		return switch_condition(x, at);
	if (len == 3 && memcmp(words, "end", 3) == 0)
		return close_condition(x, at);
	if (!is_name(words, len))
		return fail_at(x, at, "invalid placeholder '{{%.*s}}'", (int)(len < 60 ? len : 60),
			       words);
	*ret_shows = true;
	rc = find_value(x, at, words, len, &value);
	if (rc || !is_written(x))
		return rc;
	return put_value(x, value, at, words + len + 2);
}

static int expand_line(struct expansion *x)
{
	const char *c = x->line, *open, *close;
	size_t begin = x->out->len;
	bool directives = false, shows = false, written = is_written(x);
	int rc = 0;

	while (!rc && (open = memmem(c, (size_t)(x->line_end - c), "{{", 2))) {
		bool escaped = open > c && open[-1] == '\\';

		if (is_written(x)) {
			pipa_buf_add(x->out, c, (size_t)(open - c) - escaped);
			if (escaped)
				pipa_buf_puts(x->out, "{{");
		}
		written |= is_written(x);
		if (escaped) {
			c = open + 2;
			shows = true;
			continue;
		}
		close = memmem(open + 2, (size_t)(x->line_end - open - 2), "}}", 2);
		if (!close)
			return fail_at(x, open, "'{{' without '}}'");
		directives = true;
		rc = expand_placeholder(x, open, open + 2, (size_t)(close - open) - 2, &shows);
		written |= is_written(x);
		c = close + 2;
	}
	if (rc)
		return rc;
	if (is_written(x))
		pipa_buf_add(x->out, c, (size_t)(x->line_end - c));
	if (x->out->status)
		return pipa_fail(x->err, x->out->status, "expand %s", x->in->name);
	if (directives && !shows) { /* a line of its own: no trace of it */
		const char *rest = x->out->data ? x->out->data + begin : "";

		if (rest[strspn(rest, " \t")] == '\0') {
			x->out->len = begin;
			if (x->out->data)
				x->out->data[begin] = '\0';
			return 0;
		}
	}
	if (written)
		pipa_buf_putc(x->out, '\n');
	return 0;
}

int pipa_template_expand(const struct pipa_template *in, const struct pipa_template_value *values,
			 size_t n, struct pipa_buf *out, struct pipa_error *err)
{
	struct expansion x = { .in = in, .values = values, .n = n, .out = out, .err = err };
	const char *end = in->text + in->len;
	int rc = 0;

	for (x.line = in->text; !rc && x.line < end; x.line = x.line_end + 1) {
		x.line_number++;
		x.line_end = memchr(x.line, '\n', (size_t)(end - x.line));
		if (!x.line_end)
			x.line_end = end;
		rc = memchr(x.line, '\0', (size_t)(x.line_end - x.line)) ?
			     fail_at(&x, x.line, "the line contains a NUL") :
			     expand_line(&x);
	}
	if (rc)
		return rc;
	if (x.depth)
		return pipa_refuse(err, -EINVAL, "%s:%zu:1: {{if}} without {{end}}", in->name,
				   x.conditions[x.depth - 1].line_number);
	return out->status ? pipa_fail(err, out->status, "expand %s", in->name) : 0;
}
