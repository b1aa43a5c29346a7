/* Format the fields of a tracepoint sample. */
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "perf/trace_expr.h"
#include "perf/tracing.h"

/* ---- values ------------------------------------------------------------------------------------------- */

uint64_t pipa_trace_number_at(const struct pipa_tracing *t, struct pipa_span raw, uint32_t offset,
			      uint32_t size)
{
	uint64_t value = 0;
	uint32_t i;

	if (size > 8 || offset > raw.size || raw.size - offset < size)
		return 0;
	for (i = 0; i < size; i++)
		value = value << 8 | raw.data[offset + (t->big ? i : size - 1 - i)];
	return value;
}

uint64_t pipa_trace_number(const struct pipa_tracing *t, const struct pipa_trace_field *f,
			   struct pipa_span raw)
{
	uint64_t value = pipa_trace_number_at(t, raw, f->offset, f->size);
	uint64_t sign = f->size && f->size < 8 ? UINT64_C(1) << (8 * f->size - 1) : 0;

	return f->is_signed ? (value ^ sign) - sign : value;
}

/* The bytes of a text, up to its NUL. */
struct pipa_span pipa_trace_bytes(const struct pipa_tracing *t, const struct pipa_trace_field *f,
				  struct pipa_span raw)
{
	uint32_t at = f->offset, len = f->size, where;
	const uint8_t *nul;

	if (f->kind == PIPA_TRACE_TEXT_AT || f->kind == PIPA_TRACE_TEXT_REL) {
		where = (uint32_t)pipa_trace_number_at(t, raw, f->offset, 4);
		len = where >> 16;
		at = (where & 0xffff) + (f->kind == PIPA_TRACE_TEXT_REL ? f->offset + f->size : 0);
	}
	if (at >= raw.size || !len)
		return (struct pipa_span){ 0 };
	len = len < raw.size - at ? len : (uint32_t)(raw.size - at);
	nul = memchr(raw.data + at, 0, len);
	return (struct pipa_span){ raw.data + at, nul ? (size_t)(nul - raw.data) - at : len };
}

bool pipa_trace_is_text(const struct pipa_trace_field *f)
{
	return f->kind == PIPA_TRACE_TEXT || f->kind == PIPA_TRACE_TEXT_AT ||
	       f->kind == PIPA_TRACE_TEXT_REL;
}

/* ---- name=value --------------------------------------------------------------------------------------- */

static void put_array(const struct pipa_trace_field *f, struct pipa_span raw, struct pipa_buf *out)
{
	uint32_t i;

	pipa_buf_puts(out, "ARRAY[");
	for (i = 0; i < f->size && f->offset + (uint64_t)i < raw.size; i++)
		pipa_buf_printf(out, "%s%02x", i ? ", " : "", raw.data[f->offset + i]);
	pipa_buf_putc(out, ']');
}

static void put_value(const struct pipa_tracing *t, const struct pipa_trace_field *f,
		      struct pipa_span raw, struct pipa_buf *out)
{
	uint64_t value = pipa_trace_number(t, f, raw);
	struct pipa_span text;

	if (pipa_trace_is_text(f)) {
		text = pipa_trace_bytes(t, f, raw);
		pipa_buf_add(out, text.data, text.size);
	} else if (f->kind == PIPA_TRACE_ARRAY) {
		put_array(f, raw, out);
	} else if (f->is_pointer || (f->is_long && !(f->is_signed && f->size == 8))) {
		pipa_buf_printf(out, "0x%llx", (unsigned long long)value);
	} else if (f->is_signed) {
		pipa_buf_printf(out, "%lld", (long long)value);
	} else {
		pipa_buf_printf(out, "%llu", (unsigned long long)value);
	}
}

static void put_pairs(const struct pipa_tracing *t, const struct pipa_trace_event *event,
		      struct pipa_span raw, struct pipa_buf *out)
{
	uint32_t i;

	for (i = 0; i < event->n; i++) {
		const struct pipa_trace_field *f = &t->fields.items[event->first + i];

		if (f->is_common)
			continue;
		pipa_buf_putc(out, ' ');
		pipa_buf_add(out, f->name.data, f->name.size);
		pipa_buf_putc(out, '=');
		put_value(t, f, raw, out);
	}
}

/* ---- the event's own print format ----------------------------------------------------------------------- */

struct printing {
	const char *pos, *end; /* of the format */
	struct pipa_trace_expr args;
	struct pipa_buf *out;
};

/* One conversion, its flags and width. */
struct conversion {
	char what, fill;
	bool left, alternate, wide; /* wide: of a long or longer */
	unsigned int width;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool get_conversion(struct printing *p, struct conversion *c)
{
	*c = (struct conversion){ .fill = ' ' };
	for (; p->pos < p->end && strchr("0-#", *p->pos); p->pos++) {
		c->left |= *p->pos == '-';
		c->alternate |= *p->pos == '#';
		c->fill = *p->pos == '0' ? '0' : c->fill;
	}
	for (; p->pos < p->end && *p->pos >= '0' && *p->pos <= '9' && c->width < 100; p->pos++)
		c->width = c->width * 10 + (unsigned int)(*p->pos - '0');
	for (; p->pos < p->end && strchr("lLhzjt", *p->pos); p->pos++)
		c->wide |= *p->pos != 'h';
	c->what = p->pos < p->end ? *p->pos++ : '\0';
	if (c->what == 'p' && (p->pos == p->end || !is_letter(*p->pos))) {
		c->what = 'x'; /* a plain address; with a letter it would be a symbol or worse */
		c->wide = c->alternate = true;
	}
	return c->what && strchr("diuxXsc", c->what);
}

static void put_padded(const struct conversion *c, const char *text, size_t len,
		       struct pipa_buf *out)
{
	size_t room = len < c->width ? c->width - len : 0;

	if (c->fill == '0' && c->what != 's' && !c->left && len && *text == '-') {
		pipa_buf_putc(out, '-');
		text++;
		len--;
	}
	if (!c->left)
		pipa_buf_fill(out, c->what == 's' ? ' ' : c->fill, room);
	pipa_buf_add(out, text, len);
	if (c->left)
		pipa_buf_fill(out, ' ', room);
}

static void put_number(const struct conversion *c, uint64_t value, struct pipa_buf *out)
{
	static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
	bool negative = (c->what == 'd' || c->what == 'i') && (int64_t)value < 0;
	unsigned int base = c->what == 'x' || c->what == 'X' ? 16 : 10;
	char text[24];
	size_t at = sizeof(text);

	value = negative ? -value : value;
	do {
		text[--at] = (c->what == 'X' ? upper : lower)[value % base];
		value /= base;
	} while (value);
	if (negative)
		text[--at] = '-';
	if (c->alternate && base == 16) {
		text[--at] = c->what;
		text[--at] = '0';
	}
	put_padded(c, text + at, sizeof(text) - at, out);
}

/* The next argument by a conversion; false where the two do not go together. */
static bool put_converted(struct printing *p, const struct conversion *c)
{
	struct pipa_trace_value v;
	char letter;

	if (p->args.pos == p->args.end || *p->args.pos++ != ',' ||
	    !pipa_trace_expr_next(&p->args, &v) || (c->what == 's') != v.is_text)
		return false;
	if (c->what == 's') {
		put_padded(c, v.text.size ? (const char *)v.text.data : "", v.text.size, p->out);
		return true;
	}
	if (c->what == 'c') {
		letter = (char)v.number;
		put_padded(c, &letter, 1, p->out);
		return true;
	}
	if (!c->wide) /* as it would have been passed: 32 bits */
		v.number = c->what == 'd' || c->what == 'i' ? (uint64_t)(int32_t)v.number :
							      (uint32_t)v.number;
	put_number(c, v.number, p->out);
	return true;
}

static bool put_format(struct printing *p)
{
	struct conversion c;

	while (p->pos < p->end) {
		char letter = *p->pos++;

		if (letter == '\\')
			return false;
		if (letter != '%') {
			pipa_buf_putc(p->out, letter);
		} else if (p->pos < p->end && *p->pos == '%') {
			pipa_buf_putc(p->out, *p->pos++);
		} else if (!get_conversion(p, &c) || !put_converted(p, &c)) {
			return false;
		}
	}
	return p->args.pos == p->args.end;
}

void pipa_trace_text(const struct pipa_tracing *t, const struct pipa_trace_event *event,
		     struct pipa_span raw, struct pipa_buf *out)
{
	const char *print = (const char *)event->print.data;
	const char *quote = event->print.size > 1 && *print == '"' ?
				    memchr(print + 1, '"', event->print.size - 1) :
				    NULL;
	struct printing p = { .args = { .tracing = t, .event = event, .raw = raw }, .out = out };
	size_t before = out->len;

	if (quote) {
		p.pos = print + 1;
		p.end = quote;
		p.args.pos = quote + 1;
		p.args.end = print + event->print.size;
		if (put_format(&p))
			return;
	}
	if (!out->status)
		out->len = before; /* what the first try has written */
	put_pairs(t, event, raw, out);
}
