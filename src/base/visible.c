#include "base/visible.h"

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

size_t pipa_visible_escape(uint32_t ch, char out[static PIPA_VISIBLE_MOST])
{
	return ch < 0x80    ? put_hex(out, "\\x", ch, 2) :
	       ch < 0x10000 ? put_hex(out, "\\u", ch, 4) :
			      put_hex(out, "\\U", ch, 8);
}

size_t pipa_visible_next(const char **text, char out[static PIPA_VISIBLE_MOST], size_t *ret_columns)
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

void pipa_visible_put(struct pipa_buf *out, const char *text)
{
	char shown[PIPA_VISIBLE_MOST];
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
