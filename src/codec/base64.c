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
