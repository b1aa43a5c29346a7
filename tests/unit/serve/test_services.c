/* The services on a server and a store of their own, called by a gRPC client over the loopback. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread/worker.h"
#include "codec/proto.h"
#include "codec/sha256.h"
#include "lib/test.h"
#include "net/grpc_client.h"
#include "net/server/listen.h"
#include "net/server/server.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"
#include "rpc/result_message.h"
#include "rpc/store_messages.h"
#include "serve/health.h"
#include "serve/jobs.h"
#include "serve/reflection.h"
#include "serve/services.h"
#include "store/results/results.h"
#include "store/results/results_sqlite.h"

#define STORE "/" PIPA_STORE_SERVICE "/"

/* ---- the server -------------------------------------------------------------------------------------------- */

static const struct pipa_grpc_method *methods[40];
static struct pipa_health health = { .serving = true };
static struct pipa_services services = { .health = &health };
static struct pipa_worker thread;
static char port[8];

static void add_methods(const struct pipa_grpc_method *const *all)
{
	size_t n = 0;

	while (methods[n])
		n++;
	while (*all)
		methods[n++] = *all++;
}

static void run(void *ctx)
{
	struct pipa_error err;

	(void)ctx;
	CHECK_EQ(pipa_server_run(services.server, &err), 0);
}

static void start(unsigned int threads)
{
	static char path[300];
	const struct pipa_results_sqlite_options store = { .path = path, .table = "example" };
	const struct pipa_server_options server = {
		.service = { .methods = methods,
			     .services = &services,
			     .limits = { .header_bytes = 16 << 10,
					 .streams = 100,
					 .max_message = 1 << 20,
					 .greet_ns = 20 * PIPA_NS_PER_SEC,
					 .stall_ns = 60 * PIPA_NS_PER_SEC,
					 .idle_ns = 60 * PIPA_NS_PER_SEC } },
		.max_buffered = 64 << 20,
		.max_connections = 100,
	};
	struct pipa_listeners listeners = { .n = 0 };
	struct sockaddr_in address;
	socklen_t len = sizeof(address);
	struct pipa_error err;

	add_methods(pipa_pipad_methods);
	add_methods(pipa_store_methods);
	add_methods(pipa_health_methods);
	add_methods(pipa_reflection_methods);
	snprintf(path, sizeof(path), "%s/r.db", pipa_test_dir());
	if (pipa_results_sqlite_open(&store, &services.store, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	services.jobs = pipa_jobs_new(threads, 100);
	services.downloads = pipa_jobs_new(threads, 100);
	CHECK(services.jobs && services.downloads);
	CHECK_EQ(pipa_listen("127.0.0.1", "0", &listeners, NULL), 0);
	CHECK_EQ(getsockname(listeners.fds[0], (struct sockaddr *)&address, &len), 0);
	snprintf(port, sizeof(port), "%u", ntohs(address.sin_port));
	CHECK_EQ(pipa_server_new(&server, &services.server, NULL), 0);
	CHECK_EQ(pipa_server_listen(services.server, &listeners, NULL), 0);
	CHECK_EQ(pipa_worker_start(&thread, "server", PIPA_WORKER_STACK_PARSE, run, NULL), 0);
}

/* In the order of the daemon. */
static void stop(void)
{
	pipa_server_stop(services.server, 5 * PIPA_NS_PER_SEC);
	pipa_worker_join(&thread);
	pipa_jobs_stop(services.downloads);
	pipa_jobs_stop(services.jobs);
	pipa_server_run_tasks(services.server);
	CHECK_EQ(pipa_results_close(services.store, NULL), 0);
	pipa_server_free(services.server);
	pipa_jobs_free(services.jobs);
	pipa_jobs_free(services.downloads);
}

/* ---- the client -------------------------------------------------------------------------------------------- */

static struct pipa_grpc_client *client;
static struct pipa_grpc_reply reply;
static struct pipa_error error;
static struct pipa_proto_memory memory;

/* Messages of a stream, one after the other, and the number of them. */
static struct pipa_buf received;
static size_t n_received, refuse_after;
static int (*next_message)(void *ctx, struct pipa_span *ret);

static int receive(void *ctx, struct pipa_span message)
{
	struct pipa_store_download_response response;

	if (++n_received == refuse_after)
		return -ECANCELED;
	if (!ctx)
		pipa_buf_add(&received, message.data, message.size);
	else if (pipa_rpc_decode(&pipa_store_download_response_message, message, &memory, &response,
				 NULL) == 0)
		pipa_buf_add(&received, response.chunk.data, response.chunk.size);
	return 0;
}

/* Call a method with a message; its gRPC code, or a negative errno. `streams`: the replies go to `received`. */
static int call_bytes(const char *path, struct pipa_span message, bool streams, void *ctx)
{
	const struct pipa_grpc_client_options options = {
		.host = "127.0.0.1", .port = port, .user_agent = "test", .max_reply = 8 << 20
	};
	const struct pipa_grpc_request request = { .path = path,
						   .message = message,
						   .until_ns = pipa_clock_ns() +
							       60 * PIPA_NS_PER_SEC,
						   .next = next_message,
						   .receive = streams ? receive : NULL,
						   .ctx = ctx };
	int rc;

	if (!client)
		client = pipa_grpc_client_new(&options);
	CHECK(client);
	pipa_grpc_reply_done(&reply);
	reply = (struct pipa_grpc_reply){ 0 };
	pipa_buf_done(&received);
	received.max = 16 << 20;
	n_received = 0;
	rc = pipa_grpc_call(client, &request, &reply, &error);
	return rc < 0 ? rc : reply.code;
}

static int call(const char *path, const struct pipa_proto_message *type, const void *from,
		bool streams)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };

	CHECK_EQ(pipa_rpc_encode(type, from, &message), 0);
	return call_bytes(path, (struct pipa_span){ (const uint8_t *)message.data, message.len },
			  streams, streams ? &client : NULL);
}

static void decode(const struct pipa_proto_message *type, void *ret)
{
	pipa_proto_reset(&memory);
	CHECK_EQ(pipa_rpc_decode(type,
				 (struct pipa_span){ (const uint8_t *)pipa_buf_str(&reply.message),
						     reply.message.len },
				 &memory, ret, &error),
		 0);
}

static void end(void)
{
	pipa_grpc_client_free(client);
	client = NULL;
	pipa_grpc_reply_done(&reply);
	pipa_buf_done(&received);
	pipa_proto_memory_done(&memory);
	stop();
}

static bool equals(struct pipa_span span, const char *text)
{
	return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

/* Encode a result. */
static void put_result(struct pipa_buf *out, const char *workload, uint64_t transactions)
{
	struct pipa_result result = { 0 };

	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, workload);
	pipa_result_set_number(&result, PIPA_RESULT_TRANSACTIONS, transactions);
	pipa_result_set_string(&result, PIPA_RESULT_USERNAME, "ann");
	CHECK_EQ(pipa_rpc_encode_result(&result, out), 0);
}

/* Upload with a label unless it is NULL; the key of the row goes to `hash`. */
static int upload(const char *workload, uint64_t transactions, const char *label, char *hash)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };
	struct pipa_store_label labels[1] = { { pipa_span_of("host"), pipa_span_of(label) } };
	struct pipa_store_upload_request request = { 0 };
	struct pipa_store_upload_response response;
	int rc;

	put_result(&message, workload, transactions);
	request.result = (struct pipa_span){ (const uint8_t *)message.data, message.len };
	request.labels.items = labels;
	request.labels.n = label ? 1 : 0;
	rc = call(STORE "Upload", &pipa_store_upload_request_message, &request, false);
	if (!rc && hash) {
		decode(&pipa_store_upload_response_message, &response);
		CHECK_EQ(response.hash.size, 64);
		memcpy(hash, response.hash.data, 64);
		hash[64] = '\0';
	}
	return rc;
}

static int check(const char *service)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };

	pipa_buf_putc(&message, '\x0a');
	pipa_buf_putc(&message, (char)strlen(service));
	pipa_buf_puts(&message, service);
	return call_bytes("/grpc.health.v1.Health/Check",
			  (struct pipa_span){ (const uint8_t *)message.data, message.len }, false,
			  NULL);
}

/* ---- PIPA's methods ---------------------------------------------------------------------------------------- */

TEST(deploy_is_acknowledged_as_by_pipas_server)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };
	struct pipa_pipad_deploy_resp first;
	char hash[80], time[40];
	struct pipa_span bytes;

	start(2);
	put_result(&message, "w", 5);
	bytes = (struct pipa_span){ (const uint8_t *)message.data, message.len };
	CHECK_EQ(call_bytes("/pipa.PIPAD/Deploy", bytes, false, NULL), 0);
	decode(&pipa_pipad_deploy_resp_message, &first);
	CHECK_EQ(first.status_code, 200);
	CHECK(equals(first.message, "deploy success") && equals(first.username, "ann"));
	CHECK(first.hash.size == 66 && first.hash.data[0] == '\'' && first.hash.data[65] == '\'');
	CHECK_EQ(first.upload_datetime.size, strlen("2026-11-18 20:15:00.123456"));
	snprintf(hash, sizeof(hash), "%.*s", (int)first.hash.size, (const char *)first.hash.data);
	snprintf(time, sizeof(time), "%.*s", (int)first.time.size, (const char *)first.time.data);
	/* the same result again has the answer of the first */
	CHECK_EQ(call_bytes("/pipa.PIPAD/Deploy", bytes, false, NULL), 0);
	decode(&pipa_pipad_deploy_resp_message, &first);
	CHECK(equals(first.hash, hash) && equals(first.time, time));
	CHECK_EQ(call_bytes("/pipa.PIPAD/DeployStreamReply", bytes, true, NULL), 0);
	CHECK_EQ(n_received, 1);
	end();
}

static int n_messages;
static struct pipa_buf stream_message;

/* Results 1, 2, ... of a stream. */
static int next_result(void *ctx, struct pipa_span *ret)
{
	(void)ctx;
	if (!n_messages)
		return 0;
	pipa_buf_reset(&stream_message);
	put_result(&stream_message, "stream", (uint64_t)n_messages--);
	*ret = (struct pipa_span){ (const uint8_t *)stream_message.data, stream_message.len };
	return 1;
}

TEST(a_stream_of_results_has_an_acknowledgement_for_each)
{
	start(2);
	n_messages = 300;
	next_message = next_result;
	CHECK_EQ(call_bytes("/pipa.PIPAD/DeployBidiStream", (struct pipa_span){ 0 }, true, NULL),
		 0);
	CHECK_EQ(n_received, 300);
	next_message = NULL;
	pipa_buf_done(&stream_message);
	end();
}

TEST(a_table_is_downloaded_whole)
{
	struct pipa_pipad_download_request request = { .table_name = pipa_span_of("example"),
						       .file_option = pipa_span_of("csv") };
	struct pipa_pipad_download_resp response;

	start(2);
	CHECK_EQ(upload("w", 1, NULL, NULL), 0);
	CHECK_EQ(call("/pipa.PIPAD/DownloadFullTable", &pipa_pipad_download_request_message,
		      &request, false),
		 0);
	decode(&pipa_pipad_download_resp_message, &response);
	CHECK(response.file_content.size > 5 &&
	      memcmp(response.file_content.data, "hash,", 5) == 0);
	request.file_option = pipa_span_of("xlsx");
	CHECK_EQ(call("/pipa.PIPAD/DownloadFullTable", &pipa_pipad_download_request_message,
		      &request, false),
		 0);
	request.file_option = pipa_span_of("exe");
	CHECK_EQ(call("/pipa.PIPAD/DownloadFullTable", &pipa_pipad_download_request_message,
		      &request, false),
		 PIPA_GRPC_INVALID_ARGUMENT);
	request.table_name = pipa_span_of("example; drop table example");
	request.file_option = pipa_span_of("csv");
	CHECK_EQ(call("/pipa.PIPAD/DownloadFullTable", &pipa_pipad_download_request_message,
		      &request, false),
		 PIPA_GRPC_NOT_FOUND);
	end();
}

/* ---- our methods ------------------------------------------------------------------------------------------- */

static size_t query(const char *label, const char *where, uint32_t limit, struct pipa_span token,
		    struct pipa_store_query_response *ret)
{
	struct pipa_store_label labels[1] = { { pipa_span_of("host"), pipa_span_of(label) } };
	struct pipa_store_filter filter = { .where = pipa_span_of(where) };
	const struct pipa_store_query_request request = { &filter, limit, token };

	filter.labels.items = labels;
	filter.labels.n = label ? 1 : 0;
	CHECK_EQ(call(STORE "Query", &pipa_store_query_request_message, &request, false), 0);
	decode(&pipa_store_query_response_message, ret);
	return ret->runs.n;
}

TEST(results_are_found_by_label_and_expression_in_pages)
{
	struct pipa_store_query_response response;
	char token[30];
	uint64_t i;

	start(2);
	for (i = 1; i <= 7; i++)
		CHECK_EQ(upload("w", i, i % 2 ? "odd" : "even", NULL), 0);
	CHECK_EQ(query("odd", NULL, 0, (struct pipa_span){ 0 }, &response), 4);
	CHECK(equals(response.runs.items[0].table, "example"));
	CHECK(equals(response.runs.items[0].labels.items[0].value, "odd"));
	CHECK_EQ(query(NULL, "transactions > 5", 0, (struct pipa_span){ 0 }, &response), 2);
	CHECK_EQ(query(NULL, NULL, 5, (struct pipa_span){ 0 }, &response), 5);
	snprintf(token, sizeof(token), "%.*s", (int)response.next_page_token.size,
		 (const char *)response.next_page_token.data);
	CHECK_EQ(query(NULL, NULL, 5, pipa_span_of(token), &response), 2);
	CHECK_EQ(response.next_page_token.size, 0);
	end();
}

TEST(requests_that_cannot_be_answered_have_a_status)
{
	static const char *const reads[] = { "Query",	 "QueryMetric",	      "ListTables",
					     "Download", "DownloadRecording", "Upload",
					     "Delete" };
	struct pipa_store_filter filter = { .table = pipa_span_of("none") };
	struct pipa_store_query_request request = { .filter = &filter };
	char path[100];
	size_t i;

	start(2);
	for (i = 0; i < PIPA_COUNT(reads); i++) {
		snprintf(path, sizeof(path), STORE "%s", reads[i]);
		CHECK_EQ(call_bytes(path, pipa_span_of("\x0a\x7f"), true, NULL),
			 PIPA_GRPC_INVALID_ARGUMENT);
		CHECK_HAS(reply.text, "cannot decode");
	}
	CHECK_EQ(call_bytes("/pipa.PIPAD/Deploy", pipa_span_of("\xff"), true, NULL),
		 PIPA_GRPC_INVALID_ARGUMENT);
	CHECK_EQ(call_bytes("/pipa.PIPAD/Deploy", (struct pipa_span){ 0 }, true, NULL),
		 PIPA_GRPC_INVALID_ARGUMENT);
	CHECK_EQ(call(STORE "Query", &pipa_store_query_request_message, &request, false),
		 PIPA_GRPC_NOT_FOUND);
	filter = (struct pipa_store_filter){ .where = pipa_span_of("1 +") };
	CHECK_EQ(call(STORE "Query", &pipa_store_query_request_message, &request, false),
		 PIPA_GRPC_INVALID_ARGUMENT);
	filter = (struct pipa_store_filter){ 0 };
	request.page_token = pipa_span_of("x");
	CHECK_EQ(call(STORE "Query", &pipa_store_query_request_message, &request, false),
		 PIPA_GRPC_INVALID_ARGUMENT);
	CHECK_EQ(call_bytes("/none.None/None", (struct pipa_span){ 0 }, false, NULL),
		 PIPA_GRPC_UNIMPLEMENTED);
	end();
}

TEST(failures_that_end_by_themselves_are_unavailable)
{
	CHECK_EQ(pipa_services_code(-EBUSY), PIPA_GRPC_UNAVAILABLE);
	CHECK_EQ(pipa_services_code(-EAGAIN), PIPA_GRPC_UNAVAILABLE);
	CHECK_EQ(pipa_services_code(-ENOSPC), PIPA_GRPC_RESOURCE_EXHAUSTED);
	CHECK_EQ(pipa_services_code(-EFBIG), PIPA_GRPC_RESOURCE_EXHAUSTED);
	CHECK_EQ(pipa_services_code(-EIO), PIPA_GRPC_INTERNAL);
}

TEST(a_cancelled_download_frees_its_thread)
{
	const struct pipa_store_download_request request = { .format = PIPA_STORE_FORMAT_CSV };
	uint64_t i;

	start(1);
	n_messages = 3000;
	next_message = next_result;
	CHECK_EQ(call_bytes("/pipa.PIPAD/DeployBidiStream", (struct pipa_span){ 0 }, true, NULL),
		 0);
	next_message = NULL;
	pipa_buf_done(&stream_message);
	refuse_after = 2;
	for (i = 0; i < 20; i++)
		CHECK_EQ(call(STORE "Download", &pipa_store_download_request_message, &request,
			      true),
			 -ECANCELED);
	refuse_after = 0;
	CHECK_EQ(call(STORE "Download", &pipa_store_download_request_message, &request, true), 0);
	CHECK(received.len > 3000 * 64UL);
	end();
}

/* A stream of requests that its source cannot continue. */
static int fail_second(void *ctx, struct pipa_span *ret)
{
	(void)ctx;
	if (n_messages++)
		return -EIO;
	pipa_buf_reset(&stream_message);
	put_result(&stream_message, "stream", 1);
	*ret = (struct pipa_span){ (const uint8_t *)stream_message.data, stream_message.len };
	return 1;
}

TEST(a_client_that_cannot_go_on_ends_its_call_at_once)
{
	uint64_t begin_ns;

	start(1);
	CHECK_EQ(check(""), 0); /* connected */
	begin_ns = pipa_clock_ns();
	n_messages = 0;
	next_message = fail_second;
	CHECK_EQ(call_bytes("/pipa.PIPAD/DeployBidiStream", (struct pipa_span){ 0 }, true, NULL),
		 -EIO);
	next_message = NULL;
	CHECK(pipa_clock_ns() - begin_ns < 4 * PIPA_NS_PER_SEC); /* not when it pings the server */
	pipa_buf_done(&stream_message);
	end();
}

/* ---- recordings -------------------------------------------------------------------------------------------- */

enum { RECORDING = 300000 };

static uint8_t bytes_of_recording[RECORDING];
static struct pipa_store_upload_recording_request first;
static size_t sent;

/* The chunks of a recording; the first message describes it. */
static int next_chunk(void *ctx, struct pipa_span *ret)
{
	struct pipa_store_upload_recording_request request = { 0 };
	size_t n = RECORDING - sent < 50000 ? RECORDING - sent : 50000;

	(void)ctx;
	if (!n)
		return 0;
	if (!sent)
		request = first;
	request.chunk = (struct pipa_span){ bytes_of_recording + sent, n };
	sent += n;
	pipa_buf_reset(&stream_message);
	CHECK_EQ(pipa_rpc_encode(&pipa_store_upload_recording_request_message, &request,
				 &stream_message),
		 0);
	*ret = (struct pipa_span){ (const uint8_t *)stream_message.data, stream_message.len };
	return 1;
}

static int send_recording(const char *hash, const char *name, const char *id)
{
	int rc;

	first = (struct pipa_store_upload_recording_request){ .hash = pipa_span_of(hash),
							      .name = pipa_span_of(name),
							      .size = RECORDING,
							      .id = pipa_span_of(id) };
	sent = 0;
	next_message = next_chunk;
	rc = call_bytes(STORE "UploadRecording", (struct pipa_span){ 0 }, false, NULL);
	next_message = NULL;
	return rc;
}

TEST(recordings_are_stored_with_their_run_and_read_again)
{
	struct pipa_store_upload_recording_response response;
	struct pipa_store_download_recording_request request = { 0 };
	struct pipa_store_delete_request removal = { 0 };
	struct pipa_store_delete_response removed;
	struct pipa_span hashes[1];
	char hash[65], id[PIPA_SHA256_CHARS + 1];
	uint8_t sum[PIPA_SHA256_SIZE];
	size_t i;

	for (i = 0; i < RECORDING; i++)
		bytes_of_recording[i] = (uint8_t)(i * 7 + i / 256);
	pipa_sha256(bytes_of_recording, RECORDING, sum);
	pipa_sha256_hex(sum, id);
	start(2);
	CHECK_EQ(upload("w", 1, NULL, hash), 0);
	CHECK_EQ(send_recording(hash, "perf.data", id), 0);
	decode(&pipa_store_upload_recording_response_message, &response);
	CHECK(equals(response.recording->id, id) && !response.existed);
	CHECK_EQ(send_recording(hash, "perf.data", ""), 0);
	decode(&pipa_store_upload_recording_response_message, &response);
	CHECK(response.existed);
	/* other bytes than announced, an unknown run, names that are paths */
	id[0] = id[0] == '0' ? '1' : '0';
	CHECK_EQ(send_recording(hash, "perf.data", id), PIPA_GRPC_DATA_LOSS);
	id[0] = "0123456789abcdef"[sum[0] >> 4];
	CHECK_EQ(send_recording("none", "perf.data", id), PIPA_GRPC_NOT_FOUND);
	CHECK_EQ(send_recording(hash, "../perf.data", id), PIPA_GRPC_INVALID_ARGUMENT);
	CHECK_EQ(send_recording(hash, "perf.data", "short"), PIPA_GRPC_INVALID_ARGUMENT);
	request.hash = pipa_span_of(hash);
	request.id = pipa_span_of(id);
	CHECK_EQ(call(STORE "DownloadRecording", &pipa_store_download_recording_request_message,
		      &request, true),
		 0);
	CHECK(n_received >= 1 + RECORDING / PIPA_STORE_CHUNK);
	request.offset = RECORDING + 1;
	CHECK_EQ(call(STORE "DownloadRecording", &pipa_store_download_recording_request_message,
		      &request, true),
		 PIPA_GRPC_INVALID_ARGUMENT);
	request.id = pipa_span_of("../../../../etc/passwd");
	CHECK_EQ(call(STORE "DownloadRecording", &pipa_store_download_recording_request_message,
		      &request, true),
		 PIPA_GRPC_INVALID_ARGUMENT);
	hashes[0] = pipa_span_of(hash);
	removal.hashes.items = hashes;
	removal.hashes.n = 1;
	CHECK_EQ(call(STORE "Delete", &pipa_store_delete_request_message, &removal, false), 0);
	decode(&pipa_store_delete_response_message, &removed);
	CHECK(removed.runs == 1 && removed.recordings == 1);
	pipa_buf_done(&stream_message);
	end();
}

TEST(an_upload_of_a_recording_without_a_message_is_refused)
{
	start(1);
	next_message = next_chunk;
	sent = RECORDING;
	CHECK_EQ(call_bytes(STORE "UploadRecording", (struct pipa_span){ 0 }, false, NULL),
		 PIPA_GRPC_INVALID_ARGUMENT);
	next_message = NULL;
	end();
}

/* ---- health and reflection --------------------------------------------------------------------------------- */

static struct pipa_server_task end_task;

static void end_health(struct pipa_server_task *task)
{
	(void)task;
	pipa_health_set(&health, false, true);
}

/* The first state of a watched service has come: end it. */
static int on_state(void *ctx, struct pipa_span message)
{
	(void)ctx;
	pipa_buf_add(&received, message.data, message.size);
	if (!n_received++) {
		end_task.fn = end_health;
		pipa_server_post(services.server, &end_task);
	}
	return 0;
}

TEST(health_is_known_for_the_services)
{
	struct pipa_grpc_request request = { .path = "/grpc.health.v1.Health/Watch",
					     .receive = on_state,
					     .until_ns = pipa_clock_ns() + 60 * PIPA_NS_PER_SEC };

	start(1);
	CHECK_EQ(check(""), 0);
	CHECK(reply.message.len == 2 && memcmp(reply.message.data, "\x08\x01", 2) == 0);
	CHECK_EQ(check("pipa.PIPAD"), 0);
	CHECK_EQ(check("pipa.store.v1.Store"), 0);
	CHECK_EQ(check("pipa.Other"), PIPA_GRPC_NOT_FOUND);
	CHECK_EQ(call_bytes("/grpc.health.v1.Health/Check", pipa_span_of("\xff"), false, NULL),
		 PIPA_GRPC_INVALID_ARGUMENT);
	n_received = 0;
	pipa_buf_reset(&received);
	CHECK_EQ(pipa_grpc_call(client, &request, &reply, &error), 0);
	CHECK_EQ(reply.code, PIPA_GRPC_UNAVAILABLE);
	CHECK(received.len == 4 && memcmp(received.data, "\x08\x01\x08\x02", 4) == 0);
	CHECK_EQ(check(""), 0);
	CHECK(reply.message.len == 2 && reply.message.data[1] == 2);
	CHECK(!health.watchers);
	end();
}

/* A reflection request of one field. */
static const char *reflect(int field, const char *text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };
	size_t i;

	if (field) {
		pipa_buf_putc(&message, (char)(field << 3 | 2));
		pipa_buf_putc(&message, (char)strlen(text));
		pipa_buf_puts(&message, text);
	}
	CHECK_EQ(call_bytes("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
			    (struct pipa_span){ (const uint8_t *)message.data, message.len }, true,
			    NULL),
		 0);
	CHECK_EQ(n_received, 1);
	for (i = 0; i < received.len; i++) /* to search for names */
		if (!received.data[i])
			received.data[i] = ' ';
	return pipa_buf_str(&received);
}

TEST(reflection_finds_files_by_name_and_symbol)
{
	start(1);
	CHECK_HAS(reflect(7, ""), "pipa.store.v1.Store");
	CHECK_HAS(reflect(3, "pipa.proto"), "DeployRequest");
	CHECK_HAS(reflect(4, "pipa.PIPAD"), "DeployBidiStream");
	CHECK_HAS(reflect(4, "pipa.PIPAD.Deploy"), "DeployBidiStream");
	CHECK_HAS(reflect(4, "grpc.health.v1.HealthCheckResponse.ServingStatus"), "SERVING");
	CHECK_HAS(reflect(4, "pipa.PIPAD.None"), "not found");
	CHECK_HAS(reflect(4, "pipa"), "not found");
	CHECK_HAS(reflect(4, ""), "not found");
	CHECK_HAS(reflect(3, "../pipa.proto"), "not found");
	CHECK_HAS(reflect(6, "pipa.X"), "not found");
	CHECK_HAS(reflect(0, ""), "not found");
	end();
}
