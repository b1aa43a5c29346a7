#include "codec/doc.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/f64.h"
#include "base/utf8.h"

static bool is_yaml(const struct pipa_doc *doc)
{
	return doc->format == PIPA_DOC_YAML;
}

static void new_line(struct pipa_doc *doc, unsigned int depth)
{
	if (doc->format == PIPA_DOC_JSON_LINE)
		return;
	pipa_buf_putc(doc->out, '\n');
	pipa_buf_fill(doc->out, ' ', 2 * (size_t)depth);
}

/* Characters that are not seen or act on a terminal; beyond the BMP as surrogates, which YAML reads too. */
static void put_character(struct pipa_buf *out, uint32_t ch)
{
	if (ch >= 0x10000)
		pipa_buf_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (ch >> 10), 0xdc00 + (ch & 0x3ff));
	else
		pipa_buf_printf(out, "\\u%04x", ch);
}

void pipa_doc_put_quoted(struct pipa_buf *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	pipa_buf_putc(out, '"');
	while (*p) {
		size_t len = pipa_utf8_len(p);

		if (*p == '"' || *p == '\\')
			pipa_buf_printf(out, "\\%c", *p);
		else if (*p == '\n')
			pipa_buf_puts(out, "\\n");
		else if (*p == '\t')
			pipa_buf_puts(out, "\\t");
		else if (*p < 0x20 || *p == 0x7f)
			pipa_buf_printf(out, "\\u%04x", *p);
		else if (!len)
			pipa_buf_puts(out, "\\ufffd");
		else if (len > 1 && pipa_utf8_is_hidden(pipa_utf8_char(p, len)))
			put_character(out, pipa_utf8_char(p, len));
		else
			pipa_buf_add(out, p, len);
		p += len ? len : 1;
	}
	pipa_buf_putc(out, '"');
}

/* Is it a word that YAML 1.1 reads as a boolean or null, in any case? Readers treat y and n as text. */
static bool is_yaml_word(const char *text)
{
	static const char *const words[] = { "null", "true", "false", "yes", "no", "on", "off" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

/* May the key stand without quotes? One that begins with a letter is not a number. */
static bool is_plain_key(const char *key)
{
	size_t len = strlen(key);
	const char *p;

	if (!isalpha((unsigned char)key[0]) && key[0] != '_')
		return false;
	for (p = key; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-./(), ", *p))
			return false;
	return key[len - 1] != ' ' && !is_yaml_word(key);
}

/*
 * Everything in front of a value: comma, line, indentation, dash, key. A blank is still missing
 * after a YAML key, since a map or list there starts on the next line.
 */
static void put_key(struct pipa_doc *doc, const char *key)
{
	unsigned int depth = doc->depth;
	bool in_list = doc->level[depth].is_list;
	size_t n = doc->level[depth].n++;

	assert(in_list == !key);
	if (is_yaml(doc)) {
		/* the first key of a map inside a list is on the line of the dash */
		bool on_dash = depth && !in_list && doc->level[depth - 1].is_list && n == 0;

		if (on_dash)
			pipa_buf_putc(doc->out, ' ');
		else
			new_line(doc, depth);
		if (!in_list && is_plain_key(key))
			pipa_buf_puts(doc->out, key);
		else if (!in_list)
			pipa_doc_put_quoted(doc->out, key);
		pipa_buf_putc(doc->out, in_list ? '-' : ':');
		return;
	}
	if (n)
		pipa_buf_putc(doc->out, ',');
	new_line(doc, depth + 1);
	if (n && doc->format == PIPA_DOC_JSON_LINE)
		pipa_buf_putc(doc->out, ' ');
	if (key) {
		pipa_doc_put_quoted(doc->out, key);
		pipa_buf_puts(doc->out, ": ");
	}
}

/* A key with the blank a plain value wants after it. */
static void put_value_key(struct pipa_doc *doc, const char *key)
{
	put_key(doc, key);
	if (is_yaml(doc))
		pipa_buf_putc(doc->out, ' ');
}

static void push(struct pipa_doc *doc, bool is_list)
{
	assert(doc->depth + 1 < PIPA_DOC_DEPTH);
	doc->depth++;
	doc->level[doc->depth].is_list = is_list;
	doc->level[doc->depth].n = 0;
	if (!is_yaml(doc))
		pipa_buf_putc(doc->out, is_list ? '[' : '{');
}

void pipa_doc_begin(struct pipa_doc *doc, enum pipa_doc_format format, struct pipa_buf *out)
{
	*doc = (struct pipa_doc){ .out = out, .format = format };
	if (format == PIPA_DOC_YAML)
		pipa_buf_puts(out, "---");
	else
		pipa_buf_putc(out, '{');
}

void pipa_doc_finish(struct pipa_doc *doc)
{
	assert(doc->depth == 0);
	if (!is_yaml(doc)) {
		new_line(doc, 0);
		pipa_buf_putc(doc->out, '}');
	}
	pipa_buf_putc(doc->out, '\n');
}

void pipa_doc_map(struct pipa_doc *doc, const char *key)
{
	put_key(doc, key);
	push(doc, false);
}

void pipa_doc_list(struct pipa_doc *doc, const char *key)
{
	put_key(doc, key);
	push(doc, true);
}

void pipa_doc_end(struct pipa_doc *doc)
{
	bool is_list = doc->level[doc->depth].is_list;
	size_t n = doc->level[doc->depth].n;

	assert(doc->depth > 0);
	doc->depth--;
	if (is_yaml(doc)) {
		if (!n)
			pipa_buf_puts(doc->out, is_list ? " []" : " {}");
		return;
	}
	if (n)
		new_line(doc, doc->depth + 1);
	pipa_buf_putc(doc->out, is_list ? ']' : '}');
}

void pipa_doc_str(struct pipa_doc *doc, const char *key, const char *value)
{
	put_value_key(doc, key);
	if (value)
		pipa_doc_put_quoted(doc->out, value);
	else
		pipa_buf_puts(doc->out, "null");
}

void pipa_doc_u64(struct pipa_doc *doc, const char *key, uint64_t value)
{
	put_value_key(doc, key);
	pipa_buf_put_u64(doc->out, value);
}

void pipa_doc_int(struct pipa_doc *doc, const char *key, int64_t value)
{
	put_value_key(doc, key);
	pipa_buf_put_i64(doc->out, value);
}

/* Write "3.8e-05" as "0.000038": the digits stay, the exponent goes. */
static void put_without_exponent(struct pipa_buf *out, const char *text, int exponent)
{
	char digits[24];
	int n = 0, point = exponent + 1; /* digits before the decimal point */

	if (*text == '-')
		pipa_buf_puts(out, "-");
	for (; *text && *text != 'e' && n < (int)sizeof(digits); text++)
		if (*text >= '0' && *text <= '9')
			digits[n++] = *text;
	if (point <= 0)
		pipa_buf_printf(out, "0.%0*d%.*s", -point, 0, n, digits);
	else
		pipa_buf_printf(out, "%.*s%0*d", n, digits, point - n, 0);
}

void pipa_doc_double(struct pipa_doc *doc, const char *key, double value)
{
	enum { MAX_ZEROS = 20 }; /* more than that, and an exponent is easier to read */
	const char *exponent;
	char text[PIPA_F64_SIZE];
	size_t whole;
	int power;

	put_value_key(doc, key);
	if (!isfinite(value)) {
		pipa_buf_puts(doc->out, "null");
		return;
	}
	pipa_f64_print(value, text);
	whole = strcspn(text, ".e");
	exponent = strchr(text, 'e');
	power = exponent ? (int)strtol(exponent + 1, NULL, 10) : 0;
	if (exponent && power >= -MAX_ZEROS && power <= MAX_ZEROS)
		put_without_exponent(doc->out, text, power);
	else if (is_yaml(doc) &&
		 text[whole] == 'e') /* YAML 1.1 reads 1e-05 as a text, 1.0e-05 not */
		pipa_buf_printf(doc->out, "%.*s.0%s", (int)whole, text, text + whole);
	else
		pipa_buf_puts(doc->out, text);
}

void pipa_doc_bool(struct pipa_doc *doc, const char *key, bool value)
{
	put_value_key(doc, key);
	pipa_buf_puts(doc->out, value ? "true" : "false");
}

void pipa_doc_json(struct pipa_doc *doc, const char *key, const char *json, size_t len)
{
	put_value_key(doc, key);
	pipa_buf_add(doc->out, json, len);
}
