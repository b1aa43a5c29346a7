/*
 * JSON of OTLP profiles: any text can be read. What was read is written as JSON that is read as the same bytes. Any
 * message becomes JSON that can be read, and the same JSON if its bytes come in pieces.
 */
#include "base/buf.h"
#include "codec/otlp_schema.h"
#include "codec/proto_json.h"
#include "fuzz.h"

static int put(void *ctx, const char *text, size_t len)
{
	pipa_buf_add(ctx, text, len);
	return 0;
}

static struct pipa_span span_of(const struct pipa_buf *buf)
{
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(buf), buf->len };
}

static bool equal(const struct pipa_buf *a, const struct pipa_buf *b)
{
	return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len) == 0);
}

static void check_text(const struct pipa_proto_message *message, struct pipa_span text)
{
	struct pipa_buf bytes = { 0 }, again = { 0 }, json = { 0 };
	struct pipa_proto_error err;
	int rc = pipa_proto_json_read(message, text, &bytes, NULL, &err);

	MUST(rc <= 0 && err.offset <= text.size);
	if (!rc) {
		MUST(pipa_proto_json_write(message, span_of(&bytes), put, &json, &err) == 0);
		MUST(pipa_proto_json_read(message, span_of(&json), &again, NULL, &err) == 0);
		MUST(equal(&bytes, &again));
	}
	pipa_buf_done(&bytes);
	pipa_buf_done(&again);
	pipa_buf_done(&json);
}

static void check_bytes(const struct pipa_proto_message *message, const uint8_t *data, size_t size)
{
	struct pipa_buf json = { 0 }, pieces = { 0 }, bytes = { 0 };
	struct pipa_proto_json *writer = pipa_proto_json_new(message, put, &pieces);
	struct pipa_proto_error err;
	size_t at, piece = size ? 1 + data[0] % 13 : 1, n;
	int rc = pipa_proto_json_write(message, (struct pipa_span){ data, size }, put, &json, &err);
	int streamed = writer ? 0 : -1;

	MUST(rc <= 0 && err.offset <= size);
	for (at = 0; !streamed && at < size; at += n) {
		n = size - at < piece ? size - at : piece;
		streamed = pipa_proto_json_put(writer, (const char *)data + at, n);
	}
	if (!streamed)
		streamed = pipa_proto_json_end(writer);
	if (rc) {
		MUST(streamed < 0);
	} else if (!streamed) {
		MUST(equal(&json, &pieces));
		MUST(pipa_proto_json_read(message, span_of(&json), &bytes, NULL, &err) == 0);
	}
	pipa_proto_json_free(writer);
	pipa_buf_done(&json);
	pipa_buf_done(&pieces);
	pipa_buf_done(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pipa_proto_message *message = &pipa_otlp_data_messages[PIPA_OTLP_1_10];

	pipa_proto_json_matches(message, (struct pipa_span){ data, size });
	check_text(message, (struct pipa_span){ data, size });
	check_bytes(message, data, size);
	return 0;
}
