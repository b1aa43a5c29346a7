/*
 * Convert Protocol Buffers messages to JSON and back, by the tables of codec/proto.h.
 *
 * The mapping is proto3's with the exceptions of OTLP: keys in lowerCamelCase only, trace and span ids
 * (PIPA_PROTO_ID) as hexadecimal digits, other bytes as base64, 64-bit integers as strings of decimal
 * digits, enumerations as integers, fields with default values left out. When reading, integers may be
 * numbers or strings, base64 may have either alphabet and no padding, unknown keys are skipped.
 *
 * Written by hand because jansson builds a tree: a profile of 30 MB of protobuf is 100 MB of JSON and
 * more than 1 GB of tree. Here the text is read once and only the protobuf bytes are made. jansson also
 * has no unsigned 64-bit integers, and addresses and trace times need them.
 */
#ifndef PIPA_CODEC_PROTO_JSON_H
#define PIPA_CODEC_PROTO_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "codec/proto.h"

struct pipa_buf;

/* ---- protobuf to JSON -------------------------------------------------------------------------- */

/*
 * Write the message in `bytes` as one line of JSON, without a newline at the end. put() takes the text in pieces.
 * A repeated field whose elements are not contiguous becomes one array; of a field that occurs twice the
 * last one counts. Bytes of a string that are not UTF-8 become U+FFFD. Returns 0, -EBADMSG with the place
 * in *err, -E2BIG past 64 nested messages, -ENOMEM, or the failure of put().
 */
int pipa_proto_json_write(const struct pipa_proto_message *message, struct pipa_span bytes,
			  int (*put)(void *ctx, const char *text, size_t len), void *ctx,
			  struct pipa_proto_error *err);

/*
 * Write the same from bytes that come in pieces, with memory for one field that is not a large message. Elements of a
 * repeated field of a message of more than 64 KiB have to be contiguous, as writers put them: -EBADMSG otherwise.
 */
struct pipa_proto_json *pipa_proto_json_new(const struct pipa_proto_message *message,
					    int (*put)(void *ctx, const char *text, size_t len),
					    void *ctx);
void pipa_proto_json_free(struct pipa_proto_json *json);

/* Add bytes; returns 0 or the first failure. */
int pipa_proto_json_put(struct pipa_proto_json *json, const char *bytes, size_t len);

/* End the message; returns the first failure. */
int pipa_proto_json_end(struct pipa_proto_json *json);

static inline void pipa_proto_json_free_auto(struct pipa_proto_json **json)
{
	pipa_proto_json_free(*json);
}

/* ---- JSON to protobuf -------------------------------------------------------------------------- */

/* Keys that are not in the tables, which were skipped. */
struct pipa_proto_json_unknown {
	uint64_t n;
	uint64_t offset; /* of the first one, which is a string in quotes */
	const struct pipa_proto_message *message; /* in which it is; NULL if there is none */
};

/*
 * Add the message that is the JSON object `text` to `out`, in the order of its keys; out->max limits it. `unknown` may be
 * NULL. Returns 0, -EBADMSG with the place in *err, -E2BIG past 64 nested values, -EFBIG past the limit of `out`, or
 * -ENOMEM. Not JSON: a key twice in one object, two fields of a oneof, an unpaired surrogate, a number that
 * is not exactly a value of its type.
 */
int pipa_proto_json_read(const struct pipa_proto_message *message, struct pipa_span text,
			 struct pipa_buf *out, struct pipa_proto_json_unknown *unknown,
			 struct pipa_proto_error *err);

/*
 * Can this be the first bytes of such a JSON object? Its first key has to be one of the message.
 */
bool pipa_proto_json_matches(const struct pipa_proto_message *message, struct pipa_span start);

#endif
