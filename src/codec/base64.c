#include "codec/base64.h"

#include <stdint.h>

#include "base/buf.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void pipa_base64_put(struct pipa_buf *out, const void *bytes, size_t len)
{
	const unsigned char *from = bytes;
	size_t chars = (len + 2) / 3 * 4, i;
	char *to = chars ? pipa_buf_room(out, chars) : NULL;
	uint32_t three;

	if (!to)
		return;
	for (i = 0; i + 2 < len; i += 3, to += 4) {
		three = (uint32_t)from[i] << 16 | (uint32_t)from[i + 1] << 8 | from[i + 2];
		to[0] = digits[three >> 18];
		to[1] = digits[three >> 12 & 63];
		to[2] = digits[three >> 6 & 63];
		to[3] = digits[three & 63];
	}
	if (i < len) {
		three = (uint32_t)from[i] << 16 | (i + 1 < len ? (uint32_t)from[i + 1] << 8 : 0);
		to[0] = digits[three >> 18];
		to[1] = digits[three >> 12 & 63];
		to[2] = i + 1 < len ? digits[three >> 6 & 63] : '=';
		to[3] = '=';
	}
	pipa_buf_wrote(out, chars);
}

/* Return the six bits of a digit, -1 if it is not one. */
static int digit_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

bool pipa_base64_take(struct pipa_buf *out, const char *text, size_t len)
{
	uint32_t bits = 0;
	size_t i, n;
	char *to;
	int value;

	if (len % 4 == 0 && len && text[len - 1] == '=')
		len -= text[len - 2] == '=' ? 2 : 1;
	if (len % 4 == 1)
		return false;
	n = len / 4 * 3 + (len % 4 ? len % 4 - 1 : 0);
	to = n ? pipa_buf_room(out, n) : NULL;
	for (i = 0; i < len; i++) {
		value = digit_value(text[i]);
		if (value < 0)
			return false;
		bits = bits << 6 | (uint32_t)value;
		if (to && i % 4)
			*to++ = (char)(bits >> (6 - i % 4 * 2));
	}
	if (to)
		pipa_buf_wrote(out, n);
	return true;
}
