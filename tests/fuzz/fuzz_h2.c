/*
 * Bytes of a server to an HTTP/2 client with one gRPC call, cut into pieces by their first byte: whatever comes, memory
 * stays within the limits, each stream is closed once at most, and the client always has an answer.
 */
#include <errno.h>

#include "fuzz.h"
#include "net/grpc.h"
#include "net/h2.h"
#include "net/rpc_status.h"

enum { HEADER_MAX = 4096, MESSAGE_MAX = 65536 };

struct call {
	struct pipa_grpc_reader reader;
	size_t head;
	int closed, ends;
	int32_t stream;
};

static int on_field(void *ctx, int32_t stream, struct pipa_span name, struct pipa_span value)
{
	struct call *call = ctx;
	struct pipa_rpc_status status;
	char text[50];
	uint64_t ns;

	MUST(!call->closed && stream == call->stream);
	call->head += name.size + value.size;
	MUST(call->head <= 64 * HEADER_MAX);
	pipa_grpc_message_decode(value, text, sizeof(text));
	MUST(strlen(text) < sizeof(text));
	if (pipa_rpc_status_decode_base64(value, &status) == 0)
		MUST(strlen(status.message) < sizeof(status.message));
	pipa_rpc_status_decode(value, &status);
	pipa_grpc_timeout_parse(value, &ns);
	call->reader.encoding = pipa_grpc_encoding_find(value);
	return 0;
}

static int on_data(void *ctx, int32_t stream, struct pipa_span bytes)
{
	struct call *call = ctx;
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	struct pipa_span message;
	int rc;

	MUST(!call->closed && stream == call->stream);
	while ((rc = pipa_grpc_next(&call->reader, &in, &message)) > 0)
		MUST(message.size <= MESSAGE_MAX + 1);
	MUST(rc < 0 || in.pos == in.end);
	return rc;
}

static void on_end(void *ctx, int32_t stream)
{
	struct call *call = ctx;

	MUST(stream == call->stream);
	MUST(++call->ends == 1);
}

static void on_closed(void *ctx, int32_t stream, uint32_t code)
{
	struct call *call = ctx;

	(void)code;
	MUST(stream == call->stream);
	MUST(++call->closed == 1);
}

/* Take all output; returns the number of bytes. */
static size_t drain(struct pipa_h2 *h2)
{
	struct pipa_span out;
	size_t n = 0;

	while (pipa_h2_output(h2, &out) == 0 && out.size)
		n += out.size;
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pipa_h2_events events = {
		.field = on_field, .data = on_data, .end = on_end, .closed = on_closed
	};
	static const struct pipa_h2_limits limits = { .header_bytes = HEADER_MAX };
	static const struct pipa_h2_field fields[] = { { ":method", "POST", false },
						       { ":scheme", "http", false },
						       { ":path", "/a.B/C", false },
						       { ":authority", "a", false } };
	static const uint8_t bytes[200000];
	struct pipa_h2_body body = { .pieces = { { bytes, 5 }, { bytes, sizeof(bytes) } } };
	struct call call = { .reader = { .max = MESSAGE_MAX } };
	struct pipa_h2 *h2;
	size_t at, piece;

	if (!size)
		return 0;
	piece = data[0] ? data[0] : 1;
	h2 = pipa_h2_new(PIPA_H2_CLIENT, &limits, &events, &call);
	MUST(h2);
	call.stream = pipa_h2_request(h2, fields, 4, &body);
	MUST(call.stream == 1);
	drain(h2);
	for (at = 1; at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;

		if (pipa_h2_receive(h2, (struct pipa_span){ data + at, n }) < 0)
			break;
		MUST(drain(h2) <= sizeof(bytes) + 65536 + 64 * n);
		MUST(pipa_h2_body_sent(&body) <= sizeof(bytes) + 5);
	}
	pipa_h2_is_usable(h2);
	pipa_h2_free(h2);
	pipa_grpc_reader_done(&call.reader);
	return 0;
}
