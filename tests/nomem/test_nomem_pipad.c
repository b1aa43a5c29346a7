/*
 * pipad and its clients without memory. The daemon runs in a child in which one allocation fails, of any thread and
 * library: it ends with an error or serves on, answers every call, and an acknowledged row is in the database. Then the
 * clients run with one failing allocation each: they fail with a message, or their result is complete.
 *
 * PIPA_NOMEM_STEP=1 tries every allocation of the daemon; the default is every 79th of about 11,500.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "job/remote/download.h"
#include "job/remote/metrics.h"
#include "job/remote/upload.h"
#include "kernel/event/host.h"
#include "lib/nomem.h"
#include "lib/test.h"
#include "net/grpc_client.h"
#include "net/server/listen.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"
#include "rpc/result_message.h"
#include "rpc/store_messages.h"
#include "serve/daemon.h"
#include "serve/options.h"
#include "store/results/results_sqlite.h"

enum {
	STEP = 79,
	ROUNDS_MAX = 40000,
	/* status of the child */
	ENDED = 0, /* without a failure of an allocation */
	ENDED_AFTER_IT = 2,
	FAILED_AFTER_IT = 3,
	FAILED = 4,
	LEAKED = 5,
};

#define STORE "/" PIPA_STORE_SERVICE "/"

extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* ---- the daemon in a child --------------------------------------------------------------------------------- */

static char directory[200], database[230], store_option[250];
static char port[8], http_port[8];
static in_port_t http;
static pid_t child;

static in_port_t port_of(int fd)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);

	CHECK_EQ(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	return address.sin_port;
}

static void run_child(const int fds[2], size_t allocations)
{
	char *argv[] = { (char *)"pipad", (char *)"--store",
			 store_option,	  (char *)"--threads",
			 (char *)"2",	  (char *)"--grace",
			 (char *)"2",	  (char *)"--log-level",
			 (char *)"error", NULL };
	struct pipa_serve_options options = { 0 };
	struct pipa_error err;
	char pid[20];
	sigset_t all;
	bool happened;
	int rc, null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDERR_FILENO);
	dup2(fds[0], 20); /* the two may be 3 and 4 already */
	dup2(fds[1], 21);
	dup2(20, 3);
	dup2(21, 4);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", "2", 1);
	setenv("LISTEN_FDNAMES", "grpc:http", 1);
	sigemptyset(&all);
	sigaddset(&all, SIGPIPE);
	sigprocmask(SIG_BLOCK, &all, NULL);
	pipa_nomem_after(allocations);
	rc = pipa_serve_options_parse(PIPA_COUNT(argv) - 1, argv, &options, &err);
	if (rc >= 0) {
		rc = pipa_daemon_run(&options, PIPA_COUNT(argv) - 1, argv, &err);
		pipa_serve_options_done(&options);
	}
	happened = pipa_nomem_happened();
	if (&__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
		_exit(LEAKED);
	_exit(rc < 0 ? (happened ? FAILED_AFTER_IT : FAILED) : happened ? ENDED_AFTER_IT : ENDED);
}

/* Start a daemon on an empty directory, in which an allocation fails after that many. */
static void start(size_t allocations)
{
	struct pipa_listeners grpc = { .n = 0 }, web = { .n = 0 };

	snprintf(directory, sizeof(directory), "%s/round", pipa_test_dir());
	snprintf(database, sizeof(database), "%s/r.db", directory);
	snprintf(store_option, sizeof(store_option), "sqlite:%s", database);
	CHECK_EQ(mkdir(directory, 0755), 0);
	CHECK_EQ(pipa_listen("127.0.0.1", "0", &grpc, NULL), 0);
	CHECK_EQ(pipa_listen("127.0.0.1", "0", &web, NULL), 0);
	http = port_of(web.fds[0]);
	snprintf(port, sizeof(port), "%u", ntohs(port_of(grpc.fds[0])));
	snprintf(http_port, sizeof(http_port), "%u", ntohs(http));
	fflush(stdout);
	child = fork();
	CHECK(child >= 0);
	if (!child)
		run_child((int[]){ grpc.fds[0], web.fds[0] }, allocations);
	pipa_listeners_close(&grpc);
	pipa_listeners_close(&web);
}

/* End it; returns how it ended. */
static int stop(void)
{
	int status = 0;

	kill(child, SIGTERM);
	CHECK_EQ(waitpid(child, &status, 0), child);
	child = 0;
	if (!WIFEXITED(status))
		pipa_test_fail(__FILE__, __LINE__, "the daemon ended by signal %d",
			       WTERMSIG(status));
	return WEXITSTATUS(status);
}

static void remove_directory(void)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	CHECK_EQ(system(command), 0);
}

/* ---- calls ------------------------------------------------------------------------------------------------- */

static struct pipa_grpc_client *client;
static struct pipa_grpc_reply reply;
static struct pipa_buf received;
static struct pipa_span *chunks;
static size_t n_chunks;

static int receive(void *ctx, struct pipa_span message)
{
	struct pipa_store_download_response response;
	struct pipa_proto_memory memory = { 0 };

	(void)ctx;
	CHECK_EQ(pipa_rpc_decode(&pipa_store_download_response_message, message, &memory, &response,
				 NULL),
		 0);
	pipa_buf_add(&received, response.chunk.data, response.chunk.size);
	pipa_proto_memory_done(&memory);
	return 0;
}

static int next_chunk(void *ctx, struct pipa_span *ret)
{
	(void)ctx;
	if (!n_chunks)
		return 0;
	*ret = *chunks++;
	n_chunks--;
	return 1;
}

/* Call; true if the answer is OK. An answer has to come, whatever it is. */
static bool call(const char *path, struct pipa_span message, bool streams)
{
	struct pipa_grpc_request request = { .path = path,
					     .message = message,
					     .until_ns = pipa_clock_ns() + 20 * PIPA_NS_PER_SEC,
					     .next = n_chunks ? next_chunk : NULL,
					     .receive = streams ? receive : NULL };
	struct pipa_error err = { 0 };
	int rc;

	pipa_grpc_reply_done(&reply);
	reply = (struct pipa_grpc_reply){ 0 };
	pipa_buf_reset(&received);
	rc = pipa_grpc_call(client, &request, &reply, &err);
	if (rc == -ETIMEDOUT || (!rc && reply.code == PIPA_GRPC_DEADLINE_EXCEEDED))
		pipa_test_fail(__FILE__, __LINE__, "%s: no answer", path);
	return !rc && reply.code == PIPA_GRPC_OK;
}

static bool call_with(const char *path, const struct pipa_proto_message *type, const void *from,
		      bool streams)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };

	CHECK_EQ(pipa_rpc_encode(type, from, &message), 0);
	return call(path, (struct pipa_span){ (const uint8_t *)message.data, message.len },
		    streams);
}

static void put_result(struct pipa_buf *out, uint64_t cycles)
{
	struct pipa_result result = { 0 };
	static const uint32_t cpus[] = { 1, 2 };

	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, "w");
	pipa_result_set_string(&result, PIPA_RESULT_USERNAME, "ann");
	pipa_result_set_list(&result, cpus, 2);
	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, cycles);
	CHECK_EQ(pipa_rpc_encode_result(&result, out), 0);
}

/* Changes that the daemon has acknowledged. */
struct acknowledged {
	bool deployed, uploaded, attached, removed;
	char hash[65];
};

static void deploy(struct acknowledged *ack)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };
	struct pipa_proto_memory memory = { 0 };
	struct pipa_pipad_deploy_resp resp;

	put_result(&message, 1);
	if (!call("/pipa.PIPAD/Deploy",
		  (struct pipa_span){ (const uint8_t *)message.data, message.len }, false))
		return;
	CHECK_EQ(pipa_rpc_decode(&pipa_pipad_deploy_resp_message,
				 (struct pipa_span){ (const uint8_t *)pipa_buf_str(&reply.message),
						     reply.message.len },
				 &memory, &resp, NULL),
		 0);
	if (resp.status_code != PIPA_PIPAD_FAILURE) {
		CHECK_EQ(resp.status_code, PIPA_PIPAD_SUCCESS);
		CHECK(resp.hash.size == 66 && resp.username.size == 3 && resp.time.size);
		ack->deployed = true;
	}
	pipa_proto_memory_done(&memory);
}

static bool upload(uint64_t cycles, char hash[static 65])
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };
	struct pipa_store_label labels[1] = { { pipa_span_of("key"), pipa_span_of("value") } };
	struct pipa_store_upload_request request = { 0 };
	struct pipa_store_upload_response resp;
	struct pipa_proto_memory memory = { 0 };

	put_result(&message, cycles);
	request.result = (struct pipa_span){ (const uint8_t *)message.data, message.len };
	request.labels.items = labels;
	request.labels.n = 1;
	if (!call_with(STORE "Upload", &pipa_store_upload_request_message, &request, false))
		return false;
	CHECK_EQ(pipa_rpc_decode(&pipa_store_upload_response_message,
				 (struct pipa_span){ (const uint8_t *)pipa_buf_str(&reply.message),
						     reply.message.len },
				 &memory, &resp, NULL),
		 0);
	CHECK(resp.hash.size == 64 && resp.record.size > 40 && resp.upload_time_us);
	snprintf(hash, 65, "%.64s", (const char *)resp.hash.data);
	pipa_proto_memory_done(&memory);
	return true;
}

static void attach(struct acknowledged *ack)
{
	static uint8_t bytes[100000];
	struct pipa_buf messages[2] = { { 0 }, { 0 } };
	struct pipa_store_upload_recording_request request = {
		.hash = pipa_span_of(ack->hash),
		.name = pipa_span_of("perf.data"),
		.size = sizeof(bytes),
		.chunk = { bytes, sizeof(bytes) / 2 },
	};
	struct pipa_span spans[2];
	size_t i;

	for (i = 0; i < 2; i++) {
		CHECK_EQ(pipa_rpc_encode(&pipa_store_upload_recording_request_message, &request,
					 &messages[i]),
			 0);
		spans[i] = (struct pipa_span){ (const uint8_t *)messages[i].data, messages[i].len };
		request = (struct pipa_store_upload_recording_request){
			.chunk = { bytes, sizeof(bytes) / 2 }
		};
	}
	chunks = spans;
	n_chunks = 2;
	ack->attached = call(STORE "UploadRecording", (struct pipa_span){ 0 }, false);
	n_chunks = 0;
	pipa_buf_done(&messages[0]);
	pipa_buf_done(&messages[1]);
}

/* Read everything; an answer that is OK is complete. */
static void read_all(const struct acknowledged *ack)
{
	static const char *const names[] = { "workload" };
	struct pipa_store_filter filter = { .where = pipa_span_of("cycles > 0") };
	struct pipa_store_query_request query = { .filter = &filter };
	struct pipa_span metric = pipa_span_of("cycles"), by = pipa_span_of(names[0]);
	struct pipa_store_query_metric_request metrics = { .filter = &filter };
	struct pipa_store_download_request download = { .filter = &filter };
	struct pipa_store_query_response runs;
	struct pipa_proto_memory memory = { 0 };
	size_t least = (size_t)ack->deployed + ack->uploaded, lines, i;
	int format;

	if (call_with(STORE "Query", &pipa_store_query_request_message, &query, false)) {
		CHECK_EQ(pipa_rpc_decode(
				 &pipa_store_query_response_message,
				 (struct pipa_span){ (const uint8_t *)pipa_buf_str(&reply.message),
						     reply.message.len },
				 &memory, &runs, NULL),
			 0);
		CHECK(runs.runs.n >= least);
		for (i = 0; i < runs.runs.n; i++)
			CHECK(runs.runs.items[i].hash.size == 64 &&
			      runs.runs.items[i].record.size > 40);
	}
	pipa_proto_memory_done(&memory);
	metrics.metrics.items = &metric;
	metrics.metrics.n = 1;
	metrics.by.items = &by;
	metrics.by.n = 1;
	if (call_with(STORE "QueryMetric", &pipa_store_query_metric_request_message, &metrics,
		      false))
		CHECK(reply.message.len > 10 || !least);
	if (call(STORE "ListTables", (struct pipa_span){ 0 }, false))
		CHECK(memmem(reply.message.data, reply.message.len, "example", 7));
	for (format = PIPA_STORE_FORMAT_CSV; format <= PIPA_STORE_FORMAT_PARQUET; format++) {
		download.format = format;
		if (!call_with(STORE "Download", &pipa_store_download_request_message, &download,
			       true))
			continue;
		for (i = lines = 0; i < received.len; i++)
			lines += received.data[i] == '\n';
		if (format == PIPA_STORE_FORMAT_CSV)
			CHECK(lines >= least + 1);
		else if (format == PIPA_STORE_FORMAT_JSON)
			CHECK(lines >= least);
		else
			CHECK(received.len > 500);
	}
}

/* Ask over HTTP; a page that is 200 ends as a page does. */
static void get(const char *path)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = http,
					     .sin_addr = { htonl(INADDR_LOOPBACK) } };
	static char text[200000];
	struct pollfd poll_fd = { .events = POLLIN };
	size_t len = 0;
	ssize_t n;

	poll_fd.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(poll_fd.fd, (const struct sockaddr *)&address, sizeof(address)) == 0) {
		n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nConnection: close\r\n\r\n",
			     path);
		n = send(poll_fd.fd, text, (size_t)n, MSG_NOSIGNAL);
		while (len < sizeof(text) - 1) {
			if (poll(&poll_fd, 1, 20000) <= 0)
				pipa_test_fail(__FILE__, __LINE__, "GET %s: no answer", path);
			n = recv(poll_fd.fd, text + len, sizeof(text) - 1 - len, 0);
			if (n <= 0)
				break;
			len += (size_t)n;
		}
		text[len] = '\0';
		if (strstr(text, " 200 ") && strstr(text, "<html"))
			CHECK_HAS(text, "</body></html>");
	}
	close(poll_fd.fd);
}

static void talk(struct acknowledged *ack)
{
	const struct pipa_grpc_client_options options = {
		.host = "127.0.0.1", .port = port, .user_agent = "test", .max_reply = 8 << 20
	};
	struct pipa_store_delete_request removal = { 0 };
	struct pipa_span hash;
	char other[65], path[200];

	*ack = (struct acknowledged){ 0 };
	client = pipa_grpc_client_new(&options);
	CHECK(client);
	deploy(ack);
	ack->uploaded = upload(2, ack->hash);
	if (ack->uploaded)
		attach(ack);
	read_all(ack);
	get("/");
	snprintf(path, sizeof(path), "/run?hash=%s", ack->hash);
	get(path);
	get("/metrics");
	call("/grpc.health.v1.Health/Check", (struct pipa_span){ 0 }, false);
	if (upload(3, other)) {
		hash = pipa_span_of(other);
		removal.hashes.items = &hash;
		removal.hashes.n = 1;
		ack->removed = call_with(STORE "Delete", &pipa_store_delete_request_message,
					 &removal, false);
	}
	pipa_grpc_client_free(client);
	pipa_grpc_reply_done(&reply);
	pipa_buf_done(&received);
}

/* All that was acknowledged is in the database. */
static void check_database(const struct acknowledged *ack)
{
	const struct pipa_results_sqlite_options options = { .path = database, .table = "example" };
	const struct pipa_results_filter filter = { .with_labels = true };
	const struct pipa_results_run *run;
	struct pipa_results_scan *scan;
	struct pipa_results *store;
	bool found[4] = { false };
	struct pipa_error err;
	size_t recordings = 0;

	if (pipa_results_sqlite_open(&options, &store, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	CHECK_EQ(pipa_results_scan(store, &filter, &scan, &err), 0);
	while (pipa_results_next(store, scan, &run, &err) > 0) {
		uint64_t cycles = run->result.values[PIPA_RESULT_CYCLES].number;

		CHECK(cycles >= 1 && cycles <= 3 && !found[cycles]);
		found[cycles] = true;
		CHECK(cycles == 1 || run->n_labels == 1);
		recordings += cycles == 2 ? run->n_recordings : 0;
	}
	pipa_results_end(store, scan);
	CHECK_EQ(pipa_results_close(store, &err), 0);
	CHECK(!ack->deployed || found[1]);
	CHECK(!ack->uploaded || found[2]);
	CHECK(!ack->attached || recordings == 1);
	CHECK(!ack->removed || !found[3]);
}

static size_t step_size(void)
{
	const char *text = getenv("PIPA_NOMEM_STEP");

	return text ? strtoul(text, NULL, 10) : STEP;
}

/* The failing allocations [from, to), or up to the end of the daemon. */
static void try_daemon(size_t from, size_t to)
{
	struct acknowledged ack;
	size_t n, step = step_size();
	int status;

	for (n = from; n < to; n += step) {
		start(n);
		talk(&ack);
		status = stop();
		if (status == LEAKED || status == FAILED)
			pipa_test_fail(__FILE__, __LINE__, "allocation %zu: %s", n,
				       status == LEAKED ? "memory was leaked" :
							  "failed without a reason");
		check_database(&ack);
		remove_directory();
		if (status == ENDED) {
			CHECK(ack.deployed && ack.uploaded && ack.attached && ack.removed);
			break;
		}
	}
}

/* Parts of the daemon's life, so that no test takes long. */
enum { PART = 2000 };

#define DAEMON_TEST(name, part)                                                                    \
	TEST(name)                                                                                 \
	{                                                                                          \
		NEED_REAL_KERNEL("a process per allocation takes too long");                       \
		try_daemon((part)*PART, (part) < 5 ? ((part) + 1) * PART : ROUNDS_MAX);            \
	}

DAEMON_TEST(a_daemon_without_memory_at_its_start, 0)
DAEMON_TEST(a_daemon_without_memory_when_it_stores, 1)
DAEMON_TEST(a_daemon_without_memory_when_it_attaches, 2)
DAEMON_TEST(a_daemon_without_memory_when_it_reads, 3)
DAEMON_TEST(a_daemon_without_memory_when_it_downloads, 4)
DAEMON_TEST(a_daemon_without_memory_until_its_end, 5)

/* ---- the clients ------------------------------------------------------------------------------------------- */

static struct pipa_host host;
static char output[300], report[300], recording[300];
static size_t n_lines;

static int count_line(void *ctx, const char *line)
{
	(void)ctx;
	CHECK(strncmp(line, "stored ", 7) == 0 || strncmp(line, "already stored ", 15) == 0);
	n_lines++;
	return 0;
}

static struct pipa_remote_options remote(void)
{
	static char address[30];

	snprintf(address, sizeof(address), "127.0.0.1:%s", port);
	return (struct pipa_remote_options){ .address = address };
}

static int run_upload(struct pipa_error *err)
{
	const char *const paths[] = { report, recording }, *const labels[] = { "a=b" };
	const struct pipa_upload_options o = { .server = remote(),
					       .paths = paths,
					       .n_paths = 2,
					       .labels = labels,
					       .n_labels = 1,
					       .username = "ann",
					       .version = "test",
					       .print = count_line };

	n_lines = 0;
	return pipa_upload_run(&host, &o, err);
}

static enum pipa_store_format format;

static int run_download(struct pipa_error *err)
{
	const struct pipa_download_options o = {
		.server = remote(), .format = format, .output = output, .version = "test"
	};

	return pipa_download_run(&o, err);
}

static int run_query(struct pipa_error *err)
{
	const struct pipa_metrics_options o = { .server = remote(),
						.metrics = "cycles,CPI",
						.by = "workload,label:a",
						.form = (enum pipa_metrics_form)format,
						.output = output,
						.version = "test" };

	return pipa_metrics_run(&o, err);
}

static int always_complete(void)
{
	return 1;
}

static int has_both_lines(void)
{
	return n_lines == 2;
}

static struct pipa_buf expected;

/* Is the file what it is with memory? */
static int is_expected_file(void)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	return pipa_file_read(output, &text, NULL) == 0 && text.len == expected.len &&
	       memcmp(text.data, expected.data, text.len) == 0;
}

/* Every allocation fails once: a failure has a message, a success is complete. */
static void exhaust(int (*run)(struct pipa_error *err), int (*is_complete)(void), bool keeps_file)
{
	struct pipa_error err;
	bool happened = true;
	size_t n;
	int rc;

	for (n = 0; happened; n++) {
		CHECK(n < ROUNDS_MAX);
		err = (struct pipa_error){ 0 };
		if (keeps_file)
			unlink(output);
		pipa_nomem_after(n);
		rc = run(&err);
		happened = pipa_nomem_happened();
		if (rc < 0)
			CHECK(happened && err.what[0]);
		else
			CHECK(is_complete());
		if (rc < 0 && keeps_file)
			CHECK(access(output, F_OK) < 0); /* completely or not at all */
	}
	CHECK(n > 5); /* of our own code; with static libraries of theirs, too */
}

static void begin_clients(void)
{
	const char *dir = pipa_test_dir();

	start(SIZE_MAX);
	CHECK_EQ(pipa_host_open(&host, NULL), 0);
	snprintf(output, sizeof(output), "%s/out", dir);
	snprintf(report, sizeof(report), "%s/report.json", dir);
	snprintf(recording, sizeof(recording), "%s/folded", dir);
	pipa_test_file(dir, "report.json",
		       "{\"schema\":\"pipa-run/1\",\"workload\":\"w\",\"cycles\":5,"
		       "\"CPI\":0.5,\"used_threads\":[1,2]}");
	pipa_test_file(dir, "folded", "main;a;b 10\nmain;c 5\n");
	CHECK_EQ(run_upload(NULL), 0);
	CHECK_EQ(n_lines, 2);
}

static void end_clients(void)
{
	pipa_host_close(&host);
	pipa_buf_done(&expected);
	CHECK_EQ(stop(), ENDED);
}

TEST(an_upload_survives_every_failed_allocation)
{
	begin_clients();
	exhaust(run_upload, has_both_lines, false);
	end_clients();
}

TEST(downloads_survive_every_failed_allocation)
{
	begin_clients();
	for (format = PIPA_STORE_FORMAT_CSV; format <= PIPA_STORE_FORMAT_PARQUET; format++) {
		CHECK_EQ(run_download(NULL), 0);
		pipa_buf_reset(&expected);
		CHECK_EQ(pipa_file_read(output, &expected, NULL), 0);
		/* an .xlsx has the time in it */
		exhaust(run_download,
			format == PIPA_STORE_FORMAT_XLSX ? always_complete : is_expected_file,
			true);
	}
	end_clients();
}

TEST(queries_survive_every_failed_allocation)
{
	int form;

	begin_clients();
	for (form = 0; form < PIPA_METRICS_FORM_NR; form++) {
		format = (enum pipa_store_format)form;
		CHECK_EQ(run_query(NULL), 0);
		pipa_buf_reset(&expected);
		CHECK_EQ(pipa_file_read(output, &expected, NULL), 0);
		exhaust(run_query, is_expected_file, true);
	}
	end_clients();
}
