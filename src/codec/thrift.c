#include "codec/thrift.h"

#include <string.h>

#include "codec/varint.h"

static void put_header(struct pipa_thrift *t, int id, enum pipa_thrift_type type)
{
	int gap = id - t->last[t->depth];

	if (gap >= 1 && gap <= 15) {
		pipa_buf_putc(t->out, (char)(gap << 4 | type));
	} else {
		pipa_buf_putc(t->out, (char)type);
		pipa_varint_put(t->out, pipa_zigzag(id));
	}
	t->last[t->depth] = id;
}

void pipa_thrift_int(struct pipa_thrift *t, int id, enum pipa_thrift_type type, int64_t value)
{
	put_header(t, id, type);
	pipa_varint_put(t->out, pipa_zigzag(value));
}

void pipa_thrift_i8(struct pipa_thrift *t, int id, int8_t value)
{
	put_header(t, id, PIPA_THRIFT_I8);
	pipa_buf_putc(t->out, value);
}

void pipa_thrift_bool(struct pipa_thrift *t, int id, bool value)
{
	put_header(t, id, value ? PIPA_THRIFT_TRUE : PIPA_THRIFT_FALSE);
}

static void put_bytes(struct pipa_thrift *t, const void *bytes, size_t len)
{
	pipa_varint_put(t->out, len);
	pipa_buf_add(t->out, bytes, len);
}

void pipa_thrift_binary(struct pipa_thrift *t, int id, const void *bytes, size_t len)
{
	put_header(t, id, PIPA_THRIFT_BINARY);
	put_bytes(t, bytes, len);
}

void pipa_thrift_string(struct pipa_thrift *t, int id, const char *text)
{
	pipa_thrift_binary(t, id, text, strlen(text));
}

void pipa_thrift_begin(struct pipa_thrift *t, int id)
{
	put_header(t, id, PIPA_THRIFT_STRUCT);
	t->last[++t->depth] = 0;
}

void pipa_thrift_end(struct pipa_thrift *t)
{
	pipa_buf_putc(t->out, 0);
	if (t->depth)
		t->depth--;
}

void pipa_thrift_empty(struct pipa_thrift *t, int id)
{
	put_header(t, id, PIPA_THRIFT_STRUCT);
	pipa_buf_putc(t->out, 0);
}

void pipa_thrift_list(struct pipa_thrift *t, int id, enum pipa_thrift_type type, size_t n)
{
	put_header(t, id, PIPA_THRIFT_LIST);
	if (n < 15) {
		pipa_buf_putc(t->out, (char)(n << 4 | type));
	} else {
		pipa_buf_putc(t->out, (char)(0xf0 | type));
		pipa_varint_put(t->out, n);
	}
}

void pipa_thrift_element_int(struct pipa_thrift *t, int64_t value)
{
	pipa_varint_put(t->out, pipa_zigzag(value));
}

void pipa_thrift_element_string(struct pipa_thrift *t, const char *text)
{
	put_bytes(t, text, strlen(text));
}

void pipa_thrift_element(struct pipa_thrift *t)
{
	t->last[++t->depth] = 0;
}
