#include "perf/tracing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/cursor.h"
#include "base/vec.h"

void pipa_tracing_done(struct pipa_tracing *t)
{
	free(t->events.items);
	free(t->fields.items);
	*t = (struct pipa_tracing){ 0 };
}

const struct pipa_trace_event *pipa_tracing_find(const struct pipa_tracing *t, uint32_t id)
{
	size_t i;

	for (i = 0; i < t->events.n; i++)
		if (t->events.items[i].id == id)
			return &t->events.items[i];
	return NULL;
}

/* ---- a format file ------------------------------------------------------------------------------------ */

static bool starts(struct pipa_span s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.size >= len && memcmp(s.data, prefix, len) == 0;
}

static bool contains(struct pipa_span s, const char *piece)
{
	return s.size && memmem(s.data, s.size, piece, strlen(piece)) != NULL;
}

static struct pipa_span behind(struct pipa_span s, size_t n)
{
	return n < s.size ? (struct pipa_span){ s.data + n, s.size - n } : (struct pipa_span){ 0 };
}

static struct pipa_span trim(struct pipa_span s)
{
	while (s.size && (*s.data == ' ' || *s.data == '\t'))
		s = behind(s, 1);
	while (s.size && (s.data[s.size - 1] == ' ' || s.data[s.size - 1] == '\t'))
		s.size--;
	return s;
}

/* Up to the mark, which is passed over with it; all of it without one. */
static struct pipa_span cut(struct pipa_span *rest, char mark)
{
	const uint8_t *end = rest->size ? memchr(rest->data, mark, rest->size) : NULL;
	struct pipa_span piece = { rest->data, end ? (size_t)(end - rest->data) : rest->size };

	*rest = end ? behind(*rest, piece.size + 1) : (struct pipa_span){ 0 };
	return piece;
}

/* At most 9 digits; more, or none, are no number of such a file. */
static bool get_number(struct pipa_span s, uint32_t *ret)
{
	size_t i;

	s = trim(s);
	*ret = 0;
	for (i = 0; i < s.size && i < 10; i++) {
		if (s.data[i] < '0' || s.data[i] > '9')
			return false;
		*ret = *ret * 10 + (s.data[i] - '0');
	}
	return s.size && s.size < 10;
}

/* "__data_loc char[] filename", "const char * name", "char comm[16]", "unsigned long args[6]" */
static void get_declaration(struct pipa_span text, struct pipa_trace_field *field)
{
	struct pipa_span type = text = trim(text);
	bool array = contains(text, "[");

	if (text.size && text.data[text.size - 1] == ']') {
		struct pipa_span number = text;

		text = trim(cut(&number, '['));
		number.size -= number.size > 0; /* the bracket */
		if (!get_number(number, &field->count))
			field->count = 0;
	}
	field->name = text;
	if (!text.size)
		return; /* refused for its lack of a name */
	while (field->name.size && memrchr(field->name.data, ' ', field->name.size))
		field->name = behind(
			field->name,
			(size_t)((const uint8_t *)memrchr(field->name.data, ' ', field->name.size) -
				 field->name.data) +
				1);
	type.size -= (size_t)(type.data + type.size - field->name.data);
	field->is_pointer = contains(type, "*");
	field->is_long = contains(type, "long");
	field->is_common = starts(field->name, "common_");
	if (array && contains(type, "char"))
		field->kind = contains(type, "__data_loc") ? PIPA_TRACE_TEXT_AT :
			      contains(type, "__rel_loc")  ? PIPA_TRACE_TEXT_REL :
							     PIPA_TRACE_TEXT;
	else
		field->kind = array ? PIPA_TRACE_ARRAY : PIPA_TRACE_NUMBER;
}

/* "field:TYPE NAME;\toffset:0;\tsize:2;\tsigned:0;" */
static int add_field(struct pipa_span line, struct pipa_tracing *t)
{
	struct pipa_trace_field field = { 0 }, *slot;
	struct pipa_span declaration = cut(&line, ';'), piece;
	uint32_t is_signed = 0;

	get_declaration(behind(declaration, strlen("field:")), &field);
	while (line.size) {
		piece = trim(cut(&line, ';'));
		if (starts(piece, "offset:") && !get_number(behind(piece, 7), &field.offset))
			return -EBADMSG;
		if (starts(piece, "size:") && !get_number(behind(piece, 5), &field.size))
			return -EBADMSG;
		if (starts(piece, "signed:") && !get_number(behind(piece, 7), &is_signed))
			return -EBADMSG;
	}
	field.is_signed = is_signed;
	if (!field.name.size || (field.kind == PIPA_TRACE_NUMBER && field.size > 8))
		return -EBADMSG;
	slot = PIPA_VEC_ADD(&t->fields);
	if (!slot)
		return -ENOMEM;
	*slot = field;
	return 0;
}

int pipa_trace_format_decode(struct pipa_span text, struct pipa_tracing *t)
{
	struct pipa_trace_event event = { .first = (uint32_t)t->fields.n }, *slot;
	bool has_id = false;
	int rc = 0;

	while (!rc && text.size) {
		struct pipa_span line = trim(cut(&text, '\n'));

		if (starts(line, "ID:"))
			has_id = get_number(behind(line, 3), &event.id);
		else if (starts(line, "field:"))
			rc = add_field(line, t);
		else if (starts(line, "print fmt:"))
			event.print = trim(behind(line, 10));
	}
	if (!rc && !has_id)
		rc = -EBADMSG;
	slot = rc ? NULL : PIPA_VEC_ADD(&t->events);
	if (!slot) {
		t->fields.n = event.first;
		return rc ? rc : -ENOMEM;
	}
	event.n = (uint32_t)t->fields.n - event.first;
	*slot = event;
	return 0;
}

/* ---- all of them -------------------------------------------------------------------------------------- */

static struct pipa_span get_sized(struct pipa_cursor *c)
{
	uint64_t size = pipa_get_u64(c);
	const uint8_t *bytes = size <= pipa_cursor_left(c) ? pipa_get_bytes(c, (size_t)size) : NULL;

	if (!bytes)
		c->status = -EBADMSG;
	return bytes ? (struct pipa_span){ bytes, (size_t)size } : (struct pipa_span){ 0 };
}

/* As many as a number before them says; one that is malformed is left out. */
static int get_formats(struct pipa_cursor *c, struct pipa_tracing *t)
{
	uint32_t n = pipa_get_u32(c);
	int rc = 0;

	for (; rc != -ENOMEM && !c->status && n; n--) {
		struct pipa_span text = get_sized(c);

		rc = text.size ? pipa_trace_format_decode(text, t) : 0;
	}
	return rc == -ENOMEM ? rc : 0;
}

static bool get_magic(struct pipa_cursor *c, bool *big)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const uint16_t one = 1;
	const uint8_t *bytes = pipa_get_bytes(c, sizeof(magic));

	if (!bytes || memcmp(bytes, magic, sizeof(magic)) != 0)
		return false;
	pipa_get_str(c); /* version */
	*big = pipa_get_u8(c);
	c->swapped = *big == (*(const uint8_t *)&one == 1);
	pipa_skip(c, 1 + 4); /* size of a long, of a page */
	return true;
}

int pipa_tracing_decode(struct pipa_span bytes, struct pipa_tracing *ret)
{
	struct pipa_cursor c = pipa_span_cursor(bytes, false);
	struct pipa_tracing t = { 0 };
	uint32_t n;
	int rc;

	if (!get_magic(&c, &t.big))
		return -EBADMSG;
	pipa_get_str(&c); /* "header_page" */
	get_sized(&c);
	pipa_get_str(&c); /* "header_event" */
	get_sized(&c);
	rc = get_formats(&c, &t);
	for (n = pipa_get_u32(&c); !rc && !c.status && n; n--) {
		pipa_get_str(&c); /* the system: numbers are enough */
		rc = get_formats(&c, &t);
	}
	if (rc < 0)
		pipa_tracing_done(&t);
	else
		*ret = t;
	return rc;
}
