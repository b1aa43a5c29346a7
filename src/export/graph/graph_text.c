#include "export/graph/graph_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "analyze/profile/short_name.h"
#include "base/buf.h"
#include "base/utf8.h"

#define LONGEST ((size_t)600) /* characters of a name that are read from either end */

/* ---- characters ------------------------------------------------------------------------------------- */

/* Append one character as it is shown; returns its length in bytes. Does not read past the NUL. */
static size_t put_sanitized_char(struct pipa_buf *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t len = pipa_utf8_len(p);
	uint32_t c = len ? pipa_utf8_char(p, len) : 0;

	if (!len)
		pipa_buf_puts(out, "\xef\xbf\xbd"); /* U+FFFD, the replacement character */
	else if (c < ' ')
		pipa_buf_printf(out, "\xe2\x90%c",
				(char)(0x80 + c)); /* the control picture, U+2400 to U+2421 */
	else if (pipa_utf8_is_hidden(c))
		pipa_buf_printf(out, "[U+%04X]", c);
	else
		pipa_buf_add(out, text, len);
	return len ? len : 1;
}

/* Return the length in bytes of the first n characters of valid UTF-8. */
static size_t bytes_of_chars(const char *text, size_t n)
{
	const char *p = text;

	for (; *p && n; n--)
		for (p++; (*p & 0xc0) == 0x80; p++)
			;
	return (size_t)(p - text);
}

static size_t count_chars(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* ---- texts ------------------------------------------------------------------------------------------ */

/* Append the string sanitized. Of a very long one, only both ends. */
static void put_sanitized(struct pipa_buf *out, const char *text)
{
	size_t len = strlen(text);
	const char *end = text + len, *p = text;
	size_t n;

	for (n = 0; p < end && (n < LONGEST || len <= LONGEST * 4); n++)
		p += put_sanitized_char(out, p);
	if (p >= end)
		return;
	pipa_buf_puts(out, "\xe2\x80\xa6");
	if ((size_t)(end - p) > LONGEST * 4)
		p = end - LONGEST * 4;
	while (p < end && (*p & 0xc0) == 0x80)
		p++;
	while (p < end)
		p += put_sanitized_char(out, p);
}

/*
 * Append valid UTF-8, omitting the middle if it is too long: the end is more informative than the
 * middle.
 */
static void put_shortened(struct pipa_buf *out, const char *text, size_t most)
{
	size_t n = count_chars(text), head;

	if (n <= most || most < 3) {
		pipa_buf_add(out, text, bytes_of_chars(text, most));
		return;
	}
	head = (most - 1) / 2;
	pipa_buf_add(out, text, bytes_of_chars(text, head));
	pipa_buf_puts(out, "\xe2\x80\xa6");
	pipa_buf_puts(out, text + bytes_of_chars(text, n - (most - 1 - head)));
}

void pipa_graph_text(struct pipa_buf *out, const char *text, size_t most)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf visible = { 0 };

	put_sanitized(&visible, text);
	pipa_graph_pass_failure(&visible, out);
	put_shortened(out, pipa_buf_str(&visible), most);
}

void pipa_graph_symbol(struct pipa_buf *out, const char *symbol, size_t most)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf whole = { 0 }, folded = { 0 };

	pipa_graph_text(&whole, symbol, LONGEST);
	pipa_graph_pass_failure(&whole, out);
	if (count_chars(pipa_buf_str(&whole)) <= most) {
		pipa_buf_puts(out, pipa_buf_str(&whole));
		return;
	}
	pipa_short_name(pipa_buf_str(&whole), most, PIPA_SHORT_BOX, &folded);
	pipa_graph_pass_failure(&folded, out);
	put_shortened(out, pipa_buf_str(&folded), most);
}

void pipa_graph_xml(struct pipa_buf *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&': pipa_buf_puts(out, "&amp;"); break;
		case '<': pipa_buf_puts(out, "&lt;"); break;
		case '>': pipa_buf_puts(out, "&gt;"); break;
		case '"': pipa_buf_puts(out, "&quot;"); break;
		case '\'': pipa_buf_puts(out, "&#39;"); break;
		default: pipa_buf_putc(out, *text);
		}
}

/* Escape backslashes, which begin DOT's escapes, and ampersands, which begin character entities. */
void pipa_graph_dot_text(struct pipa_buf *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&': pipa_buf_puts(out, "&amp;"); break;
		case '"': pipa_buf_puts(out, "\\\""); break;
		case '\\': pipa_buf_puts(out, "\\\\"); break;
		default: pipa_buf_putc(out, *text);
		}
}

/*
 * Estimate by the wider of the usual fonts (DejaVu Sans, Verdana), so that no text is wider than
 * this.
 */
double pipa_graph_width(const char *text)
{
	double width = 0;

	for (; *text; text += bytes_of_chars(text, 1)) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0xe2)
			width += 1.05;
		else if (c >= 0x80)
			width += 0.75;
		else if (strchr("iljI|!.,:;'` ", c))
			width += 0.36;
		else if (strchr("frt()[]{}-/\\\"", c))
			width += 0.46;
		else if (strchr("mwMW@%<>+=~#&", c))
			width += 0.95;
		else if (c >= 'A' && c <= 'Z')
			width += 0.74;
		else
			width += 0.65;
	}
	return width;
}
