#include "base/visible.h"

#include <string.h>

#include "base/auto.h"
#include "base/buf.h"

/* Controls, marks of direction, joiners, blanks of no width: nothing that a language is written with. */
static bool is_hidden(uint32_t ch)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x7f, 0xa0 },	    { 0xad, 0xad },	{ 0x61c, 0x61c },   { 0x180e, 0x180e },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0xe0000, 0xe0fff },
	};
	size_t i;

	if (ch < ' ')
		return true;
	for (i = 0; i < PIPA_COUNT(ranges); i++)
		if (ch >= ranges[i].first && ch <= ranges[i].last)
			return true;
	return false;
}

/* Length of the character that the byte starts, 0: it starts none. */
static size_t length_of(unsigned char byte)
{
	return byte < 0x80 ? 1 :
	       byte < 0xc2 ? 0 :
	       byte < 0xe0 ? 2 :
	       byte < 0xf0 ? 3 :
	       byte < 0xf5 ? 4 :
			     0;
}

/* The character at p, which is len bytes long; false when it is none. */
static bool decode(const unsigned char *p, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t ch = len == 1 ? p[0] : p[0] & (0x7fu >> len);
	size_t i;

	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return false;
		ch = ch << 6 | (p[i] & 0x3f);
	}
	*ret = ch;
	return len && ch >= least[len] && ch <= 0x10ffff && !(ch >= 0xd800 && ch <= 0xdfff);
}

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
	size_t len = length_of(*p), n;
	uint32_t ch = 0;

	*ret_columns = 0;
	if (!*p)
		return 0;
	if (!decode(p, len, &ch)) {
		++*text;
		n = *ret_columns = put_hex(out, "\\x", *p, 2);
		return n;
	}
	*text += len;
	if (is_hidden(ch)) {
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
