#include "export/view/view_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

#define SHOWN (UINT32_C(1) << 31) /* flag beside a code point, which may be 0 */
#define REPLACEMENT "\xef\xbf\xbd"

/*
 * Return the length of the UTF-8 character at `text`; 0 if invalid. The text must end with a NUL.
 */
static size_t char_len(const char *text, size_t left)
{
	size_t len = pipa_utf8_len((const unsigned char *)text);

	return len <= left ? len : 0;
}

static uint32_t code_of(const char *text, size_t len)
{
	return pipa_utf8_char((const unsigned char *)text, len);
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static bool is_line_end(const char *text, size_t len)
{
	return len == 3 && (code_of(text, 3) | 1) == 0x2029;
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<';
}

static void put_json_char(struct pipa_buf *out, const char *text, size_t len)
{
	if (len == 0)
		pipa_buf_puts(out, REPLACEMENT);
	else if (is_line_end(text, len))
		pipa_buf_printf(out, "\\u%04x", code_of(text, len));
	else if (len > 1)
		pipa_buf_add(out, text, len);
	else if (*text == '"' || *text == '\\')
		pipa_buf_printf(out, "\\%c", *text);
	else
		pipa_buf_printf(out, "\\u%04x", (unsigned char)*text);
}

void pipa_view_put_json(struct pipa_buf *out, const char *text, size_t len)
{
	size_t i = 0, run, n;

	pipa_buf_putc(out, '"');
	while (i < len) {
		for (run = i; run < len && is_plain((unsigned char)text[run]); run++)
			;
		pipa_buf_add(out, text + i, run - i);
		if (run == len)
			break;
		n = char_len(text + run, len - run);
		put_json_char(out, text + run, n);
		i = run + (n ? n : 1);
	}
	pipa_buf_putc(out, '"');
}

void pipa_view_put_doc(struct pipa_buf *out, const char *json, size_t len)
{
	size_t i, from = 0;

	for (i = 0; i < len; i++) {
		bool is_end = json[i] == '\xe2' && i + 2 < len && is_line_end(json + i, 3);

		if (json[i] != '<' && !is_end)
			continue;
		pipa_buf_add(out, json + from, i - from);
		pipa_buf_printf(out, "\\u%04x", is_end ? code_of(json + i, 3) : '<');
		i += is_end ? 2 : 0;
		from = i + 1;
	}
	pipa_buf_add(out, json + from, len - from);
}

/* ---- XML ---------------------------------------------------------------------------------------------- */

/* A character as it is shown. */
struct shown {
	size_t len;	/* in bytes; 0: invalid */
	size_t columns; /* of the terminal or image */
	uint32_t code;	/* code point if it is shown as <U+XXXX>, else 0 */
};

static struct shown classify_char(const char *text, size_t left)
{
	struct shown c = { .len = char_len(text, left), .columns = 1 };
	uint32_t code = c.len ? code_of(text, c.len) : 0;

	if (c.len && pipa_utf8_is_hidden(code)) {
		c.code = code | SHOWN;
		c.columns = code > 0xffff ? sizeof("<U+00000>") - 1 : sizeof("<U+0000>") - 1;
	} else if (c.len > 2) {
		c.columns = 2;
	}
	return c;
}

static void put_xml_char(struct pipa_buf *out, const char *text, const struct shown *c)
{
	if (c->len == 0)
		pipa_buf_puts(out, REPLACEMENT);
	else if (c->code)
		pipa_buf_printf(out, "&lt;U+%04X&gt;", c->code & ~SHOWN);
	else if (c->len > 1)
		pipa_buf_add(out, text, c->len);
	else if (*text == '<')
		pipa_buf_puts(out, "&lt;");
	else if (*text == '>')
		pipa_buf_puts(out, "&gt;");
	else if (*text == '&')
		pipa_buf_puts(out, "&amp;");
	else if (*text == '"')
		pipa_buf_puts(out, "&quot;");
	else
		pipa_buf_putc(out, *text);
}

void pipa_view_put_xml(struct pipa_buf *out, const char *text, size_t len, size_t columns)
{
	size_t i = 0, bytes;

	while (i < len && columns) {
		struct shown c = classify_char(text + i, len - i);

		bytes = c.len ? c.len : 1;
		/* reserve the last column for the truncation mark, unless this is the end */
		if (c.columns > columns || (c.columns == columns && i + bytes < len)) {
			pipa_buf_puts(out, "\xe2\x80\xa6");
			return;
		}
		put_xml_char(out, text + i, &c);
		columns -= c.columns;
		i += bytes;
	}
}
