#include "rpc/result_message.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"

/* used_threads is decoded by the codec, as a message of this one field. */
struct threads {
	PIPA_PROTO_LIST(uint32_t) used_threads;
};

static const struct pipa_proto_field threads_fields[] = {
	PIPA_PROTO_REPEATED(threads, PIPA_RESULT_USED_THREADS, UINT32, used_threads),
};

static const struct pipa_proto_message threads_message = {
	.name = "DeployRequest",
	.fields = threads_fields,
	.n_fields = 1,
	.size = sizeof(struct threads),
};

static int refuse(struct pipa_error *err, enum pipa_result_field field, const char *what)
{
	return pipa_refuse(err, -EBADMSG, "cannot decode DeployRequest%s%s: %s", field ? "." : "",
			   field ? pipa_result_fields[field].name : "", what);
}

static int decode_field(const struct pipa_proto_item *item, struct pipa_result *result,
			struct pipa_error *err)
{
	enum pipa_result_field field = (enum pipa_result_field)item->number;
	double real;

	switch (pipa_result_fields[field].type) {
	case PIPA_RESULT_TEXT:
		if (item->wire != PIPA_WIRE_BYTES)
			break;
		if (!pipa_utf8_is_valid(item->bytes.data, item->bytes.size))
			return refuse(err, field, "the text is not UTF-8");
		pipa_result_set_text(result, field, item->bytes);
		return 0;
	case PIPA_RESULT_UINT64:
		if (item->wire != PIPA_WIRE_VARINT)
			break;
		pipa_result_set_number(result, field, item->value);
		return 0;
	case PIPA_RESULT_DOUBLE:
		if (item->wire != PIPA_WIRE_FIXED64)
			break;
		memcpy(&real, &item->value, sizeof(real));
		pipa_result_set_real(result, field, real);
		return 0;
	case PIPA_RESULT_LIST:
		if (item->wire != PIPA_WIRE_BYTES && item->wire != PIPA_WIRE_VARINT)
			break;
		return 1; /* decoded after all others */
	}
	return refuse(err, field, "wrong wire type");
}

static int decode_threads(struct pipa_span bytes, struct pipa_proto_memory *memory,
			  struct pipa_result *result, struct pipa_error *err)
{
	struct pipa_proto_error fault;
	struct threads threads;
	int rc = pipa_proto_decode(&threads_message, bytes, memory, &threads, &fault);

	if (!rc && threads.used_threads.n > PIPA_RPC_THREADS_MAX)
		rc = -E2BIG;
	if (rc == -EBADMSG)
		return refuse(err, PIPA_RESULT_USED_THREADS, fault.what);
	if (rc < 0)
		return pipa_fail(err, rc, "decode DeployRequest.used_threads");
	pipa_result_set_list(result, threads.used_threads.items, threads.used_threads.n);
	return 0;
}

int pipa_rpc_decode_result(struct pipa_span bytes, struct pipa_proto_memory *memory,
			   struct pipa_result *ret, struct pipa_error *err)
{
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	struct pipa_result result = { 0 };
	struct pipa_proto_item item = { 0 };
	struct pipa_proto_error fault;
	/* the next field, and all from the first field of threads up to the end of the last */
	const uint8_t *begin = in.pos;
	struct pipa_span threads = { 0 };
	int rc;

	while ((rc = pipa_proto_next(&in, &item, &fault)) > 0) {
		rc = item.number <= PIPA_RESULT_FIELDS ? decode_field(&item, &result, err) : 0;
		if (rc < 0)
			return rc;
		if (rc > 0) {
			threads.data = threads.data ? threads.data : begin;
			threads.size = (size_t)(in.pos - threads.data);
		}
		begin = in.pos;
	}
	if (rc < 0)
		return refuse(err, 0, fault.what);
	if (threads.size)
		rc = decode_threads(threads, memory, &result, err);
	if (!rc)
		*ret = result;
	return rc;
}

static int append_bytes(void *ctx, const char *bytes, size_t len)
{
	struct pipa_buf *out = ctx;

	pipa_buf_add(out, bytes, len);
	return out->status;
}

static void encode_threads(struct pipa_proto_writer *w, const struct pipa_result *result)
{
	const union pipa_result_value *value = &result->values[PIPA_RESULT_USED_THREADS];
	size_t start = pipa_proto_begin(w, PIPA_RESULT_USED_THREADS), i;

	for (i = 0; i < value->list.n; i++) {
		uint8_t *to = pipa_proto_room(w, PIPA_VARINT_MAX);

		if (!to)
			break;
		w->len = (size_t)(pipa_proto_encode_varint(to, value->list.items[i]) - w->window);
	}
	pipa_proto_end(w, start);
}

int pipa_rpc_encode_result(const struct pipa_result *result, struct pipa_buf *out)
{
	struct pipa_proto_writer w;
	uint64_t bits;
	uint32_t i;
	int rc;

	pipa_proto_writer_init(&w, append_bytes, out);
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		const union pipa_result_value *value = &result->values[i];

		if (!pipa_result_has(result, (enum pipa_result_field)i))
			continue;
		switch (pipa_result_fields[i].type) {
		case PIPA_RESULT_TEXT:
			pipa_proto_put_bytes(&w, i, value->text.data, value->text.size);
			break;
		case PIPA_RESULT_UINT64: pipa_proto_put_always(&w, i, value->number); break;
		case PIPA_RESULT_DOUBLE:
			memcpy(&bits, &value->real, sizeof(bits));
			pipa_proto_put_fixed64(&w, i, bits, true);
			break;
		case PIPA_RESULT_LIST: encode_threads(&w, result); break;
		}
	}
	rc = pipa_proto_flush(&w);
	pipa_proto_writer_done(&w);
	if (rc < 0 && !out->status)
		out->status = rc; /* the message is incomplete */
	return rc;
}
