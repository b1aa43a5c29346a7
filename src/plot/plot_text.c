#include "plot/plot_text.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "base/visible.h"

/* Adobe's font metrics of Helvetica: advances of the characters of Latin-1, in 1/1000 of the size. */
/* clang-format off */
static const uint16_t ascii[0x7f - 0x20] = {
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
};
static const uint16_t latin1[0x100 - 0xa0] = {
	278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333,
	400, 584, 333, 333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611,
	667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
	722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
	556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500,
};
/* clang-format on */

unsigned int pipa_plot_char_width(uint32_t ch)
{
	if (ch >= 0x20 && ch < 0x7f)
		return ascii[ch - 0x20];
	if (ch >= 0xa0 && ch < 0x100)
		return latin1[ch - 0xa0];
	return ch >= 0x1100 ? 1000 : 600; /* CJK and other wide characters; Greek, Cyrillic... */
}

double pipa_plot_text_width(const char *text, double size, bool bold)
{
	uint64_t sum = 0;
	size_t len;

	for (; *text; text += len) {
		len = pipa_utf8_len((const unsigned char *)text);
		sum += len ? pipa_plot_char_width(
				     pipa_utf8_char((const unsigned char *)text, len)) :
			     600;
		len = len ? len : 1;
	}
	return (double)sum * size / 1000 * (bold ? 1.07 : 1);
}

/* Append the escaped text with the characters that the font lacks written out. */
static size_t put_drawable(const char *text, bool (*has)(uint32_t ch), struct pipa_buf *out)
{
	char visible[PIPA_VISIBLE_MAX], escaped[PIPA_VISIBLE_MAX];
	size_t n, columns, lacking = 0;

	while ((n = pipa_visible_next(&text, visible, &columns)) > 0) {
		uint32_t ch = n > 1 && (visible[0] & 0x80) ?
				      pipa_utf8_char((const unsigned char *)visible, n) :
				      (unsigned char)visible[0];

		if (ch < 0x80 || has(ch)) {
			pipa_buf_add(out, visible, n);
			continue;
		}
		pipa_buf_add(out, escaped, pipa_visible_escape(ch, escaped));
		lacking++;
	}
	return lacking;
}

size_t pipa_plot_text_prepare(const char *text, bool (*has)(uint32_t ch), double size, double width,
			      struct pipa_buf *out)
{
	static const char dots[] = "...";
	double left = width - pipa_plot_text_width(dots, size, false);
	size_t start = out->len, lacking = put_drawable(text, has, out), keep, len;

	if (out->status || pipa_plot_text_width(pipa_buf_str(out) + start, size, false) <= width)
		return lacking;
	for (keep = start; keep < out->len; keep += len) {
		const unsigned char *ch = (const unsigned char *)out->data + keep;

		len = pipa_utf8_len(ch);
		len = len ? len : 1;
		left -= pipa_plot_char_width(pipa_utf8_char(ch, len)) * size / 1000;
		if (left < 0)
			break;
	}
	out->len = keep;
	pipa_buf_puts(out, dots);
	return lacking;
}
