/*
 * Messages beside Google's compiler: protoc encodes a message from text, ours decodes it and encodes it again to the same
 * bytes. Both write fields in the order of their numbers.
 */
#include <errno.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "lib/test.h"
#include "model/result.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"
#include "rpc/result_message.h"
#include "rpc/store_messages.h"

static void run_protoc(const char *direction, const char *type, const char *in, const char *out)
{
	const char *source = getenv("PIPA_SOURCE");
	char command[2048];
	bool ours = strncmp(type, "pipa.store", 10) == 0;

	if (!source)
		SKIP("PIPA_SOURCE is not set: run by ctest");
	if (system("command -v protoc > /dev/null") != 0)
		SKIP("no protoc");
	snprintf(command, sizeof(command),
		 "cd '%s/proto' && protoc --%s=%s %s < '%s/%s' > '%s/%s' 2> '%s/log'", source,
		 direction, type, ours ? "pipa/store/v1/store.proto" : "pipa.proto",
		 pipa_test_dir(), in, pipa_test_dir(), out, pipa_test_dir());
	if (system(command) != 0)
		pipa_test_fail(__FILE__, __LINE__, "fails: %s", command);
}

static void read_back(const char *name, struct pipa_buf *ret)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", pipa_test_dir(), name);
	CHECK_EQ(pipa_file_read(path, ret, NULL), 0);
}

static void encode_text(const char *type, const char *text, struct pipa_buf *ret)
{
	pipa_test_file(pipa_test_dir(), "text", text);
	run_protoc("encode", type, "text", "bytes");
	read_back("bytes", ret);
}

/* Decode what protoc encodes of the text, encode it again, compare. Returns the struct. */
static void *round_trip(const struct pipa_proto_message *message, const char *type,
			const char *text)
{
	static struct pipa_proto_memory memory;
	static struct pipa_buf bytes;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf again = { 0 };
	struct pipa_error err = { 0 };
	void *ret = calloc(1, message->size);

	CHECK(ret);
	pipa_buf_reset(&bytes);
	encode_text(type, text, &bytes);
	if (pipa_rpc_decode(message, (struct pipa_span){ (void *)bytes.data, bytes.len }, &memory,
			    ret, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	CHECK_EQ(pipa_rpc_encode(message, ret, &again), 0);
	CHECK_EQ(again.len, bytes.len);
	CHECK(!again.len || memcmp(again.data, bytes.data, again.len) == 0);
	return ret;
}

TEST(protoc_knows_all_fields_of_a_result_by_name_and_type)
{
	static struct pipa_proto_memory memory;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 }, bytes = { 0 }, again = { 0 };
	struct pipa_result result;
	struct pipa_error err = { 0 };
	int i;

	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		pipa_buf_puts(&text, pipa_result_fields[i].name);
		switch (pipa_result_fields[i].type) {
		case PIPA_RESULT_TEXT: pipa_buf_printf(&text, ": \"text %d\"\n", i); break;
		case PIPA_RESULT_UINT64:
			pipa_buf_printf(&text, ": %llu\n", 18446744073709551615ull - (unsigned)i);
			break;
		case PIPA_RESULT_DOUBLE: pipa_buf_printf(&text, ": %d.25\n", i); break;
		case PIPA_RESULT_LIST: pipa_buf_puts(&text, ": [36, 37, 4294967295]\n"); break;
		}
	}
	encode_text("pipa.DeployRequest", pipa_buf_str(&text), &bytes);
	if (pipa_rpc_decode_result((struct pipa_span){ (void *)bytes.data, bytes.len }, &memory,
				   &result, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++)
		CHECK(pipa_result_has(&result, (enum pipa_result_field)i));
	CHECK(result.values[PIPA_RESULT_CYCLES].number ==
	      UINT64_MAX - (unsigned)PIPA_RESULT_CYCLES);
	CHECK_NEAR(result.values[PIPA_RESULT_CPI].real, 10.25, 0);
	CHECK_EQ(result.values[PIPA_RESULT_USED_THREADS].list.items[2], UINT32_MAX);
	CHECK_EQ(pipa_rpc_encode_result(&result, &again), 0);
	CHECK_EQ(again.len, bytes.len);
	CHECK(memcmp(again.data, bytes.data, bytes.len) == 0);
}

TEST(protoc_and_we_agree_on_zero_of_optional_fields)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, again = { 0 };
	static struct pipa_proto_memory memory;
	struct pipa_result result;

	encode_text("pipa.DeployRequest",
		    "cpu_usr: 0 kbmemfree: 0 comment: \"\" cycles: 0 CPI: 0 workload: \"\"",
		    &bytes);
	CHECK_EQ(pipa_rpc_decode_result((struct pipa_span){ (void *)bytes.data, bytes.len },
					&memory, &result, NULL),
		 0);
	CHECK_EQ(result.set, UINT64_C(1) << PIPA_RESULT_CPU_USR |
				     UINT64_C(1) << PIPA_RESULT_KBMEMFREE |
				     UINT64_C(1) << PIPA_RESULT_COMMENT);
	CHECK_EQ(pipa_rpc_encode_result(&result, &again), 0);
	CHECK_EQ(again.len, bytes.len);
	CHECK(memcmp(again.data, bytes.data, bytes.len) == 0);
}

TEST(messages_of_pipad_are_those_of_protoc)
{
	struct pipa_pipad_deploy_resp *resp = round_trip(
		&pipa_pipad_deploy_resp_message, "pipa.DeployResp",
		"message: 'deploy success' username: 'u' time: '1.5' hash: \"'12'\" "
		"upload_datetime: '2026-01-01 00:00:00.000000' status_code: 200");
	struct pipa_pipad_download_request *request;

	CHECK_EQ(resp->status_code, 200);
	request = round_trip(&pipa_pipad_download_request_message, "pipa.DownloadFullTableRequest",
			     "pipad_ip_addr: '::1' pipad_port: 50051 table_name: 'example' "
			     "file_option: 'csv'");
	CHECK_EQ(request->pipad_port, 50051);
	CHECK_EQ(request->file_option.size, 3);
	free(round_trip(&pipa_pipad_download_resp_message, "pipa.DownloadFullTableResp",
			"file_content: 'a\\000\\377b'"));
	free(resp);
	free(request);
}

#define FILTER                                                                                     \
	"filter { table: 't' hash: 'h' workload: 'w' platform: 'p' username: 'u' "                 \
	"labels { key: 'a' value: 'b' } labels { key: 'c' } since_us: 5 until_us: 6 "              \
	"labels { key: 'd' value: '' } where: 'CPI > 1' }"

TEST(messages_of_the_store_are_those_of_protoc)
{
	static const struct {
		const struct pipa_proto_message *message;
		const char *name, *text;
	} cases[] = {
		{ &pipa_store_upload_request_message, "UploadRequest",
		  "table: 't' result { workload: 'w' cycles: 5 used_threads: [1, 2] } "
		  "labels { key: 'k' value: 'v' }" },
		{ &pipa_store_upload_response_message, "UploadResponse",
		  "hash: 'h' upload_time_us: 9 upload_datetime: 'd' record: 'r' existed: true" },
		{ &pipa_store_query_request_message, "QueryRequest",
		  FILTER " limit: 7 page_token: '9'" },
		{ &pipa_store_query_response_message, "QueryResponse",
		  "runs { table: 't' hash: 'h' upload_time_us: 4 record: 'r' labels { key: 'k' } "
		  "recordings { id: 'i' name: 'n' size: 3 upload_time_us: 2 } result { CPI: 2 } } "
		  "runs { hash: 'x' } next_page_token: '5'" },
		{ &pipa_store_query_metric_request_message, "QueryMetricRequest",
		  FILTER " metrics: 'CPI' metrics: 'tps' by: 'workload' by: 'day' limit: 3" },
		{ &pipa_store_query_metric_response_message, "QueryMetricResponse",
		  "groups { by: 'a' by: '' runs: 2 first_us: 1 last_us: 2 metrics { metric: 'CPI' "
		  "unit: '%' count: 2 mean: 1.5 stddev: 2 min: 3 max: -4 last: 5 } } runs: 2 "
		  "dropped_runs: 1" },
		{ &pipa_store_list_tables_request_message, "ListTablesRequest", "" },
		{ &pipa_store_list_tables_response_message, "ListTablesResponse",
		  "tables { name: 'n' rows: 1 first_us: 2 last_us: 3 is_default: true } tables { }" },
		{ &pipa_store_download_request_message, "DownloadRequest",
		  FILTER " format: FORMAT_PARQUET" },
		{ &pipa_store_download_response_message, "DownloadResponse", "chunk: 'x'" },
		{ &pipa_store_upload_recording_request_message, "UploadRecordingRequest",
		  "table: 't' hash: 'h' name: 'n' size: 5 id: 'i' chunk: '\\000\\001'" },
		{ &pipa_store_upload_recording_response_message, "UploadRecordingResponse",
		  "recording { id: 'i' name: 'n' } existed: true" },
		{ &pipa_store_download_recording_request_message, "DownloadRecordingRequest",
		  "table: 't' hash: 'h' id: 'i' offset: 5" },
		{ &pipa_store_download_recording_response_message, "DownloadRecordingResponse",
		  "recording { id: 'i' } chunk: 'x'" },
		{ &pipa_store_delete_request_message, "DeleteRequest",
		  "table: 't' hashes: 'a' hashes: 'b'" },
		{ &pipa_store_delete_response_message, "DeleteResponse", "runs: 1 recordings: 2" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		char type[64];

		snprintf(type, sizeof(type), "pipa.store.v1.%s", cases[i].name);
		CHECK_STR(cases[i].message->name, cases[i].name);
		free(round_trip(cases[i].message, type, cases[i].text));
	}
}

TEST(text_of_a_message_inside_that_is_not_utf8_is_refused)
{
	/* QueryRequest.filter.labels[0].key */
	static const uint8_t bytes[] = { 0x0a, 5, 0x32, 3, 0x0a, 1, 0xff };
	struct pipa_proto_memory memory = { .max = 1 << 20 };
	struct pipa_store_query_request request;
	struct pipa_error err;

	CHECK_EQ(pipa_rpc_decode(&pipa_store_query_request_message,
				 (struct pipa_span){ bytes, sizeof(bytes) }, &memory, &request,
				 &err),
		 -EBADMSG);
	CHECK_STR(err.what, "cannot decode Label.key: the text is not UTF-8");
	pipa_proto_memory_done(&memory);
}
