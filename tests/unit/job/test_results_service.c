#include "job/results/results_service.h"

#include <errno.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"
#include "rpc/result_message.h"
#include "rpc/store_messages.h"
#include "store/results/recording_files.h"
#include "store/results/results_sqlite.h"

static struct pipa_span span(const char *text)
{
	return (struct pipa_span){ (const uint8_t *)text, strlen(text) };
}

static struct pipa_span bytes_of(const struct pipa_buf *buf)
{
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(buf), buf->len };
}

static bool is(struct pipa_span got, const char *want)
{
	return got.size == strlen(want) && memcmp(got.data, want, got.size) == 0;
}

static char last_hash[65];

/* A store of five runs: CPI 1 to 5, workload "a" for the odd ones. */
static struct pipa_results *new_store(void)
{
	static char path[512];
	struct pipa_results_sqlite_options options = { .path = path, .table = "example" };
	struct pipa_results_label label = { span("branch"), span("main") };
	struct pipa_results_answer answer;
	struct pipa_results *store = NULL;
	struct pipa_error err;
	int i;

	snprintf(path, sizeof(path), "%s/r.db", pipa_test_dir());
	if (pipa_results_sqlite_open(&options, &store, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	for (i = 1; i <= 5; i++) {
		struct pipa_result result = { 0 };
		struct pipa_results_upload upload = { .result = &result,
						      .labels = &label,
						      .n_labels = i == 5 ? 1 : 0 };

		pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, i % 2 ? "a" : "b, \"c\"");
		pipa_result_set_real(&result, PIPA_RESULT_CPI, i);
		pipa_result_set_string(&result, PIPA_RESULT_USERNAME, "ann");
		CHECK_EQ(pipa_results_upload_wait(store, &upload, &answer, &err), 0);
	}
	snprintf(last_hash, sizeof(last_hash), "%s", answer.hash);
	return store;
}

/* Encode the request, call the method, decode the response. */
static int call(struct pipa_results *store,
		int (*method)(struct pipa_results *store, struct pipa_span request,
			      struct pipa_buf *response, struct pipa_error *err),
		const struct pipa_proto_message *request_message, const void *request,
		const struct pipa_proto_message *response_message, void *response,
		struct pipa_error *err)
{
	static struct pipa_proto_memory memory;
	static struct pipa_buf answer;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	int rc;

	pipa_buf_reset(&answer);
	CHECK_EQ(pipa_rpc_encode(request_message, request, &bytes), 0);
	rc = method(store, bytes_of(&bytes), &answer, err);
	if (rc < 0)
		return rc;
	return pipa_rpc_decode(response_message, bytes_of(&answer), &memory, response, err);
}

static int query(struct pipa_results *store, const struct pipa_store_query_request *request,
		 struct pipa_store_query_response *response, struct pipa_error *err)
{
	return call(store, pipa_results_query, &pipa_store_query_request_message, request,
		    &pipa_store_query_response_message, response, err);
}

TEST(query_returns_runs_newest_first_in_pages)
{
	struct pipa_results *store = new_store();
	struct pipa_store_query_request request = { .limit = 2 };
	struct pipa_store_query_response response;
	struct pipa_proto_memory memory = { 0 };
	struct pipa_result result;
	struct pipa_error err;
	char token[32];
	int page, n = 0;

	for (page = 0; page < 3; page++) {
		size_t i;

		CHECK_EQ(query(store, &request, &response, &err), 0);
		CHECK_EQ(response.runs.n, page < 2 ? 2 : 1);
		for (i = 0; i < response.runs.n; i++) {
			CHECK_EQ(pipa_rpc_decode_result(response.runs.items[i].result, &memory,
							&result, &err),
				 0);
			CHECK_NEAR(result.values[PIPA_RESULT_CPI].real, 5 - n++, 0);
			CHECK(is(response.runs.items[i].table, "example"));
		}
		CHECK_EQ(response.next_page_token.size > 0, page < 2);
		if (page == 0) {
			CHECK(is(response.runs.items[0].hash, last_hash));
			CHECK_EQ(response.runs.items[0].labels.n, 1);
			CHECK(is(response.runs.items[0].labels.items[0].key, "branch"));
		}
		snprintf(token, sizeof(token), "%.*s", (int)response.next_page_token.size,
			 (const char *)response.next_page_token.data);
		request.page_token = span(token);
	}
	pipa_proto_memory_done(&memory);
	pipa_results_close(store, NULL);
}

TEST(query_filters_by_fields_labels_and_expression)
{
	struct pipa_results *store = new_store();
	struct pipa_store_label label = { span("branch"), { 0 } };
	struct pipa_store_filter filter = { .workload = span("a"), .where = span("CPI > 2") };
	struct pipa_store_query_request request = { .filter = &filter };
	struct pipa_store_query_response response;
	struct pipa_error err;

	CHECK_EQ(query(store, &request, &response, &err), 0);
	CHECK_EQ(response.runs.n, 2);
	filter = (struct pipa_store_filter){ .labels = { &label, 1 } };
	CHECK_EQ(query(store, &request, &response, &err), 0);
	CHECK_EQ(response.runs.n, 1);
	label.value = span(""); /* not any value */
	CHECK_EQ(query(store, &request, &response, &err), 0);
	CHECK_EQ(response.runs.n, 0);
	filter = (struct pipa_store_filter){ .where = span("latency > 2") };
	CHECK_EQ(query(store, &request, &response, &err), -EINVAL);
	filter = (struct pipa_store_filter){ .table = span("other") };
	CHECK_EQ(query(store, &request, &response, &err), -ENOENT);
	filter = (struct pipa_store_filter){ 0 };
	request.page_token = span("5 OR 1");
	CHECK_EQ(query(store, &request, &response, &err), -EINVAL);
	CHECK_EQ(pipa_results_query(store, span("\xff\xff"), NULL, &err), -EBADMSG);
	pipa_results_close(store, NULL);
}

TEST(query_metric_returns_statistics_per_group)
{
	struct pipa_results *store = new_store();
	struct pipa_span metrics[] = { span("CPI"), span("cycles") }, by[] = { span("workload") };
	struct pipa_store_query_metric_request request = { .metrics = { metrics, 2 },
							   .by = { by, 1 } };
	struct pipa_store_query_metric_response response;
	struct pipa_error err;

	CHECK_EQ(call(store, pipa_results_query_metric, &pipa_store_query_metric_request_message,
		      &request, &pipa_store_query_metric_response_message, &response, &err),
		 0);
	CHECK_EQ(response.runs, 5);
	CHECK_EQ(response.groups.n, 2);
	CHECK(is(response.groups.items[0].by.items[0], "a"));
	CHECK_EQ(response.groups.items[0].runs, 3);
	CHECK_NEAR(response.groups.items[0].metrics.items[0].mean, 3, 1e-12);
	CHECK_NEAR(response.groups.items[0].metrics.items[0].stddev, 2, 1e-12);
	CHECK_NEAR(response.groups.items[0].metrics.items[0].last, 5, 0);
	CHECK_EQ(response.groups.items[0].metrics.items[1].count, 0);
	by[0] = span("CPI"); /* the groups of the newest runs are within the limit */
	request.limit = 2;
	CHECK_EQ(call(store, pipa_results_query_metric, &pipa_store_query_metric_request_message,
		      &request, &pipa_store_query_metric_response_message, &response, &err),
		 0);
	CHECK_EQ(response.groups.n, 2);
	CHECK_EQ(response.dropped_runs, 3);
	CHECK(is(response.groups.items[0].by.items[0], "4"));
	CHECK(is(response.groups.items[1].by.items[0], "5"));
	request.limit = 0;
	by[0] = span("label:branch");
	CHECK_EQ(call(store, pipa_results_query_metric, &pipa_store_query_metric_request_message,
		      &request, &pipa_store_query_metric_response_message, &response, &err),
		 0);
	CHECK_EQ(response.groups.n, 2);
	CHECK_EQ(response.groups.items[0].by.items[0].size, 0);
	CHECK(is(response.groups.items[1].by.items[0], "main"));
	CHECK_EQ(response.groups.items[1].runs, 1);
	pipa_results_close(store, NULL);
}

TEST(tables_are_listed)
{
	struct pipa_results *store = new_store();
	struct pipa_store_list_tables_request request = { 0 };
	struct pipa_store_list_tables_response response;
	struct pipa_error err;

	CHECK_EQ(call(store, pipa_results_list_tables, &pipa_store_list_tables_request_message,
		      &request, &pipa_store_list_tables_response_message, &response, &err),
		 0);
	CHECK_EQ(response.tables.n, 1);
	CHECK(is(response.tables.items[0].name, "example"));
	CHECK_EQ(response.tables.items[0].rows, 5);
	CHECK(response.tables.items[0].is_default);
	pipa_results_close(store, NULL);
}

struct received {
	struct pipa_buf file;
	size_t messages, until;
	struct pipa_store_recording recording;
};

static int take_chunk(void *ctx, struct pipa_span message)
{
	struct pipa_store_download_response response;
	struct pipa_proto_memory memory = { 0 };
	struct received *received = ctx;

	CHECK_EQ(pipa_rpc_decode(&pipa_store_download_response_message, message, &memory, &response,
				 NULL),
		 0);
	CHECK(response.chunk.size <= PIPA_STORE_CHUNK);
	pipa_buf_add(&received->file, response.chunk.data, response.chunk.size);
	return ++received->messages == received->until ? -ECANCELED : 0;
}

static int download(struct pipa_results *store, int32_t format, const char *where,
		    struct received *received, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_store_filter filter = { .where = span(where) };
	struct pipa_store_download_request request = { .filter = &filter, .format = format };

	CHECK_EQ(pipa_rpc_encode(&pipa_store_download_request_message, &request, &bytes), 0);
	return pipa_results_download(store, bytes_of(&bytes), take_chunk, received, err);
}

TEST(download_has_the_selected_rows_in_every_format)
{
	struct pipa_results *store = new_store();
	struct received csv = { 0 }, json = { 0 }, xlsx = { 0 }, parquet = { 0 };
	struct pipa_error err;

	CHECK_EQ(download(store, PIPA_STORE_FORMAT_UNSPECIFIED, "CPI == 2 or CPI == 3", &csv, &err),
		 0);
	CHECK(strncmp(pipa_buf_str(&csv.file), "hash,upload_time,record,workload,transactions,",
		      45) == 0);
	CHECK_HAS(pipa_buf_str(&csv.file), ",\"b, \"\"c\"\"\",,,,,,,,,2,,,");
	CHECK_HAS(pipa_buf_str(&csv.file), ",a,,,,,,,,,3,,,");
	CHECK_HAS(pipa_buf_str(&csv.file), ",ann\n");
	CHECK_EQ(download(store, PIPA_STORE_FORMAT_JSON, "CPI == 2", &json, &err), 0);
	CHECK_HAS(pipa_buf_str(&json.file),
		  "\"workload\": \"b, \\\"c\\\"\", \"transactions\": null");
	CHECK_EQ(download(store, PIPA_STORE_FORMAT_XLSX, "CPI == 2", &xlsx, &err), 0);
	CHECK(memcmp(xlsx.file.data, "PK\3\4", 4) == 0);
	CHECK_EQ(download(store, PIPA_STORE_FORMAT_PARQUET, "CPI == 2", &parquet, &err), 0);
	CHECK(memcmp(parquet.file.data, "PAR1", 4) == 0);
	CHECK_EQ(download(store, 17, "CPI == 2", &parquet, &err), -EINVAL);
	CHECK_EQ(download(store, 1, "workload > 2", &parquet, &err), -EINVAL);
	csv.messages = 0;
	csv.until = 1;
	CHECK_EQ(download(store, 1, "CPI > 0", &csv, &err), -ECANCELED);
	pipa_buf_done(&csv.file);
	pipa_buf_done(&json.file);
	pipa_buf_done(&xlsx.file);
	pipa_buf_done(&parquet.file);
	pipa_results_close(store, NULL);
}

TEST(download_names_the_text_that_exceeds_a_cell)
{
	struct pipa_results *store = new_store();
	static char comment[32769];
	struct pipa_result result = { 0 };
	struct pipa_results_upload upload = { .result = &result };
	struct pipa_results_answer answer;
	struct received xlsx = { 0 };
	struct pipa_error err;
	char what[200];

	memset(comment, 'c', sizeof(comment) - 1);
	pipa_result_set_string(&result, PIPA_RESULT_COMMENT, comment);
	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, "w");
	pipa_result_set_string(&result, PIPA_RESULT_USERNAME, "ann");
	CHECK_EQ(pipa_results_upload_wait(store, &upload, &answer, &err), 0);
	CHECK_EQ(download(store, PIPA_STORE_FORMAT_XLSX, "", &xlsx, &err), -EFBIG);
	snprintf(what, sizeof(what),
		 "cannot write the table: comment of run %s exceeds 32767 characters", answer.hash);
	CHECK_STR(err.what, what);
	CHECK_STR(err.hint, "use csv, json or parquet");
	pipa_buf_done(&xlsx.file);
	pipa_results_close(store, NULL);
}

TEST(full_table_is_one_message_within_the_limit)
{
	struct pipa_results *store = new_store();
	struct pipa_pipad_download_request request = { .table_name = span("example"),
						       .file_option = span("csv") };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 }, small = { .max = 500 };
	struct pipa_pipad_download_resp response;
	struct pipa_error err;

	CHECK_EQ(call(store, pipa_results_download_full_table, &pipa_pipad_download_request_message,
		      &request, &pipa_pipad_download_resp_message, &response, &err),
		 0);
	CHECK(memcmp(response.file_content.data, "hash,upload_time,", 17) == 0);
	CHECK_EQ(pipa_rpc_encode(&pipa_pipad_download_request_message, &request, &bytes), 0);
	CHECK_EQ(pipa_results_download_full_table(store, bytes_of(&bytes), &small, &err), -EFBIG);
	CHECK_HAS(err.what, "exceeds the limit of a message");
	request.file_option = span("ods");
	CHECK_EQ(call(store, pipa_results_download_full_table, &pipa_pipad_download_request_message,
		      &request, &pipa_pipad_download_resp_message, &response, &err),
		 -EINVAL);
	request.table_name = span("example; DROP TABLE example");
	request.file_option = span("xlsx");
	CHECK_EQ(call(store, pipa_results_download_full_table, &pipa_pipad_download_request_message,
		      &request, &pipa_pipad_download_resp_message, &response, &err),
		 -ENOENT);
	pipa_results_close(store, NULL);
}

static int take_recording(void *ctx, struct pipa_span message)
{
	static struct pipa_proto_memory memory;
	struct pipa_store_download_recording_response response;
	struct received *received = ctx;

	CHECK_EQ(pipa_rpc_decode(&pipa_store_download_recording_response_message, message, &memory,
				 &response, NULL),
		 0);
	CHECK_EQ(response.recording != NULL, received->messages == 0);
	if (response.recording)
		received->recording.size = response.recording->size;
	pipa_buf_add(&received->file, response.chunk.data, response.chunk.size);
	received->messages++;
	return 0;
}

TEST(recording_is_downloaded_from_an_offset)
{
	enum { SIZE = 200000 };
	struct pipa_results *store = new_store();
	struct pipa_recording_upload *upload;
	struct pipa_recording_info info;
	struct pipa_store_download_recording_request request = { .hash = span(last_hash) };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct received received = { 0 };
	struct pipa_error err;
	uint8_t *content = malloc(SIZE);
	size_t i;

	for (i = 0; content && i < SIZE; i++)
		content[i] = (uint8_t)(i * i >> 3);
	CHECK_EQ(pipa_recording_begin(store, (struct pipa_span){ 0 }, span(last_hash),
				      span("perf.data"), &upload, &err),
		 0);
	CHECK_EQ(pipa_recording_add(upload, (struct pipa_span){ content, SIZE }, &err), 0);
	CHECK_EQ(pipa_recording_commit(upload, (struct pipa_span){ 0 }, SIZE, &info, &err), 0);
	pipa_recording_end(upload);
	request.id = span(info.id);
	request.offset = 1000;
	CHECK_EQ(pipa_rpc_encode(&pipa_store_download_recording_request_message, &request, &bytes),
		 0);
	CHECK_EQ(pipa_results_download_recording(store, bytes_of(&bytes), take_recording, &received,
						 &err),
		 0);
	CHECK_EQ(received.recording.size, SIZE);
	CHECK_EQ(received.file.len, SIZE - 1000);
	CHECK(memcmp(received.file.data, content + 1000, SIZE - 1000) == 0);
	pipa_buf_done(&received.file);
	free(content);
	pipa_results_close(store, NULL);
}
