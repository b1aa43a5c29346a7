#include "export/graph/graph_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "export/text/plain.h"

#define LONGEST ((size_t)600) /* characters of a name that are looked at from either end */

/* ---- characters ------------------------------------------------------------------------------------- */

/* One character as it is shown; returns the bytes it took. Behind the end nothing is read. */
static size_t put_next(struct pipa_buf *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t len = pipa_utf8_len(p);
	uint32_t c = len ? pipa_utf8_char(p, len) : 0;

	if (!len)
		pipa_buf_puts(out, "\xef\xbf\xbd"); /* the replacement character */
	else if (c < ' ')
		pipa_buf_printf(out, "\xe2\x90%c", (char)(0x80 + c)); /* its picture */
	else if (pipa_utf8_is_hidden(c))
		pipa_buf_printf(out, "[U+%04X]", c);
	else
		pipa_buf_add(out, text, len);
	return len ? len : 1;
}

/* Bytes of the first n characters of a valid text. */
static size_t skip(const char *text, size_t n)
{
	const char *p = text;

	for (; *p && n; n--)
		for (p++; (*p & 0xc0) == 0x80; p++)
			;
	return (size_t)(p - text);
}

static size_t count(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* ---- texts ------------------------------------------------------------------------------------------ */

/* The whole, or of a very long one as much from either end as anybody looks at. */
static void put_visible(struct pipa_buf *out, const char *text)
{
	size_t len = strlen(text);
	const char *end = text + len, *p = text;
	size_t n;

	for (n = 0; p < end && (n < LONGEST || len <= LONGEST * 4); n++)
		p += put_next(out, p);
	if (p >= end)
		return;
	pipa_buf_puts(out, "\xe2\x80\xa6");
	if ((size_t)(end - p) > LONGEST * 4)
		p = end - LONGEST * 4;
	while (p < end && (*p & 0xc0) == 0x80)
		p++;
	while (p < end)
		p += put_next(out, p);
}

/* A valid text, its middle left out if it is too long; the end tells more than the middle. */
static void put_cut(struct pipa_buf *out, const char *text, size_t most)
{
	size_t n = count(text), head;

	if (n <= most || most < 3) {
		pipa_buf_add(out, text, skip(text, most));
		return;
	}
	head = (most - 1) / 2;
	pipa_buf_add(out, text, skip(text, head));
	pipa_buf_puts(out, "\xe2\x80\xa6");
	pipa_buf_puts(out, text + skip(text, n - (most - 1 - head)));
}

void pipa_graph_text(struct pipa_buf *out, const char *text, size_t most)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf visible = { 0 };

	put_visible(&visible, text);
	pipa_graph_pass_failure(&visible, out);
	put_cut(out, pipa_buf_str(&visible), most);
}

void pipa_graph_symbol(struct pipa_buf *out, const char *symbol, size_t most)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf whole = { 0 }, folded = { 0 };

	pipa_graph_text(&whole, symbol, LONGEST);
	pipa_graph_pass_failure(&whole, out);
	if (count(pipa_buf_str(&whole)) <= most) {
		pipa_buf_puts(out, pipa_buf_str(&whole));
		return;
	}
	pipa_plain_fold(pipa_buf_str(&whole), &folded);
	pipa_graph_pass_failure(&folded, out);
	put_cut(out, pipa_buf_str(&folded), most);
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

/* Backslashes begin escapes of DOT's own, ampersands names of characters. */
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

/* Of the wider ones of the usual faces (DejaVu Sans, Verdana): texts never come out wider than this. */
double pipa_graph_width(const char *text)
{
	double width = 0;

	for (; *text; text += skip(text, 1)) {
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
