/*
 * Protocol Buffers wire format: decode by tables of fields, encode field by field.
 *
 * Written by hand because Debian's protobuf-c has no proto3 `optional` and allocates every message and every
 * repeated field by itself; a decoded message here is one block, and an encoded one is written once into a
 * window.
 *
 * A message type is a table of its fields, with the number of each beside its name, and a C struct that the
 * decoder fills. Numbers that are not in the table are skipped, as the format demands. Repeated fields are
 * arrays; strings, bytes and messages that are not decoded are spans into the input.
 */
#ifndef PIPA_CODEC_PROTO_H
#define PIPA_CODEC_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* ---- types ------------------------------------------------------------------------------------- */

enum pipa_proto_type {
	PIPA_PROTO_UINT64,  /* uint64_t */
	PIPA_PROTO_INT64,   /* int64_t */
	PIPA_PROTO_UINT32,  /* uint32_t */
	PIPA_PROTO_INT32,   /* int32_t */
	PIPA_PROTO_BOOL,    /* bool */
	PIPA_PROTO_FIXED64, /* uint64_t */
	PIPA_PROTO_DOUBLE,  /* double */
	PIPA_PROTO_STRING,  /* struct pipa_span, UTF-8 by the format, not verified */
	PIPA_PROTO_BYTES,   /* struct pipa_span */
	PIPA_PROTO_ID, /* struct pipa_span: bytes that the JSON mapping of OTLP writes as hexadecimal digits */
	PIPA_PROTO_RAW,	    /* struct pipa_span: a message that is left encoded */
	PIPA_PROTO_MESSAGE, /* the struct of the message, a pointer to it unless repeated */
};

struct pipa_proto_message;

struct pipa_proto_field {
	uint32_t number;
	enum pipa_proto_type type : 8;
	bool repeated;
	bool oneof; /* has presence: the struct's `which` is its number if it is the last one seen */
	bool optional; /* a text with presence: it is absent if the span has no data */
	uint16_t offset;
	const char *name; /* as in the .proto file */
	const struct pipa_proto_message *message;
};

struct pipa_proto_message {
	const char *name;
	const struct pipa_proto_field *fields; /* by number */
	uint16_t n_fields;
	uint16_t size;	/* of the struct */
	uint16_t which; /* offset of the uint32_t that names the field of a oneof which is set */
	bool flat;	/* no field is repeated */
};

/* A repeated field in a struct. */
#define PIPA_PROTO_LIST(type)                                                                      \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t n;                                                                          \
	}

/* Rows of a table of fields. */
#define PIPA_PROTO_FIELD(tag, number_, type_, member)                                              \
	{                                                                                          \
		.number = (number_), .type = PIPA_PROTO_##type_,                                   \
		.offset = offsetof(struct tag, member), .name = #member                            \
	}
#define PIPA_PROTO_OPTIONAL(tag, number_, type_, member)                                           \
	{                                                                                          \
		.number = (number_), .type = PIPA_PROTO_##type_, .optional = true,                 \
		.offset = offsetof(struct tag, member), .name = #member                            \
	}
#define PIPA_PROTO_REPEATED(tag, number_, type_, member)                                           \
	{                                                                                          \
		.number = (number_), .type = PIPA_PROTO_##type_, .repeated = true,                 \
		.offset = offsetof(struct tag, member), .name = #member                            \
	}
#define PIPA_PROTO_ONEOF(tag, number_, type_, member)                                              \
	{                                                                                          \
		.number = (number_), .type = PIPA_PROTO_##type_, .oneof = true,                    \
		.offset = offsetof(struct tag, member), .name = #member                            \
	}
#define PIPA_PROTO_ONEOF_SUB(tag, number_, member, message_)                                       \
	{                                                                                          \
		.number = (number_), .type = PIPA_PROTO_MESSAGE, .oneof = true,                    \
		.offset = offsetof(struct tag, member), .name = #member, .message = &(message_)    \
	}
#define PIPA_PROTO_SUB(tag, number_, member, message_)                                             \
	{                                                                                          \
		.number = (number_), .type = PIPA_PROTO_MESSAGE,                                   \
		.offset = offsetof(struct tag, member), .name = #member, .message = &(message_)    \
	}
#define PIPA_PROTO_SUBS(tag, number_, member, message_)                                            \
	{                                                                                          \
		.number = (number_), .type = PIPA_PROTO_MESSAGE, .repeated = true,                 \
		.offset = offsetof(struct tag, member), .name = #member, .message = &(message_)    \
	}

/* Return the field of that number, NULL if the message has none. */
const struct pipa_proto_field *pipa_proto_find(const struct pipa_proto_message *message,
					       uint32_t number);

/* ---- decoding ---------------------------------------------------------------------------------- */

struct pipa_proto_error {
	uint64_t offset;			  /* in the bytes that were passed in */
	const char *what;			  /* "length exceeds the message" */
	const struct pipa_proto_message *message; /* in which it is; may be NULL */
	const struct pipa_proto_field *field;	  /* may be NULL */
};

/* Memory of decoded messages, reused after pipa_proto_reset(). Zero is an empty one. */
struct pipa_proto_memory {
	struct pipa_proto_block *first, *now;
	size_t used;   /* of the block in use */
	uint64_t left; /* bytes that may still be taken, if max is set */
	uint64_t max;  /* 0: no limit */
};

void pipa_proto_memory_done(struct pipa_proto_memory *memory);

/* Drop all decoded messages and keep the largest block. */
void pipa_proto_reset(struct pipa_proto_memory *memory);

/*
 * Decode `bytes` into `ret`, a struct of the message, which is cleared first. Arrays and messages in it belong to
 * `memory`, spans point into `bytes`. Returns 0, -EBADMSG with the place in *err, -E2BIG past the memory's limit
 * or 64 nested messages, or -ENOMEM.
 */
int pipa_proto_decode(const struct pipa_proto_message *message, struct pipa_span bytes,
		      struct pipa_proto_memory *memory, void *ret, struct pipa_proto_error *err);

/*
 * Are these the first bytes of such a message? Every field has to be in the table, of the right wire type, and so in
 * the messages inside. `whole` if no more bytes follow; else the last field may be incomplete. False if no message
 * inside of it has a field: a few bytes of anything could be that.
 */
bool pipa_proto_matches(const struct pipa_proto_message *message, struct pipa_span start,
			bool whole);

/* A field as it is on the wire. */
struct pipa_proto_item {
	uint32_t number;
	uint32_t wire;		/* enum pipa_proto_wire */
	uint64_t value;		/* varint, fixed64, fixed32 */
	struct pipa_span bytes; /* length-delimited */
};

enum pipa_proto_wire {
	PIPA_WIRE_VARINT = 0,
	PIPA_WIRE_FIXED64 = 1,
	PIPA_WIRE_BYTES = 2,
	PIPA_WIRE_FIXED32 = 5,
};

/* Return the wire type of a value of that type; repeated numbers may also be packed in bytes. */
static inline enum pipa_proto_wire pipa_proto_wire_of(enum pipa_proto_type type)
{
	switch (type) {
	case PIPA_PROTO_FIXED64:
	case PIPA_PROTO_DOUBLE: return PIPA_WIRE_FIXED64;
	case PIPA_PROTO_STRING:
	case PIPA_PROTO_BYTES:
	case PIPA_PROTO_ID:
	case PIPA_PROTO_RAW:
	case PIPA_PROTO_MESSAGE: return PIPA_WIRE_BYTES;
	default: return PIPA_WIRE_VARINT;
	}
}

/*
 * Read the next field of a message whose bytes are left in `in`. Returns 1, 0 at the end, or -EBADMSG with
 * err->what; the offset is the caller's to set, from the cursor's position.
 */
int pipa_proto_next(struct pipa_cursor *in, struct pipa_proto_item *ret,
		    struct pipa_proto_error *err);

/* ---- encoding ---------------------------------------------------------------------------------- */

/* A large message that is being measured. */
struct pipa_proto_opened {
	size_t length; /* index in `lengths` */
	uint64_t
		start; /* offset of its first byte, not counting tags and lengths of large messages */
	uint32_t number; /* of the field */
};

/*
 * An encoder with one window of memory. A message is written after the bytes of its length are known: small ones
 * (pipa_proto_begin) are complete in the window before their length is inserted; large ones (pipa_proto_open)
 * are measured first, by calling the same code twice.
 */
struct pipa_proto_writer {
	uint8_t *window;
	size_t len, cap;
	unsigned int small; /* depth of messages that are not complete in the window */
	int status;	    /* 0, or the first failure; afterwards nothing is written */
	uint64_t total;	    /* bytes before the window */
	bool measuring;
	struct {
		uint64_t *items;
		size_t n, cap;
	} lengths; /* of large messages, in the order in which they are opened */
	size_t next_length;
	struct {
		struct pipa_proto_opened *items;
		size_t n, cap;
	} opened; /* the large messages around the current position, while measuring */
	int (*put)(void *ctx, const char *bytes, size_t len);
	void *ctx;
};

/* put() takes the bytes in pieces that end anywhere; a return below 0 ends the writing. */
void pipa_proto_writer_init(struct pipa_proto_writer *w,
			    int (*put)(void *ctx, const char *bytes, size_t len), void *ctx);
void pipa_proto_writer_done(struct pipa_proto_writer *w);

/* Measure: nothing goes out until pipa_proto_write(), after which the same calls follow again. */
void pipa_proto_measure(struct pipa_proto_writer *w);
void pipa_proto_write(struct pipa_proto_writer *w);

/* Write the rest of the window; returns the status. */
int pipa_proto_flush(struct pipa_proto_writer *w);

/* Make room for n bytes in the window; NULL after a failure. */
uint8_t *pipa_proto_grow(struct pipa_proto_writer *w, size_t n);

static inline uint8_t *pipa_proto_room(struct pipa_proto_writer *w, size_t n)
{
	return w->cap - w->len >= n ? w->window + w->len : pipa_proto_grow(w, n);
}

enum {
	PIPA_VARINT_MAX = 10,
	PIPA_TAG_MAX = 5,
	PIPA_PROTO_WINDOW = 64 << 10, /* bytes; larger only for a small message of more than half */
};

static inline uint8_t *pipa_proto_encode_varint(uint8_t *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

static inline uint8_t *pipa_proto_encode_tag(uint8_t *to, uint32_t number,
					     enum pipa_proto_wire wire)
{
	return pipa_proto_encode_varint(to, (uint64_t)number << 3 | wire);
}

/* Write a field of any integer type, also if it is 0: as oneof has it. int32 is sign-extended. */
static inline void pipa_proto_put_always(struct pipa_proto_writer *w, uint32_t number,
					 uint64_t value)
{
	uint8_t *to = pipa_proto_room(w, PIPA_TAG_MAX + PIPA_VARINT_MAX);

	if (!to)
		return;
	to = pipa_proto_encode_tag(to, number, PIPA_WIRE_VARINT);
	to = pipa_proto_encode_varint(to, value);
	w->len = (size_t)(to - w->window);
}

/* The same unless it is 0, which proto3 leaves out. */
static inline void pipa_proto_put(struct pipa_proto_writer *w, uint32_t number, uint64_t value)
{
	if (value)
		pipa_proto_put_always(w, number, value);
}

/* Write a fixed64 field or the bits of a double; zero only if `always`. */
void pipa_proto_put_fixed64(struct pipa_proto_writer *w, uint32_t number, uint64_t value,
			    bool always);

/* Write bytes of any length, also none; not inside of a small message if they exceed 64 MiB. */
void pipa_proto_put_bytes(struct pipa_proto_writer *w, uint32_t number, const void *bytes,
			  size_t len);

/* Write a packed list of varints of `n` values; nothing if there are none. */
void pipa_proto_put_packed(struct pipa_proto_writer *w, uint32_t number, const uint64_t *values,
			   size_t n);

/* Start a small message or a packed field; returns what pipa_proto_end() is passed. */
static inline size_t pipa_proto_begin(struct pipa_proto_writer *w, uint32_t number)
{
	uint8_t *to;

	/* inside of a small message the window cannot be emptied, it can only grow */
	if (!w->small && w->len > PIPA_PROTO_WINDOW / 2)
		pipa_proto_flush(w);
	to = pipa_proto_room(w, PIPA_TAG_MAX + 1);
	w->small++;
	if (!to)
		return 0;
	to = pipa_proto_encode_tag(to, number, PIPA_WIRE_BYTES);
	w->len = (size_t)(to - w->window) + 1;
	return w->len;
}

/* As pipa_proto_end(), for lengths that need more than one byte. */
void pipa_proto_end_long(struct pipa_proto_writer *w, size_t start);

static inline void pipa_proto_end(struct pipa_proto_writer *w, size_t start)
{
	w->small--;
	if (w->status || !w->window)
		return;
	if (w->len - start < 0x80)
		w->window[start - 1] = (uint8_t)(w->len - start);
	else
		pipa_proto_end_long(w, start);
}

/*
 * Write the fields of a message that is in a struct, as the decoder fills it, in the order of their numbers. For messages
 * that are made as a whole; loops over many use the functions above.
 */
void pipa_proto_put_message(struct pipa_proto_writer *w, const struct pipa_proto_message *message,
			    const void *from);

/* Start and end a large message: only inside of large ones, and after pipa_proto_measure(). */
void pipa_proto_open(struct pipa_proto_writer *w, uint32_t number);
void pipa_proto_close(struct pipa_proto_writer *w);

#endif
