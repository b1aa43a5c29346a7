/*
 * Messages of pipad's services, the first byte selects the type: one that is decoded is encoded to
 * bytes that are decoded to the same, and a result keeps its key.
 */
#include "base/buf.h"
#include "base/error.h"
#include "fuzz.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"
#include "rpc/result_hash.h"
#include "rpc/result_message.h"
#include "rpc/store_messages.h"

static const struct pipa_proto_message *const messages[] = {
	&pipa_pipad_deploy_resp_message,
	&pipa_pipad_download_request_message,
	&pipa_pipad_download_resp_message,
	&pipa_store_upload_request_message,
	&pipa_store_upload_response_message,
	&pipa_store_query_request_message,
	&pipa_store_query_response_message,
	&pipa_store_query_metric_request_message,
	&pipa_store_query_metric_response_message,
	&pipa_store_list_tables_response_message,
	&pipa_store_download_request_message,
	&pipa_store_upload_recording_request_message,
	&pipa_store_download_recording_response_message,
	&pipa_store_delete_request_message,
};

static struct pipa_span span_of(const struct pipa_buf *buf)
{
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(buf), buf->len };
}

static void check_message(const struct pipa_proto_message *message, struct pipa_span bytes)
{
	struct pipa_proto_memory memory = { .max = 1 << 20 }, other = { .max = 1 << 20 };
	struct pipa_buf once = { 0 }, twice = { 0 };
	void *first = calloc(1, message->size), *second = calloc(1, message->size);
	struct pipa_error err = { 0 };

	MUST(first && second);
	if (pipa_rpc_decode(message, bytes, &memory, first, &err) < 0) {
		MUST(err.code < 0 && err.what[0]);
	} else {
		MUST(pipa_rpc_encode(message, first, &once) == 0);
		MUST(pipa_rpc_decode(message, span_of(&once), &other, second, &err) == 0);
		MUST(pipa_rpc_encode(message, second, &twice) == 0);
		MUST(once.len == twice.len);
		MUST(once.len == 0 || memcmp(once.data, twice.data, once.len) == 0);
	}
	pipa_proto_memory_done(&memory);
	pipa_proto_memory_done(&other);
	pipa_buf_done(&once);
	pipa_buf_done(&twice);
	free(first);
	free(second);
}

static void check_result(struct pipa_span bytes)
{
	char hash[PIPA_RESULT_HASH_CHARS + 1], again[PIPA_RESULT_HASH_CHARS + 1];
	struct pipa_proto_memory memory = { .max = 1 << 20 };
	struct pipa_result first, second;
	struct pipa_buf once = { 0 };
	struct pipa_error err = { 0 };

	if (pipa_rpc_decode_result(bytes, &memory, &first, &err) < 0) {
		MUST(err.code < 0 && err.what[0]);
	} else {
		MUST(pipa_rpc_encode_result(&first, &once) == 0);
		MUST(pipa_rpc_decode_result(span_of(&once), &memory, &second, &err) == 0);
		MUST(first.set == second.set);
		MUST(strcmp(pipa_result_hash(&first, hash), pipa_result_hash(&second, again)) == 0);
		pipa_result_check(&first, &err);
	}
	pipa_proto_memory_done(&memory);
	pipa_buf_done(&once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_span bytes;

	if (!size)
		return 0;
	bytes = (struct pipa_span){ data + 1, size - 1 };
	if (data[0] < PIPA_COUNT(messages))
		check_message(messages[data[0]], bytes);
	else
		check_result(bytes);
	return 0;
}
