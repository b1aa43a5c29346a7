/* Convert encoded messages to JSON: all bytes at once, or in pieces. */
#include "codec/proto_json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/leb.h"
#include "base/utf8.h"
#include "codec/base64.h"

enum {
	MAX_DEPTH = 64,
	WINDOW = 64 << 10,
	FIELD_MAX = 64 << 20, /* bytes of a string or a packed list that come in pieces */
};

/* Text on its way to put(). */
struct output {
	struct pipa_buf window;
	int status; /* 0 or the first failure */
	int (*put)(void *ctx, const char *text, size_t len);
	void *ctx;
	struct pipa_proto_error *err;
	const uint8_t *start; /* of the bytes that offsets count from */
	uint64_t offset;      /* of `start` in the outermost message */
};

static void set_failure(struct output *o, int status)
{
	if (!o->status)
		o->status = status;
}

static void fail_at(struct output *o, const struct pipa_proto_message *message,
		    const struct pipa_proto_field *field, const uint8_t *at, const char *what)
{
	if (o->status)
		return;
	*o->err = (struct pipa_proto_error){ .offset = o->offset + (uint64_t)(at - o->start),
					     .what = what,
					     .message = message,
					     .field = field };
	o->status = -EBADMSG;
}

static void flush_window(struct output *o)
{
	set_failure(o, o->window.status);
	if (!o->status && o->window.len)
		set_failure(o, o->put(o->ctx, o->window.data, o->window.len));
	pipa_buf_reset(&o->window);
}

/* ---- values ------------------------------------------------------------------------------------ */

/* Return the length of the UTF-8 character at `at`, 0 if it is invalid or exceeds `left` bytes. */
static size_t character_length(const uint8_t *at, size_t left)
{
	unsigned char padded[8] = { 0 };
	size_t len;

	if (left >= 4)
		return pipa_utf8_len(at);
	memcpy(padded, at, left);
	len = pipa_utf8_len(padded);
	return len <= left ? len : 0;
}

static void put_escaped(struct pipa_buf *out, uint8_t c)
{
	static const char letters[] = "btn\0fr"; /* from 8 to 13 */

	if (c == '"' || c == '\\')
		pipa_buf_printf(out, "\\%c", c);
	else if (c >= '\b' && c <= '\r' && letters[c - '\b'])
		pipa_buf_printf(out, "\\%c", letters[c - '\b']);
	else
		pipa_buf_printf(out, "\\u%04x", c);
}

static void put_string(struct output *o, struct pipa_span text)
{
	size_t i = 0, from = 0, len;

	pipa_buf_putc(&o->window, '"');
	while (i < text.size) {
		uint8_t c = text.data[i];

		if (c >= ' ' && c < 0x80 && c != '"' && c != '\\') {
			i++;
			continue;
		}
		len = c < 0x80 ? 0 : character_length(text.data + i, text.size - i);
		if (len) {
			i += len;
			continue;
		}
		pipa_buf_add(&o->window, text.data + from, i - from);
		if (c < 0x80)
			put_escaped(&o->window, c);
		else
			pipa_buf_puts(&o->window, "\xef\xbf\xbd");
		from = ++i;
		if (o->window.len >= WINDOW)
			flush_window(o);
	}
	if (text.size > from)
		pipa_buf_add(&o->window, text.data + from, text.size - from);
	pipa_buf_putc(&o->window, '"');
}

static void put_hex(struct pipa_buf *out, struct pipa_span bytes)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < bytes.size; i++) {
		pipa_buf_putc(out, digits[bytes.data[i] >> 4]);
		pipa_buf_putc(out, digits[bytes.data[i] & 15]);
	}
}

static void put_double(struct pipa_buf *out, uint64_t bits)
{
	char text[40];
	double value;
	int digits;

	memcpy(&value, &bits, sizeof(value));
	if (isnan(value) || isinf(value)) {
		pipa_buf_puts(out, isnan(value) ? "\"NaN\"" :
				   value > 0	? "\"Infinity\"" :
						  "\"-Infinity\"");
		return;
	}
	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	pipa_buf_puts(out, text);
}

static void put_number(struct output *o, const struct pipa_proto_field *field, uint64_t value)
{
	struct pipa_buf *out = &o->window;

	switch (field->type) {
	case PIPA_PROTO_BOOL: pipa_buf_puts(out, value ? "true" : "false"); return;
	case PIPA_PROTO_UINT32: pipa_buf_put_u64(out, (uint32_t)value); return;
	case PIPA_PROTO_INT32: pipa_buf_put_i64(out, (int32_t)(uint32_t)value); return;
	case PIPA_PROTO_DOUBLE: put_double(out, value); return;
	default: break;
	}
	pipa_buf_putc(out, '"');
	if (field->type == PIPA_PROTO_INT64)
		pipa_buf_put_i64(out, (int64_t)value);
	else
		pipa_buf_put_u64(out, value);
	pipa_buf_putc(out, '"');
}

/* Write the key in lowerCamelCase, with a comma unless it is the first one. */
static void put_key(struct output *o, const struct pipa_proto_field *field, bool first)
{
	const char *c;
	bool capital = false;

	if (o->window.len >= WINDOW)
		flush_window(o);
	if (!first)
		pipa_buf_putc(&o->window, ',');
	pipa_buf_putc(&o->window, '"');
	for (c = field->name; *c; c++) {
		if (*c != '_')
			pipa_buf_putc(&o->window,
				      capital && *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c);
		capital = *c == '_';
	}
	pipa_buf_puts(&o->window, "\":");
}

/* ---- fields ------------------------------------------------------------------------------------ */

static bool is_message(const struct pipa_proto_field *field)
{
	return field->message &&
	       (field->type == PIPA_PROTO_MESSAGE || field->type == PIPA_PROTO_RAW);
}

static bool is_packed(const struct pipa_proto_field *field, uint32_t wire)
{
	return field->repeated && wire == PIPA_WIRE_BYTES &&
	       pipa_proto_wire_of(field->type) != PIPA_WIRE_BYTES;
}

static void put_message(struct output *o, const struct pipa_proto_message *message,
			struct pipa_span bytes, unsigned int depth);

/* Write one value, not a packed list. */
static void put_value(struct output *o, const struct pipa_proto_field *field,
		      const struct pipa_proto_item *item, unsigned int depth)
{
	if (is_message(field)) {
		put_message(o, field->message, item->bytes, depth + 1);
		return;
	}
	switch (field->type) {
	case PIPA_PROTO_STRING: put_string(o, item->bytes); return;
	case PIPA_PROTO_ID:
	case PIPA_PROTO_BYTES:
	case PIPA_PROTO_RAW:
		pipa_buf_putc(&o->window, '"');
		if (field->type == PIPA_PROTO_ID)
			put_hex(&o->window, item->bytes);
		else
			pipa_base64_put(&o->window, item->bytes.data, item->bytes.size);
		pipa_buf_putc(&o->window, '"');
		return;
	default: put_number(o, field, item->value);
	}
}

/* Write the elements of an item of a repeated field. `*first` if the array is still empty. */
static void put_elements(struct output *o, const struct pipa_proto_message *message,
			 const struct pipa_proto_field *field, const struct pipa_proto_item *item,
			 bool *first, unsigned int depth)
{
	struct pipa_cursor in;

	if (!is_packed(field, item->wire)) {
		if (!*first)
			pipa_buf_putc(&o->window, ',');
		*first = false;
		put_value(o, field, item, depth);
		return;
	}
	in = pipa_span_cursor(item->bytes, false);
	while (in.pos < in.end && !o->status) {
		const uint8_t *at = in.pos;
		uint64_t value = pipa_proto_wire_of(field->type) == PIPA_WIRE_FIXED64 ?
					 pipa_get_u64(&in) :
					 pipa_get_uleb(&in);

		if (in.status) {
			fail_at(o, message, field, at, "malformed varint in repeated values");
			return;
		}
		if (!*first)
			pipa_buf_putc(&o->window, ',');
		*first = false;
		put_number(o, field, value);
		if (o->window.len >= WINDOW)
			flush_window(o);
	}
}

/* Is it a default value, which is left out? Fields of a oneof have none. */
static bool is_default(const struct pipa_proto_field *field, const struct pipa_proto_item *item)
{
	if (field->oneof || is_message(field))
		return false;
	if (item->wire == PIPA_WIRE_BYTES)
		return item->bytes.size == 0;
	if (field->type == PIPA_PROTO_UINT32 || field->type == PIPA_PROTO_INT32)
		return (uint32_t)item->value == 0;
	return item->value == 0;
}

/* Read the next field that is in the table; false at the end or after a failure. */
static bool next_known(struct output *o, const struct pipa_proto_message *message,
		       struct pipa_cursor *in, struct pipa_proto_item *item,
		       const struct pipa_proto_field **ret_field)
{
	struct pipa_proto_error why = { 0 };

	while (!o->status) {
		const uint8_t *at = in->pos;
		int rc = pipa_proto_next(in, item, &why);

		if (rc < 0)
			fail_at(o, message, NULL, at, why.what);
		if (rc <= 0)
			return false;
		*ret_field = pipa_proto_find(message, item->number);
		if (!*ret_field)
			continue;
		if (item->wire == pipa_proto_wire_of((*ret_field)->type) ||
		    is_packed(*ret_field, item->wire))
			return true;
		fail_at(o, message, *ret_field, at, "wrong wire type");
	}
	return false;
}

/* Write an array of all elements from `item` to the end of the message; nothing if there are none. */
static void put_array(struct output *o, const struct pipa_proto_message *message,
		      const struct pipa_proto_field *field, struct pipa_proto_item item,
		      struct pipa_cursor rest, bool *first, unsigned int depth)
{
	const struct pipa_proto_field *other = field;
	bool empty = true, opened = false;

	do {
		if (other != field || (is_packed(field, item.wire) && !item.bytes.size))
			continue;
		if (!opened) {
			put_key(o, field, *first);
			pipa_buf_putc(&o->window, '[');
			*first = false;
			opened = true;
		}
		put_elements(o, message, field, &item, &empty, depth);
		if (o->window.len >= WINDOW)
			flush_window(o);
	} while (next_known(o, message, &rest, &item, &other));
	if (opened)
		pipa_buf_putc(&o->window, ']');
}

/* Write the last value of a field from `item` to the end of the message. */
static void put_last(struct output *o, const struct pipa_proto_message *message,
		     const struct pipa_proto_field *field, struct pipa_proto_item item,
		     struct pipa_cursor rest, bool *first, unsigned int depth)
{
	const struct pipa_proto_field *other;
	struct pipa_proto_item next = item;

	while (next_known(o, message, &rest, &next, &other)) {
		if (field->oneof && other->oneof)
			return; /* the later one replaces it */
		if (other == field)
			item = next;
	}
	if (o->status || is_default(field, &item))
		return;
	put_key(o, field, *first);
	*first = false;
	put_value(o, field, &item, depth);
}

static void put_message(struct output *o, const struct pipa_proto_message *message,
			struct pipa_span bytes, unsigned int depth)
{
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	const struct pipa_proto_field *field;
	struct pipa_proto_item item = { 0 };
	uint32_t done = 0;
	bool first = true;

	if (depth > MAX_DEPTH) {
		set_failure(o, -E2BIG);
		return;
	}
	pipa_buf_putc(&o->window, '{');
	while (next_known(o, message, &in, &item, &field)) {
		uint32_t bit = (uint32_t)1 << (field - message->fields);

		if (!field->repeated && (field->oneof || !(done & bit)))
			put_last(o, message, field, item, in, &first, depth);
		else if (!(done & bit))
			put_array(o, message, field, item, in, &first, depth);
		done |= bit;
	}
	pipa_buf_putc(&o->window, '}');
}

int pipa_proto_json_write(const struct pipa_proto_message *message, struct pipa_span bytes,
			  int (*put)(void *ctx, const char *text, size_t len), void *ctx,
			  struct pipa_proto_error *err)
{
	struct output o = { .put = put, .ctx = ctx, .err = err, .start = bytes.data };

	*err = (struct pipa_proto_error){ 0 };
	put_message(&o, message, bytes, 0);
	flush_window(&o);
	pipa_buf_done(&o.window);
	return o.status;
}

/* ---- bytes in pieces --------------------------------------------------------------------------- */

/* A message that has begun and whose end has not come yet. */
struct level {
	const struct pipa_proto_message *message;
	uint64_t end; /* offset in the outermost message */
	uint32_t done;
	const struct pipa_proto_field *array; /* that is open */
	bool first, empty;		      /* no field, no element so far */
};

struct pipa_proto_json {
	struct output o;
	struct pipa_proto_error err;
	struct level levels[MAX_DEPTH + 1];
	unsigned int depth;
	uint64_t offset;      /* of the bytes that are not written yet */
	struct pipa_buf kept; /* the start of a field whose end has not come yet */
};

struct pipa_proto_json *pipa_proto_json_new(const struct pipa_proto_message *message,
					    int (*put)(void *ctx, const char *text, size_t len),
					    void *ctx)
{
	struct pipa_proto_json *json = calloc(1, sizeof(*json));

	if (!json)
		return NULL;
	json->o = (struct output){ .put = put, .ctx = ctx, .err = &json->err };
	json->kept.max = FIELD_MAX;
	json->levels[0] = (struct level){ .message = message, .end = UINT64_MAX, .first = true };
	pipa_buf_putc(&json->o.window, '{');
	return json;
}

void pipa_proto_json_free(struct pipa_proto_json *json)
{
	if (!json)
		return;
	pipa_buf_done(&json->o.window);
	pipa_buf_done(&json->kept);
	free(json);
}

static void close_array(struct pipa_proto_json *json, struct level *level)
{
	if (level->array)
		pipa_buf_putc(&json->o.window, ']');
	level->array = NULL;
}

/* End the messages whose last byte has been written. */
static void close_levels(struct pipa_proto_json *json)
{
	while (json->depth && json->levels[json->depth].end == json->offset) {
		close_array(json, &json->levels[json->depth--]);
		pipa_buf_putc(&json->o.window, '}');
	}
}

/* Write the key of a field and the bracket of an array, if they are due. Returns false if it failed. */
static bool open_field(struct pipa_proto_json *json, struct level *level,
		       const struct pipa_proto_field *field, const uint8_t *at)
{
	uint32_t bit = (uint32_t)1 << (field - level->message->fields);

	if (field->repeated && level->array == field)
		return true;
	close_array(json, level);
	if (level->done & bit) {
		fail_at(&json->o, level->message, field, at,
			"field occurs again after other fields of a large message");
		return false;
	}
	level->done |= bit;
	put_key(&json->o, field, level->first);
	level->first = false;
	if (field->repeated) {
		pipa_buf_putc(&json->o.window, '[');
		level->array = field;
		level->empty = true;
	}
	return true;
}

/* Begin a large message whose bytes come later; `len` of them after the tag and the length. */
static void open_message(struct pipa_proto_json *json, const struct pipa_proto_field *field,
			 uint64_t len, const uint8_t *at)
{
	struct level *level = &json->levels[json->depth];

	if (!open_field(json, level, field, at))
		return;
	if (field->repeated && !level->empty)
		pipa_buf_putc(&json->o.window, ',');
	level->empty = false;
	if (json->depth == MAX_DEPTH) {
		set_failure(&json->o, -E2BIG);
		return;
	}
	pipa_buf_putc(&json->o.window, '{');
	json->levels[++json->depth] = (struct level){ .message = field->message,
						      .end = json->offset + len,
						      .first = true };
}

/* Write a field that is complete. */
static void put_field(struct pipa_proto_json *json, const struct pipa_proto_field *field,
		      const struct pipa_proto_item *item, const uint8_t *at)
{
	struct level *level = &json->levels[json->depth];

	if (item->wire != pipa_proto_wire_of(field->type) && !is_packed(field, item->wire)) {
		fail_at(&json->o, level->message, field, at, "wrong wire type");
		return;
	}
	if (field->repeated ? is_packed(field, item->wire) && !item->bytes.size :
			      is_default(field, item))
		return;
	if (!open_field(json, level, field, at))
		return;
	if (field->repeated)
		put_elements(&json->o, level->message, field, item, &level->empty, json->depth);
	else
		put_value(&json->o, field, item, json->depth);
	if (json->o.window.len >= WINDOW)
		flush_window(&json->o);
}

/*
 * Write the next field if it is complete in `in`, or begin it if it is a large message. Returns false if more
 * bytes are needed.
 */
static bool take_field(struct pipa_proto_json *json, struct pipa_cursor *in)
{
	struct level *level = &json->levels[json->depth];
	const uint64_t left = level->end - json->offset;
	const uint8_t *at = in->pos;
	struct pipa_cursor own = *in;
	const struct pipa_proto_field *field;
	struct pipa_proto_item item = { 0 };
	struct pipa_proto_error why = { 0 };
	uint64_t tag, len, need = 2 * (uint64_t)PIPA_VARINT_MAX;

	if (left < pipa_cursor_left(in))
		own.end = at + left;
	if (pipa_proto_next(&own, &item, &why) > 0) {
		field = pipa_proto_find(level->message, item.number);
		if (field)
			put_field(json, field, &item, at);
		json->offset += (uint64_t)(own.pos - at);
		in->pos = own.pos;
		return true;
	}
	own = (struct pipa_cursor){ at, own.end, false, 0 };
	tag = pipa_get_uleb(&own);
	len = pipa_get_uleb(&own);
	field = NULL;
	if (!own.status && (tag & 7) == PIPA_WIRE_BYTES) {
		need = (uint64_t)(own.pos - at) + (len < FIELD_MAX ? len : FIELD_MAX);
		if (tag >> 3 <= 0x1fffffff)
			field = pipa_proto_find(level->message, (uint32_t)(tag >> 3));
		if (len > left - (uint64_t)(own.pos - at))
			need = 0;
	}
	if (need <= pipa_cursor_left(in) || left <= pipa_cursor_left(in)) {
		fail_at(&json->o, level->message, field, at, why.what);
		return true;
	}
	if (!field || !is_message(field) || len <= WINDOW)
		return false;
	json->offset += (uint64_t)(own.pos - at);
	in->pos = own.pos;
	open_message(json, field, len, at);
	return true;
}

int pipa_proto_json_put(struct pipa_proto_json *json, const char *bytes, size_t len)
{
	struct pipa_span span = { (const uint8_t *)bytes, len };
	struct pipa_cursor in;

	if (json->kept.len) {
		pipa_buf_add(&json->kept, bytes, len);
		set_failure(&json->o, json->kept.status);
		span = (struct pipa_span){ (const uint8_t *)json->kept.data, json->kept.len };
	}
	in = pipa_span_cursor(span, false);
	json->o.start = in.pos;
	json->o.offset = json->offset;
	while (!json->o.status && in.pos < in.end) {
		close_levels(json);
		if (!take_field(json, &in))
			break;
	}
	close_levels(json);
	span = (struct pipa_span){ in.pos, pipa_cursor_left(&in) };
	if (json->kept.len) {
		memmove(json->kept.data, span.data, span.size);
		json->kept.len = span.size;
	} else if (span.size) {
		pipa_buf_add(&json->kept, span.data, span.size);
	}
	set_failure(&json->o, json->kept.status);
	return json->o.status;
}

int pipa_proto_json_end(struct pipa_proto_json *json)
{
	close_levels(json);
	if (!json->o.status && (json->depth || json->kept.len)) {
		json->err = (struct pipa_proto_error){ .offset = json->offset,
						       .what = "truncated message" };
		set_failure(&json->o, -EBADMSG);
	}
	close_array(json, &json->levels[0]);
	pipa_buf_putc(&json->o.window, '}');
	flush_window(&json->o);
	return json->o.status;
}
