/*
 * A report of pipa run as results: what is taken passes or fails the check of a store, and as a
 * message it is read back with the same fields; refused input leaks nothing.
 */
#include "base/buf.h"
#include "base/error.h"
#include "fuzz.h"
#include "import/result_json.h"
#include "rpc/result_message.h"

static void check_result(const struct pipa_result *result)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_proto_memory memory = { 0 };
	struct pipa_error err = { 0 };
	struct pipa_result again;

	if (pipa_result_check(result, &err) < 0) {
		MUST(err.what[0]);
		return;
	}
	MUST(pipa_rpc_encode_result(result, &bytes) == 0);
	MUST(pipa_rpc_decode_result((struct pipa_span){ (const uint8_t *)pipa_buf_str(&bytes),
							bytes.len },
				    &memory, &again, &err) == 0);
	MUST(again.set == result->set);
	pipa_proto_memory_done(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_result_document document = { 0 };
	struct pipa_error err = { 0 };
	size_t i;

	if (pipa_result_json_decode((const char *)data, size, &document, &err) < 0) {
		MUST(err.code < 0 && err.what[0]);
		MUST(!document.items && !document.n && !document.doc);
		return 0;
	}
	MUST(document.n > 0);
	for (i = 0; i < document.n; i++)
		check_result(&document.items[i].result);
	pipa_result_document_done(&document);
	return 0;
}
