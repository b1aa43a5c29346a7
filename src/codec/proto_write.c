#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "codec/proto.h"
#include "codec/varint.h"

enum { WINDOW = PIPA_PROTO_WINDOW, WINDOW_MAX = 64 << 20 };

void pipa_proto_writer_init(struct pipa_proto_writer *w,
			    int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	*w = (struct pipa_proto_writer){ .put = put, .ctx = ctx };
}

void pipa_proto_writer_done(struct pipa_proto_writer *w)
{
	free(w->window);
	free(w->lengths.items);
	free(w->opened.items);
	*w = (struct pipa_proto_writer){ 0 };
}

static void set_failure(struct pipa_proto_writer *w, int status)
{
	if (!w->status)
		w->status = status;
	w->len = w->cap = 0; /* every later call comes to pipa_proto_grow() and ends there */
}

/* Pass the window on. The bytes of messages that are not complete have to stay. */
static void empty_window(struct pipa_proto_writer *w)
{
	int rc = w->measuring || !w->len ? 0 : w->put(w->ctx, (char *)w->window, w->len);

	w->total += w->len;
	w->len = 0;
	if (rc < 0)
		set_failure(w, rc);
}

uint8_t *pipa_proto_grow(struct pipa_proto_writer *w, size_t n)
{
	size_t cap = w->cap ? w->cap : WINDOW;
	uint8_t *window;

	if (!w->status && !w->small)
		empty_window(w);
	if (w->status)
		return NULL;
	while (cap - w->len < n && cap < WINDOW_MAX)
		cap *= 2;
	if (cap - w->len < n) {
		set_failure(w, -E2BIG);
		return NULL;
	}
	if (cap > w->cap) {
		window = realloc(w->window, cap);
		if (!window) {
			set_failure(w, -ENOMEM);
			return NULL;
		}
		w->window = window;
		w->cap = cap;
	}
	return w->window + w->len;
}

int pipa_proto_flush(struct pipa_proto_writer *w)
{
	if (!w->status)
		empty_window(w);
	return w->status;
}

void pipa_proto_put_fixed64(struct pipa_proto_writer *w, uint32_t number, uint64_t value,
			    bool always)
{
	uint8_t *to = value || always ? pipa_proto_room(w, PIPA_TAG_MAX + 8) : NULL;

	if (!to)
		return;
	to = pipa_proto_encode_tag(to, number, PIPA_WIRE_FIXED64);
	pipa_le_put(to, value, 8);
	w->len = (size_t)(to + 8 - w->window);
}

void pipa_proto_put_bytes(struct pipa_proto_writer *w, uint32_t number, const void *bytes,
			  size_t len)
{
	uint8_t *to = pipa_proto_room(w, PIPA_TAG_MAX + PIPA_VARINT_MAX);
	size_t piece;

	if (!to)
		return;
	to = pipa_proto_encode_tag(to, number, PIPA_WIRE_BYTES);
	to = pipa_proto_encode_varint(to, len);
	w->len = (size_t)(to - w->window);
	for (; len; bytes = (const char *)bytes + piece, len -= piece) {
		piece = w->small || len < WINDOW ? len : WINDOW;
		to = pipa_proto_room(w, piece);
		if (!to)
			return;
		memcpy(to, bytes, piece);
		w->len += piece;
	}
}

void pipa_proto_put_packed(struct pipa_proto_writer *w, uint32_t number, const uint64_t *values,
			   size_t n)
{
	size_t start, i;

	if (!n)
		return;
	start = pipa_proto_begin(w, number);
	for (i = 0; i < n; i++) {
		uint8_t *to = pipa_proto_room(w, PIPA_VARINT_MAX);

		if (!to)
			break;
		w->len = (size_t)(pipa_proto_encode_varint(to, values[i]) - w->window);
	}
	pipa_proto_end(w, start);
}

void pipa_proto_end_long(struct pipa_proto_writer *w, size_t start)
{
	size_t len = w->len - start;
	uint8_t bytes[PIPA_VARINT_MAX];
	size_t more = (size_t)(pipa_proto_encode_varint(bytes, len) - bytes) - 1;

	w->small++; /* the window has to keep the message while it grows */
	if (pipa_proto_room(w, more)) {
		memmove(w->window + start + more, w->window + start, len);
		memcpy(w->window + start - 1, bytes, more + 1);
		w->len += more;
	}
	w->small--;
}

/* ---- messages from structs --------------------------------------------------------------------- */

static uint64_t load_number(const struct pipa_proto_field *field, const void *from)
{
	switch (field->type) {
	case PIPA_PROTO_UINT32: return *(const uint32_t *)from;
	case PIPA_PROTO_INT32: return (uint64_t)(int64_t) * (const int32_t *)from;
	case PIPA_PROTO_BOOL: return *(const bool *)from;
	default: return *(const uint64_t *)from;
	}
}

static size_t size_of_number(const struct pipa_proto_field *field)
{
	return field->type == PIPA_PROTO_BOOL					   ? sizeof(bool) :
	       field->type == PIPA_PROTO_UINT32 || field->type == PIPA_PROTO_INT32 ? 4 :
										     8;
}

static bool is_fixed(const struct pipa_proto_field *field)
{
	return field->type == PIPA_PROTO_FIXED64 || field->type == PIPA_PROTO_DOUBLE;
}

static void put_inner(struct pipa_proto_writer *w, const struct pipa_proto_field *field,
		      const void *from)
{
	size_t start = pipa_proto_begin(w, field->number);

	pipa_proto_put_message(w, field->message, from);
	pipa_proto_end(w, start);
}

/* Any repeated field as the struct has it. */
struct list {
	const char *items;
	size_t n;
};

static void put_list(struct pipa_proto_writer *w, const struct pipa_proto_field *field,
		     const struct list *list)
{
	const struct pipa_span *spans = (const void *)list->items;
	size_t i, start;

	switch (field->type) {
	case PIPA_PROTO_MESSAGE:
		for (i = 0; i < list->n; i++)
			put_inner(w, field, list->items + i * field->message->size);
		return;
	case PIPA_PROTO_STRING:
	case PIPA_PROTO_BYTES:
	case PIPA_PROTO_ID:
	case PIPA_PROTO_RAW:
		for (i = 0; i < list->n; i++)
			pipa_proto_put_bytes(w, field->number, spans[i].data, spans[i].size);
		return;
	default: break;
	}
	if (!list->n)
		return;
	start = pipa_proto_begin(w, field->number);
	for (i = 0; i < list->n; i++) {
		uint64_t value = load_number(field, list->items + i * size_of_number(field));
		uint8_t *to = pipa_proto_room(w, PIPA_VARINT_MAX);

		if (!to)
			break;
		if (is_fixed(field)) {
			pipa_le_put(to, value, 8);
			w->len += 8;
		} else {
			w->len = (size_t)(pipa_proto_encode_varint(to, value) - w->window);
		}
	}
	pipa_proto_end(w, start);
}

static void put_field(struct pipa_proto_writer *w, const struct pipa_proto_field *field,
		      const void *from, bool is_set)
{
	const struct pipa_span *span = from;

	switch (field->type) {
	case PIPA_PROTO_MESSAGE:
		if (*(void *const *)from)
			put_inner(w, field, *(void *const *)from);
		return;
	case PIPA_PROTO_STRING:
	case PIPA_PROTO_BYTES:
	case PIPA_PROTO_ID:
	case PIPA_PROTO_RAW:
		if (span->size || is_set || (field->optional && span->data))
			pipa_proto_put_bytes(w, field->number, span->data, span->size);
		return;
	case PIPA_PROTO_FIXED64:
	case PIPA_PROTO_DOUBLE:
		pipa_proto_put_fixed64(w, field->number, *(const uint64_t *)from, is_set);
		return;
	default:
		if (is_set)
			pipa_proto_put_always(w, field->number, load_number(field, from));
		else
			pipa_proto_put(w, field->number, load_number(field, from));
	}
}

void pipa_proto_put_message(struct pipa_proto_writer *w, const struct pipa_proto_message *message,
			    const void *from)
{
	uint32_t which = 0;
	uint16_t i;

	for (i = 0; i < message->n_fields; i++) {
		const struct pipa_proto_field *field = &message->fields[i];
		const char *at = (const char *)from + field->offset;

		if (field->oneof)
			memcpy(&which, (const char *)from + message->which, sizeof(which));
		if (field->repeated)
			put_list(w, field, (const void *)at);
		else if (!field->oneof || which == field->number)
			put_field(w, field, at, field->oneof);
	}
}

/* ---- large messages ---------------------------------------------------------------------------- */

void pipa_proto_measure(struct pipa_proto_writer *w)
{
	w->measuring = true;
	w->lengths.n = w->opened.n = 0;
}

void pipa_proto_write(struct pipa_proto_writer *w)
{
	pipa_proto_flush(w);
	w->measuring = false;
	w->total = 0;
	w->next_length = 0;
}

/* Start to measure a large message. */
static void open_measured(struct pipa_proto_writer *w, uint32_t number)
{
	uint64_t *length = PIPA_VEC_ADD(&w->lengths);
	struct pipa_proto_opened *opened = length ? PIPA_VEC_ADD(&w->opened) : NULL;

	if (!opened) {
		set_failure(w, -ENOMEM);
		return;
	}
	*opened = (struct pipa_proto_opened){ w->lengths.n - 1, w->total + w->len, number };
}

void pipa_proto_open(struct pipa_proto_writer *w, uint32_t number)
{
	uint8_t *to;

	if (w->status)
		return;
	if (w->measuring) {
		open_measured(w, number);
		return;
	}
	if (w->next_length ==
	    w->lengths.n) { /* the second round has more messages than the first */
		set_failure(w, -EINVAL);
		return;
	}
	to = pipa_proto_room(w, PIPA_TAG_MAX + PIPA_VARINT_MAX);
	if (!to)
		return;
	to = pipa_proto_encode_tag(to, number, PIPA_WIRE_BYTES);
	to = pipa_proto_encode_varint(to, w->lengths.items[w->next_length++]);
	w->len = (size_t)(to - w->window);
}

void pipa_proto_close(struct pipa_proto_writer *w)
{
	uint8_t head[PIPA_TAG_MAX + PIPA_VARINT_MAX], *end;
	struct pipa_proto_opened opened;
	uint64_t len;

	if (w->status || !w->measuring)
		return;
	opened = w->opened.items[--w->opened.n];
	len = w->total + w->len - opened.start;
	w->lengths.items[opened.length] = len;
	end = pipa_proto_encode_tag(head, opened.number, PIPA_WIRE_BYTES);
	end = pipa_proto_encode_varint(end, len);
	w->total += (uint64_t)(end -
			       head); /* the messages around it count its tag and length, too */
}
