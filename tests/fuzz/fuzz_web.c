/*
 * HTTP requests to pipad. An even first byte: path, query and authorization, a line each, as evhttp passes them on; an odd
 * one: bytes on a socket of the HTTP server. Every page is UTF-8 without control characters, names of the store and
 * of the request are escaped in it, and a request without the token shows nothing.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/thread/worker.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "net/server/listen.h"
#include "serve/auth.h"
#include "serve/metrics.h"
#include "serve/pages.h"
#include "serve/web.h"
#include "store/results/results.h"
#include "store/results/results_sqlite.h"

#define HOSTILE "<script>\"'&\xe2\x80\xae\x1b[31m"

static char dir[] = "/tmp/pipa-fuzz-web-XXXXXX";
static struct pipa_results *store;
static struct pipa_auth *auth;
static struct pipa_metrics *metrics;
static struct pipa_web *web;
static struct pipa_worker thread;
static struct sockaddr_un address = { .sun_family = AF_UNIX };

/* As the daemon answers. */
static void answer(void *ctx, const struct pipa_web_request *request, struct pipa_web_reply *reply)
{
	static const struct pipa_server_counters server;
	const struct pipa_metrics_gauges gauges = { .server = &server, .store = &store->counters };
	const char *why;

	(void)ctx;
	if (pipa_auth_check(auth, request->authorization, PIPA_ACCESS_READ, &why) != PIPA_GRPC_OK) {
		reply->status = 401;
		pipa_buf_puts(&reply->body, why);
	} else if (strcmp(request->path, "/metrics") == 0) {
		pipa_metrics_write(metrics, &gauges, &reply->body);
	} else {
		pipa_pages_write(store, request, reply);
	}
}

static void upload(unsigned int number)
{
	struct pipa_results_label label = { { (const uint8_t *)"key", 3 },
					    { (const uint8_t *)HOSTILE, sizeof(HOSTILE) - 1 } };
	struct pipa_results_answer ret;
	struct pipa_result result = { 0 };
	const struct pipa_results_upload up = { .result = &result,
						.labels = &label,
						.n_labels = 1 };

	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, number % 2 ? HOSTILE : "w");
	pipa_result_set_string(&result, PIPA_RESULT_PLATFORM, HOSTILE);
	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, number);
	MUST(pipa_results_upload_wait(store, &up, &ret, NULL) == 0);
}

static void run(void *ctx)
{
	pipa_web_run(ctx);
}

static void finish(void)
{
	char command[100];

	pipa_web_stop(web);
	pipa_worker_join(&thread);
	pipa_web_free(web);
	pipa_results_close(store, NULL);
	pipa_auth_free(auth);
	pipa_metrics_free(metrics);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	MUST(system(command) == 0);
}

/* A store with sixty runs, a token, and the server on a socket in the file system. */
static void begin(void)
{
	static const char token[] = "0123456789abcdef\n";
	struct pipa_web_options options = {
		.handle = answer, .max_connections = 16, .idle_s = 5, .max_age_s = 5
	};
	char db[100], tokens[100];
	struct pipa_results_sqlite_options sqlite = { .path = db, .table = "example" };
	struct pipa_auth_options files = { .read_token_file = tokens };
	struct pipa_listeners listeners = { .n = 1 };
	unsigned int i;
	FILE *file;

	MUST(mkdtemp(dir));
	snprintf(db, sizeof(db), "%s/r.db", dir);
	snprintf(tokens, sizeof(tokens), "%s/tokens", dir);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/http", dir);
	file = fopen(tokens, "we");
	MUST(file && fputs(token, file) >= 0 && fclose(file) == 0);
	MUST(pipa_results_sqlite_open(&sqlite, &store, NULL) == 0);
	auth = pipa_auth_new();
	metrics = pipa_metrics_new();
	MUST(auth && metrics && pipa_auth_load(auth, &files, NULL) == 0);
	for (i = 0; i < 60; i++)
		upload(i);
	listeners.fds[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	MUST(bind(listeners.fds[0], (struct sockaddr *)&address, sizeof(address)) == 0);
	MUST(listen(listeners.fds[0], 16) == 0);
	MUST(pipa_web_new(&options, &listeners, &web, NULL) == 0);
	MUST(pipa_worker_start(&thread, "web", PIPA_WORKER_STACK_PARSE, run, web) == 0);
	atexit(finish);
}

/* Check the invariants of the body of a page. */
static void check_body(const char *body, size_t len)
{
	size_t i;

	MUST(pipa_utf8_is_valid((const uint8_t *)body, len));
	for (i = 0; i < len; i++)
		MUST((unsigned char)body[i] >= ' ' || body[i] == '\n' || body[i] == '\t');
	MUST(!memmem(body, len, "<script", 7) && !memmem(body, len, "\xe2\x80\xae", 3));
}

static void try_page(char *text)
{
	struct pipa_web_request request = { text, "", "", "" };
	struct pipa_web_reply reply = { .status = 200, .body = { .max = 16 << 20 } };
	char *query = strchr(text, '\n'), *authorization = query ? strchr(query + 1, '\n') : NULL;

	if (query) {
		*query = '\0';
		request.query = query + 1;
	}
	if (authorization) {
		*authorization = '\0';
		request.authorization = authorization + 1;
	}
	answer(NULL, &request, &reply);
	MUST(reply.body.status == 0);
	MUST(reply.status == 200 || reply.status == 401 || reply.status == 404);
	check_body(pipa_buf_str(&reply.body), reply.body.len);
	if (reply.status == 401)
		MUST(!memmem(pipa_buf_str(&reply.body), reply.body.len, "<", 1));
	pipa_buf_done(&reply.body);
}

/* Send bytes to the server and read what it answers: nothing, or answers of HTTP. */
static void try_bytes(const uint8_t *data, size_t size)
{
	static char reply[1 << 20];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	size_t len = 0;
	ssize_t n;

	MUST(connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
	n = send(fd, data, size, MSG_NOSIGNAL);
	(void)n;
	shutdown(fd, SHUT_WR);
	while (len < sizeof(reply)) {
		MUST(poll(&poll_fd, 1, 20000) > 0); /* an end within the limits of time */
		n = recv(fd, reply + len, sizeof(reply) - len, 0);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	close(fd);
	MUST(!len || (len > 9 && memcmp(reply, "HTTP/", 5) == 0)); /* evhttp repeats the version */
	MUST(!memmem(reply, len, "<script", 7));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!store)
		begin();
	if (!size)
		return 0;
	if (data[0] & 1) {
		try_bytes(data + 1, size - 1);
		return 0;
	}
	text = fuzz_text(data + 1, size - 1);
	try_page(text);
	free(text);
	return 0;
}
