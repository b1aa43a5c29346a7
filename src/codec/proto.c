#include "codec/proto.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "base/leb.h"

enum { MAX_DEPTH = 64, MAX_FIELDS = 32, FIRST_BLOCK = 64 << 10 };

const struct pipa_proto_field *pipa_proto_find(const struct pipa_proto_message *message,
					       uint32_t number)
{
	uint16_t i;

	/* most messages number their fields from 1 without gaps */
	if (number - 1 < message->n_fields && message->fields[number - 1].number == number)
		return &message->fields[number - 1];
	for (i = 0; i < message->n_fields; i++)
		if (message->fields[i].number == number)
			return &message->fields[i];
	return NULL;
}

/* ---- memory ------------------------------------------------------------------------------------ */

struct pipa_proto_block {
	struct pipa_proto_block *next;
	size_t size;
	max_align_t bytes[];
};

void pipa_proto_memory_done(struct pipa_proto_memory *memory)
{
	struct pipa_proto_block *block = memory->first, *next;

	for (; block; block = next) {
		next = block->next;
		free(block);
	}
	*memory = (struct pipa_proto_memory){ .max = memory->max };
}

void pipa_proto_reset(struct pipa_proto_memory *memory)
{
	struct pipa_proto_block *block = memory->first, *next;

	/* the blocks double in size, so the one in use is the largest */
	for (; block && block != memory->now; block = next) {
		next = block->next;
		free(block);
	}
	memory->first = block;
	memory->used = 0;
	memory->left = memory->max;
}

/* Allocate memory that is not cleared; NULL on allocation failure. */
static void *allocate(struct pipa_proto_memory *memory, size_t size)
{
	struct pipa_proto_block *block = memory->now;
	size_t take = (size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
	size_t room;
	void *ret;

	if (!block || block->size - memory->used < take) {
		room = block ? 2 * block->size : FIRST_BLOCK;
		if (room < take)
			room = take;
		block = pipa_large_alloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		*block = (struct pipa_proto_block){ .size = room };
		if (memory->now)
			memory->now->next = block;
		else
			memory->first = block;
		memory->now = block;
		memory->used = 0;
	}
	ret = (char *)block->bytes + memory->used;
	memory->used += take;
	return ret;
}

/* Return all but the first `size` bytes of the last allocation. */
static void give_back(struct pipa_proto_memory *memory, const void *last, size_t size)
{
	size_t take = (size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);

	memory->used = (size_t)((const char *)last - (const char *)memory->now->bytes) + take;
}

/* ---- reading ----------------------------------------------------------------------------------- */

struct decoder {
	struct pipa_proto_memory *memory;
	struct pipa_proto_error *err;
	const uint8_t *start; /* of the outermost message */
};

static int fail_at(struct pipa_proto_error *err, const char *what)
{
	err->what = what;
	return -EBADMSG;
}

/* As pipa_proto_next(), inlined into the loops of the decoder. */
static inline int read_item(struct pipa_cursor *in, struct pipa_proto_item *ret,
			    struct pipa_proto_error *err)
{
	uint64_t tag, len;

	if (in->pos == in->end)
		return 0;
	tag = pipa_get_uleb(in);
	if (in->status)
		return fail_at(err, "malformed varint in a field's tag");
	if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
		return fail_at(err, "field number out of range");
	ret->number = (uint32_t)(tag >> 3);
	ret->wire = tag & 7;
	switch (ret->wire) {
	case PIPA_WIRE_VARINT:
		ret->value = pipa_get_uleb(in);
		return in->status ? fail_at(err, "malformed varint") : 1;
	case PIPA_WIRE_BYTES:
		len = pipa_get_uleb(in);
		if (in->status)
			return fail_at(err, "malformed varint in a length");
		if (len > pipa_cursor_left(in))
			return fail_at(err, "length exceeds the message");
		ret->bytes = (struct pipa_span){ in->pos, (size_t)len };
		in->pos += len;
		return 1;
	case PIPA_WIRE_FIXED64:
	case PIPA_WIRE_FIXED32:
		len = ret->wire == PIPA_WIRE_FIXED64 ? 8 : 4;
		if (len > pipa_cursor_left(in))
			return fail_at(err, "fixed-size value exceeds the message");
		ret->value = 0;
		while (len--)
			ret->value = ret->value << 8 | in->pos[len];
		in->pos += ret->wire == PIPA_WIRE_FIXED64 ? 8 : 4;
		return 1;
	default: return fail_at(err, "unsupported wire type");
	}
}

int pipa_proto_next(struct pipa_cursor *in, struct pipa_proto_item *ret,
		    struct pipa_proto_error *err)
{
	return read_item(in, ret, err);
}

static size_t size_of(const struct pipa_proto_field *field)
{
	switch (field->type) {
	case PIPA_PROTO_UINT32:
	case PIPA_PROTO_INT32: return 4;
	case PIPA_PROTO_BOOL: return sizeof(bool);
	case PIPA_PROTO_MESSAGE: return field->message->size;
	case PIPA_PROTO_STRING:
	case PIPA_PROTO_BYTES:
	case PIPA_PROTO_ID:
	case PIPA_PROTO_RAW: return sizeof(struct pipa_span);
	default: return 8;
	}
}

static void store_number(const struct pipa_proto_field *field, void *to, uint64_t value)
{
	switch (field->type) {
	case PIPA_PROTO_UINT32:
	case PIPA_PROTO_INT32: *(uint32_t *)to = (uint32_t)value; break;
	case PIPA_PROTO_BOOL: *(bool *)to = value != 0; break;
	default: *(uint64_t *)to = value;
	}
}

/* Any repeated field as the struct has it. */
struct list {
	void *items;
	size_t n;
};

/* Load eight bytes, the first as the lowest. */
static uint64_t load_word(const uint8_t *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	return le64toh(word);
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Count the elements of a packed field; -1 if its bytes end inside of one. */
static ptrdiff_t count_packed(const struct pipa_proto_field *field, struct pipa_span bytes)
{
	const uint8_t *pos = bytes.data, *end = pos + bytes.size;
	size_t n = 0;

	if (pipa_proto_wire_of(field->type) == PIPA_WIRE_FIXED64)
		return bytes.size % 8 ? -1 : (ptrdiff_t)(bytes.size / 8);
	if (bytes.size && end[-1] >= 0x80)
		return -1;
	for (; end - pos >= 8; pos += 8) /* the last byte of each has its highest bit clear */
		n += ((~load_word(pos) >> 7 & EACH_BYTE) * EACH_BYTE) >> 56;
	for (; pos < end; pos++)
		n += *pos < 0x80;
	return (ptrdiff_t)n;
}

static bool is_packed(const struct pipa_proto_field *field, const struct pipa_proto_item *item)
{
	return field->repeated && item->wire == PIPA_WIRE_BYTES &&
	       pipa_proto_wire_of(field->type) != PIPA_WIRE_BYTES;
}

static int fail(struct decoder *d, const struct pipa_proto_message *message,
		const struct pipa_proto_field *field, const uint8_t *at, const char *what)
{
	*d->err = (struct pipa_proto_error){ .offset = (uint64_t)(at - d->start),
					     .what = what,
					     .message = message,
					     .field = field };
	return -EBADMSG;
}

/* Read the next field; `*ret_at` is where it begins and *ret_field what it is, NULL if not in the table. */
static inline int next_field(struct decoder *d, const struct pipa_proto_message *message,
			     struct pipa_cursor *in, struct pipa_proto_item *item,
			     const struct pipa_proto_field **ret_field)
{
	const uint8_t *at = in->pos;
	int rc = read_item(in, item, d->err);

	if (rc <= 0)
		return rc < 0 ? fail(d, message, NULL, at, d->err->what) : 0;
	*ret_field = pipa_proto_find(message, item->number);
	if (*ret_field && item->wire != pipa_proto_wire_of((*ret_field)->type) &&
	    !is_packed(*ret_field, item))
		return fail(d, message, *ret_field, at, "wrong wire type");
	return 1;
}

/* Take the bytes of an array from the limit. Returns 0 or -E2BIG. */
static int take_from_limit(struct pipa_proto_memory *memory, size_t n, size_t size)
{
	if (!memory->max)
		return 0;
	if (n > memory->left / size)
		return -E2BIG;
	memory->left -= n * size;
	return 0;
}

/*
 * Allocate the arrays of the repeated fields, by counting their elements. A packed field that occurs once, as
 * encoders write it, is left to decode_packed(): it need not be read twice.
 */
static int allocate_lists(struct decoder *d, const struct pipa_proto_message *message,
			  struct pipa_span bytes, void *ret)
{
	enum {
		ONCE_MAX = 4096
	}; /* bytes: without counting, memory for as many elements is needed */
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	const struct pipa_proto_field *field;
	struct pipa_proto_item item = { 0 };
	size_t counts[MAX_FIELDS];
	struct pipa_span once[MAX_FIELDS]; /* packed elements that are not counted yet */
	uint16_t i;
	int rc;

	memset(counts, 0, message->n_fields * sizeof(counts[0]));
	memset(once, 0, message->n_fields * sizeof(once[0]));
	while ((rc = next_field(d, message, &in, &item, &field)) > 0) {
		ptrdiff_t n = 1;

		if (!field || !field->repeated)
			continue;
		i = (uint16_t)(field - message->fields);
		if (is_packed(field, &item)) {
			if (item.bytes.size && item.bytes.data[item.bytes.size - 1] >= 0x80 &&
			    pipa_proto_wire_of(field->type) == PIPA_WIRE_VARINT)
				n = -1;
			else if (!counts[i] && !once[i].data && item.bytes.size <= ONCE_MAX) {
				once[i] = item.bytes;
				continue;
			} else
				n = count_packed(field, item.bytes);
			if (n < 0)
				return fail(d, message, field, item.bytes.data,
					    "repeated values end inside of one");
		}
		counts[i] += (size_t)n;
	}
	if (rc < 0)
		return rc;
	for (i = 0; i < message->n_fields; i++) {
		size_t size = size_of(&message->fields[i]);
		struct list *list = (void *)((char *)ret + message->fields[i].offset);

		if (once[i].data && counts[i])
			counts[i] += (size_t)count_packed(&message->fields[i], once[i]);
		if (!counts[i])
			continue;
		rc = take_from_limit(d->memory, counts[i], size);
		if (rc < 0)
			return rc;
		list->items = allocate(d->memory, counts[i] * size);
		if (!list->items)
			return -ENOMEM;
	}
	return 0;
}

/* Join the lowest seven bits of each of the eight bytes of a varint. */
static uint64_t join_groups(uint64_t word)
{
	word &= EACH_BYTE * 0x7f;
	word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
	word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (word & UINT64_C(0x0fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
}

/*
 * Decode varints to an array of 64-bit values. Lengths of random ids cannot be predicted: three values are taken
 * from each word without a branch on them, mostly all that it has. Returns the end of the array.
 */
static uint64_t *decode_varints(struct pipa_cursor *in, uint64_t *to)
{
	while (in->pos < in->end) {
		uint64_t word, ends, second, third;
		unsigned int a, b, c;

		if (in->end - in->pos < 8) {
			*to++ = pipa_get_uleb(in);
			continue;
		}
		word = load_word(in->pos);
		ends = ~word & EACH_BYTE * 0x80;
		second = ends & (ends - 1);
		third = second & (second - 1);
		if (!third) {
			*to++ = pipa_get_uleb(in);
			continue;
		}
		a = (unsigned int)__builtin_ctzll(ends) + 1; /* bits of the first */
		b = (unsigned int)__builtin_ctzll(second) + 1;
		c = (unsigned int)__builtin_ctzll(third) + 1;
		to[0] = join_groups(word & (ends ^ (ends - 1)));
		to[1] = join_groups((word & (second ^ (second - 1))) >> a);
		to[2] = join_groups((word & (third ^ (third - 1))) >> b);
		to += 3;
		in->pos += c / 8;
	}
	return to;
}

/*
 * Decode a packed field into its array. An array that allocate_lists() left out is allocated for the largest possible
 * number of elements, and the rest is returned to the memory.
 */
static int decode_packed(struct decoder *d, const struct pipa_proto_message *message,
			 const struct pipa_proto_field *field, struct pipa_span bytes,
			 struct list *list)
{
	bool fixed = pipa_proto_wire_of(field->type) == PIPA_WIRE_FIXED64;
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	size_t size = size_of(field), most = fixed ? bytes.size / 8 : bytes.size;
	bool once = !list->items;
	char *to;

	if (!bytes.size)
		return 0;
	if (once)
		list->items = allocate(d->memory, most * size);
	if (once && !list->items)
		return -ENOMEM;
	to = (char *)list->items + list->n * size;
	if (fixed) {
		if (bytes.size % 8)
			return fail(d, message, field, bytes.data,
				    "repeated values end inside of one");
		for (; in.pos < in.end; to += 8)
			*(uint64_t *)(void *)to = pipa_get_u64(&in);
	} else if (size == 8) {
		to = (char *)decode_varints(&in, (void *)to);
	} else {
		for (; in.pos < in.end; to += size)
			store_number(field, to, pipa_get_uleb(&in));
	}
	list->n = (size_t)(to - (char *)list->items) / size;
	if (in.status)
		return fail(d, message, field, bytes.data, "malformed varint in repeated values");
	if (!once)
		return 0;
	give_back(d->memory, list->items, list->n * size);
	return take_from_limit(d->memory, list->n, size);
}

static int decode(struct decoder *d, const struct pipa_proto_message *message,
		  struct pipa_span bytes, void *ret, unsigned int depth);

static int decode_message(struct decoder *d, const struct pipa_proto_field *field,
			  struct pipa_span bytes, void *to, unsigned int depth)
{
	void *message = to;

	if (depth == MAX_DEPTH)
		return -E2BIG;
	if (!field->repeated) {
		message = allocate(d->memory, field->message->size);
		if (!message)
			return -ENOMEM;
		*(void **)to = message;
	}
	memset(message, 0, field->message->size);
	return decode(d, field->message, bytes, message, depth + 1);
}

static int decode_item(struct decoder *d, const struct pipa_proto_message *message,
		       const struct pipa_proto_field *field, const struct pipa_proto_item *item,
		       void *ret, unsigned int depth)
{
	void *to = (char *)ret + field->offset;

	if (field->repeated) {
		struct list *list = to;

		if (is_packed(field, item))
			return decode_packed(d, message, field, item->bytes, list);
		to = (char *)list->items + list->n++ * size_of(field);
	}
	if (field->oneof)
		memcpy((char *)ret + message->which, &field->number, sizeof(field->number));
	if (field->type == PIPA_PROTO_MESSAGE)
		return decode_message(d, field, item->bytes, to, depth);
	if (item->wire == PIPA_WIRE_BYTES)
		*(struct pipa_span *)to = item->bytes;
	else
		store_number(field, to, item->value);
	return 0;
}

static int decode(struct decoder *d, const struct pipa_proto_message *message,
		  struct pipa_span bytes, void *ret, unsigned int depth)
{
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	const struct pipa_proto_field *field;
	struct pipa_proto_item item = { 0 };
	int rc = 0;

	if (!message->flat)
		rc = allocate_lists(d, message, bytes, ret);
	while (!rc) {
		rc = next_field(d, message, &in, &item, &field);
		if (rc <= 0)
			return rc;
		rc = field ? decode_item(d, message, field, &item, ret, depth) : 0;
	}
	return rc;
}

int pipa_proto_decode(const struct pipa_proto_message *message, struct pipa_span bytes,
		      struct pipa_proto_memory *memory, void *ret, struct pipa_proto_error *err)
{
	struct decoder d = { memory, err, bytes.data };

	*err = (struct pipa_proto_error){ 0 };
	if (memory->max && !memory->first)
		memory->left = memory->max;
	memset(ret, 0, message->size);
	return decode(&d, message, bytes, ret, 0);
}

/* ---- recognizing ------------------------------------------------------------------------------- */

/* Return how many fields of messages inside the message are right; -1 if it cannot be such a message. */
static ptrdiff_t count_matches(const struct pipa_proto_message *message, struct pipa_span bytes,
			       bool whole, unsigned int depth)
{
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	ptrdiff_t matches = 0, inside;

	while (in.pos < in.end) {
		const uint8_t *at = in.pos;
		uint64_t tag = pipa_get_uleb(&in);
		const struct pipa_proto_field *field =
			in.status || tag >> 3 > UINT16_MAX ?
				NULL :
				pipa_proto_find(message, (uint32_t)(tag >> 3));
		struct pipa_proto_item item = { 0 };
		struct pipa_proto_error err;
		bool cut = false;

		if (in.status && !whole)
			break;
		if (!field)
			return -1;
		item.wire = tag & 7;
		if (item.wire != pipa_proto_wire_of(field->type) && !is_packed(field, &item))
			return -1;
		in.pos = at;
		if (pipa_proto_next(&in, &item, &err) < 0) {
			if (whole)
				return -1;
			/* the start of a message whose end is not here */
			in = (struct pipa_cursor){ at, bytes.data + bytes.size, false, 0 };
			pipa_get_uleb(&in);
			pipa_get_uleb(&in);
			item.bytes = (struct pipa_span){ in.pos, pipa_cursor_left(&in) };
			cut = true;
		}
		if (field->type == PIPA_PROTO_MESSAGE && depth < MAX_DEPTH) {
			inside = count_matches(field->message, item.bytes, !cut, depth + 1);
			if (inside < 0)
				return -1;
			matches += inside;
		} else if (depth) {
			matches++;
		}
		if (cut)
			break;
	}
	return matches;
}

bool pipa_proto_matches(const struct pipa_proto_message *message, struct pipa_span start,
			bool whole)
{
	return count_matches(message, start, whole, 0) > 0;
}
