#include "base/visible.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/utf8.h"

static size_t put_hex(char *out, const char *sign, uint32_t value, size_t digits)
{
	size_t i;

	memcpy(out, sign, 2);
	for (i = 0; i < digits; i++)
		out[2 + i] = "0123456789abcdef"[value >> 4 * (digits - 1 - i) & 15];
	return 2 + digits;
}

size_t pipa_visible_escape(uint32_t ch, char out[static PIPA_VISIBLE_MAX])
{
	return ch < 0x80    ? put_hex(out, "\\x", ch, 2) :
	       ch < 0x10000 ? put_hex(out, "\\u", ch, 4) :
			      put_hex(out, "\\U", ch, 8);
}

size_t pipa_visible_next(const char **text, char out[static PIPA_VISIBLE_MAX], size_t *ret_columns)
{
	const unsigned char *p = (const unsigned char *)*text;
	size_t len = pipa_utf8_len(p), n;
	uint32_t ch;

	*ret_columns = 0;
	if (!*p)
		return 0;
	if (!len) {
		++*text;
		n = *ret_columns = put_hex(out, "\\x", *p, 2);
		return n;
	}
	*text += len;
	ch = pipa_utf8_char(p, len);
	if (pipa_utf8_is_hidden(ch)) {
		n = *ret_columns = pipa_visible_escape(ch, out);
		return n;
	}
	memcpy(out, p, len);
	*ret_columns = 1;
	return len;
}

bool pipa_visible_is_plain(const char *text, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word;

	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		/* the top bit of each byte: above 0x7f, 0x7f, below a space */
		if ((word | (word + ones) | (word - ones * ' ')) & ones << 7)
			return false;
	}
	for (; len; text++, len--)
		if ((unsigned char)(*text - ' ') >= 0x7f - ' ')
			return false;
	return true;
}

void pipa_visible_put(struct pipa_buf *out, const char *text)
{
	char shown[PIPA_VISIBLE_MAX];
	size_t len, columns, plain;

	for (;;) {
		plain = pipa_visible_plain(text);
		pipa_buf_add(out, text, plain);
		text += plain;
		if (!*text)
			return;
		len = pipa_visible_next(&text, shown, &columns);
		pipa_buf_add(out, shown, len);
	}
}

void pipa_visible_add(struct pipa_buf *out, const char *text, size_t len)
{
	char shown[PIPA_VISIBLE_MAX], piece[5];
	const char *end = text + len, *next;
	size_t n, columns;

	if (pipa_visible_is_plain(text, len)) {
		pipa_buf_add(out, text, len);
		return;
	}
	while (text < end) {
		n = (size_t)(end - text) < 4 ? (size_t)(end - text) : 4;
		memcpy(piece, text, n);
		piece[n] = '\0';
		next = piece;
		n = pipa_visible_next(&next, shown, &columns);
		pipa_buf_add(out, n ? shown : "\\x00", n ? n : 4);
		text += n ? next - piece : 1;
	}
}

void pipa_visible_since(struct pipa_buf *out, size_t start)
{
	PIPA_AUTO(free) char *text = NULL;
	size_t len = out->len - start;

	if (out->status || pipa_visible_is_plain(out->data + start, len))
		return;
	text = malloc(len);
	if (!text) {
		out->status = -ENOMEM;
		return;
	}
	memcpy(text, out->data + start, len);
	out->len = start;
	pipa_visible_add(out, text, len);
}

void pipa_visible_copy(char *out, size_t size, const char *text)
{
	char shown[PIPA_VISIBLE_MAX];
	size_t len, columns;

	while ((len = pipa_visible_next(&text, shown, &columns)) && len < size) {
		memcpy(out, shown, len);
		out += len;
		size -= len;
	}
	*out = '\0';
}
