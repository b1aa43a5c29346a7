#include "base/utf8.h"

#include <string.h>

#include "base/auto.h"
#include "base/buf.h"

size_t pipa_utf8_len(const unsigned char *text)
{
	size_t len, i;

	if (text[0] < 0x80)
		return 1;
	len = text[0] >= 0xf0 && text[0] <= 0xf4 ? 4 :
	      text[0] >= 0xe0			 ? 3 :
	      text[0] >= 0xc2			 ? 2 :
						   0;
	if (text[0] > 0xf4)
		return 0;
	for (i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90) ||
	    (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f) ||
	    (text[0] == 0xef && text[1] == 0xbf && text[2] > 0xbd))
		return 0; /* overlong, surrogate, past the end of Unicode, the two that are none */
	return len;
}

uint32_t pipa_utf8_char(const unsigned char *text, size_t len)
{
	uint32_t ch = len == 1 ? text[0] : text[0] & (0x7fu >> len);
	size_t i;

	for (i = 1; i < len; i++)
		ch = ch << 6 | (text[i] & 0x3fu);
	return ch;
}

bool pipa_utf8_is_hidden(uint32_t ch)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x0, 0x1f },	    { 0x7f, 0xa0 },	{ 0xad, 0xad },	    { 0x61c, 0x61c },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb }, { 0xe0000, 0xe0fff },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(ranges); i++)
		if (ch >= ranges[i].first && ch <= ranges[i].last)
			return true;
	return false;
}

bool pipa_utf8_is_valid(const void *bytes, size_t size)
{
	const unsigned char *at = bytes, *end;
	unsigned char rest[8];
	size_t n;

	if (!size)
		return true; /* bytes may be NULL */
	for (end = at + size; at < end; at += n) {
		const unsigned char *from = at;

		if (*at < 0x80) {
			n = 1;
			continue;
		}
		if ((size_t)(end - at) <
		    sizeof(rest)) { /* pipa_utf8_len() needs a NUL at the end */
			memset(rest, 0, sizeof(rest));
			memcpy(rest, at, (size_t)(end - at));
			from = rest;
		}
		n = pipa_utf8_len(from);
		if (!n && from[0] == 0xef && from[1] == 0xbf && (from[2] & 0xfe) == 0xbe)
			n = 3; /* U+FFFE, U+FFFF */
		if (!n || n > (size_t)(end - at))
			return false;
	}
	return true;
}

bool pipa_utf8_put_clean(struct pipa_buf *out, const char *text, size_t len)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + len;
	unsigned char rest[8];
	bool valid = true;
	size_t n;

	for (n = 0; n < len && at[n] && at[n] < 0x80; n++)
		; /* ASCII without NUL */
	pipa_buf_add(out, text, n);
	for (at += n; at < end; at += n) {
		const unsigned char *from = at;

		if ((size_t)(end - at) <
		    sizeof(rest)) { /* pipa_utf8_len() needs a NUL at the end */
			memset(rest, 0, sizeof(rest));
			memcpy(rest, at, (size_t)(end - at));
			from = rest;
		}
		n = *from ? pipa_utf8_len(from) : 0;
		if (n && n <= (size_t)(end - at)) {
			pipa_buf_add(out, at, n);
		} else {
			pipa_buf_puts(out, "\xef\xbf\xbd");
			valid = false;
			n = 1;
		}
	}
	return valid;
}
