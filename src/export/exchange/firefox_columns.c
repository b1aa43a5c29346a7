#include "export/exchange/firefox_columns.h"

static void begin_member(struct pipa_pieces *to, const char *name)
{
	pipa_buf_puts(&to->buf, ",\"");
	pipa_buf_puts(&to->buf, name);
	pipa_buf_puts(&to->buf, "\":");
}

void pipa_firefox_table_begin(struct pipa_pieces *to, const char *name, size_t n)
{
	begin_member(to, name);
	pipa_buf_puts(&to->buf, "{\"length\":");
	pipa_buf_put_u64(&to->buf, n);
}

void pipa_firefox_column_begin(struct pipa_pieces *to, const char *name)
{
	begin_member(to, name);
	pipa_buf_putc(&to->buf, '[');
}

void pipa_firefox_column_constant(struct pipa_pieces *to, const char *name, const char *value,
				  size_t n)
{
	size_t i;

	pipa_firefox_column_begin(to, name);
	for (i = 0; i < n; i++) {
		pipa_firefox_column_next(to, i);
		pipa_buf_puts(&to->buf, value);
	}
	pipa_firefox_column_end(to);
}

void pipa_firefox_column_range(struct pipa_pieces *to, const char *name, uint64_t first, size_t n)
{
	size_t i;

	pipa_firefox_column_begin(to, name);
	for (i = 0; i < n; i++) {
		pipa_firefox_column_next(to, i);
		pipa_buf_put_u64(&to->buf, first + i);
	}
	pipa_firefox_column_end(to);
}

void pipa_firefox_put_number_or_null(struct pipa_buf *out, uint64_t number, uint64_t null)
{
	if (number == null)
		pipa_buf_puts(out, "null");
	else
		pipa_buf_put_u64(out, number);
}

void pipa_firefox_put_ms(struct pipa_buf *out, uint64_t ns)
{
	uint32_t fraction = (uint32_t)(ns % 1000000);
	char text[8] = ".000000";
	size_t len = 7;

	pipa_buf_put_u64(out, ns / 1000000);
	if (!fraction)
		return;
	for (; len > 1; fraction /= 10)
		text[--len] = (char)('0' + fraction % 10);
	for (len = 7; text[len - 1] == '0';)
		len--;
	pipa_buf_add(out, text, len);
}
