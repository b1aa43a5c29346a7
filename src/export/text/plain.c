#include "export/text/plain.h"

#include <string.h>

#include "analyze/profile/short_name.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/visible.h"

size_t pipa_plain_width(const char *text)
{
	char character[PIPA_VISIBLE_MAX];
	size_t n = pipa_visible_plain(text), columns;

	for (text += n; pipa_visible_next(&text, character, &columns);)
		n += columns;
	return n;
}

size_t pipa_plain_put(struct pipa_buf *out, const char *text, size_t columns)
{
	size_t room = columns, used = 0, len, own, dots = 0;
	char character[PIPA_VISIBLE_MAX];

	if (pipa_plain_width(text) > columns) {
		dots = columns < 3 ? columns : 3;
		room = columns - dots;
	}
	used = pipa_visible_plain(text);
	used = used < room ? used : room;
	pipa_buf_add(out, text, used);
	text += used;
	while ((len = pipa_visible_next(&text, character, &own)) && used + own <= room) {
		pipa_buf_add(out, character, len);
		used += own;
	}
	pipa_buf_fill(out, '.', dots);
	return used + dots;
}

void pipa_plain_put_csv(struct pipa_buf *out, const char *text, const char *mark)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf quoted = { .max = out->max };

	if (!strpbrk(text, ",\"")) {
		pipa_visible_put(out, text);
		pipa_buf_puts(out, mark);
		return;
	}
	for (; *text; text++) {
		if (*text == '"')
			pipa_buf_putc(&quoted, '"');
		pipa_buf_putc(&quoted, *text);
	}
	pipa_buf_putc(out, '"');
	pipa_visible_put(out, pipa_buf_str(&quoted));
	pipa_buf_puts(out, mark);
	pipa_buf_putc(out, '"');
	if (quoted.status)
		out->status = quoted.status;
}

size_t pipa_plain_put_symbol(struct pipa_buf *out, const char *symbol, size_t columns)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf less = { 0 };

	if (pipa_plain_width(symbol) > columns) {
		pipa_short_name(symbol, columns, PIPA_SHORT_COLUMN, &less);
		symbol = less.status ? symbol : pipa_buf_str(&less);
	}
	return pipa_plain_put(out, symbol, columns);
}

void pipa_plain_wrap(struct pipa_buf *out, const char *text, size_t indent, size_t columns)
{
	size_t at = 0, width, bytes, own;
	char character[PIPA_VISIBLE_MAX];
	const char *end;

	while (*(text += strspn(text, " "))) {
		bytes = strcspn(text, " ");
		for (end = text, width = 0; end < text + bytes; width += own)
			pipa_visible_next(&end, character, &own);
		if (at && at + 1 + width > columns) {
			pipa_buf_putc(out, '\n');
			at = 0;
		}
		pipa_buf_fill(out, ' ', at ? 1 : indent);
		at += (at ? 1 : indent) + width;
		while (text < end) {
			size_t len = pipa_visible_next(&text, character, &own);

			pipa_buf_add(out, character, len);
		}
	}
	pipa_buf_putc(out, '\n');
}
