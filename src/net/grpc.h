/*
 * The parts of gRPC over HTTP/2 that client and server share: status codes, length-prefixed messages, grpc-timeout,
 * grpc-message. Pure.
 */
#ifndef PIPA_NET_GRPC_H
#define PIPA_NET_GRPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "base/span.h"

enum pipa_grpc_code {
	PIPA_GRPC_OK = 0,
	PIPA_GRPC_CANCELLED,
	PIPA_GRPC_UNKNOWN,
	PIPA_GRPC_INVALID_ARGUMENT,
	PIPA_GRPC_DEADLINE_EXCEEDED,
	PIPA_GRPC_NOT_FOUND,
	PIPA_GRPC_ALREADY_EXISTS,
	PIPA_GRPC_PERMISSION_DENIED,
	PIPA_GRPC_RESOURCE_EXHAUSTED,
	PIPA_GRPC_FAILED_PRECONDITION,
	PIPA_GRPC_ABORTED,
	PIPA_GRPC_OUT_OF_RANGE,
	PIPA_GRPC_UNIMPLEMENTED,
	PIPA_GRPC_INTERNAL,
	PIPA_GRPC_UNAVAILABLE,
	PIPA_GRPC_DATA_LOSS,
	PIPA_GRPC_UNAUTHENTICATED,
	PIPA_GRPC_CODE_NR,
};

/* Return the name of a code, "UNAVAILABLE"; "UNKNOWN" for a number that is not a code. */
const char *pipa_grpc_code_name(int code);

/* Return the code for a response without grpc-status, by its HTTP status. */
enum pipa_grpc_code pipa_grpc_code_of_http(int status);

/* Return the code for a stream that was reset with a code of enum pipa_h2_code. */
enum pipa_grpc_code pipa_grpc_code_of_reset(uint32_t h2_code);

/* Format the value of grpc-timeout: at most 8 digits and a unit, rounded up. */
enum { PIPA_GRPC_TIMEOUT_MAX = 16 };
const char *pipa_grpc_timeout(uint64_t ns, char text[static PIPA_GRPC_TIMEOUT_MAX]);

/* Parse it. -EINVAL. */
int pipa_grpc_timeout_parse(struct pipa_span text, uint64_t *ret_ns);

/* Decode the percent-encoding of grpc-message into a string; invalid escapes are copied, a long text is truncated. */
void pipa_grpc_message_decode(struct pipa_span value, char *to, size_t size);

/* Append a text with percent-encoding. */
void pipa_grpc_message_encode(struct pipa_buf *out, const char *text);

/* ---- length-prefixed messages ---------------------------------------------------------------------------- */

enum { PIPA_GRPC_PREFIX = 5 };

void pipa_grpc_prefix(uint8_t prefix[static PIPA_GRPC_PREFIX], bool compressed, uint32_t len);

enum pipa_grpc_encoding {
	PIPA_GRPC_IDENTITY,
	PIPA_GRPC_GZIP,
	PIPA_GRPC_ZSTD,
	PIPA_GRPC_OTHER_ENCODING, /* that of the peer is not supported */
};

/* Return the encoding of a grpc-encoding field. */
enum pipa_grpc_encoding pipa_grpc_encoding_find(struct pipa_span name);

/* Messages of a stream that arrives in pieces of any size. Zero, with `max` set, is the start. */
struct pipa_grpc_reader {
	size_t max; /* bytes of a message, compressed and not; set by the caller */
	enum pipa_grpc_encoding encoding;
	/* private */
	uint8_t prefix[PIPA_GRPC_PREFIX];
	size_t n_prefix;
	uint32_t left;
	struct pipa_buf raw, message;
};

/*
 * Consume from `in` up to the end of the next message. 1: *ret is the message, decompressed, valid until the next call;
 * 0: `in` is consumed. -EFBIG: larger than max; -EBADMSG: invalid prefix or compressed bytes; -EPROTO: compressed
 * without an encoding that is supported; -ENOMEM.
 */
int pipa_grpc_next(struct pipa_grpc_reader *reader, struct pipa_cursor *in, struct pipa_span *ret);

/* Is the reader between two messages? */
bool pipa_grpc_is_whole(const struct pipa_grpc_reader *reader);
void pipa_grpc_reader_done(struct pipa_grpc_reader *reader);

#endif
