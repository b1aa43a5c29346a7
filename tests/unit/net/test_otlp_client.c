/* Requests to servers on the loopback that behave well and badly. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "codec/decompress.h"
#include "lib/test.h"
#include "net/grpc.h"
#include "net/h2.h"
#include "net/otlp/client.h"
#include "net/otlp/endpoint.h"
#include "net/otlp/sender.h"
#include "net/stream.h"

#define RETRY_INFO_100_MS                                                                          \
	"CA4aMwoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIHCgUQgMLXLw"

/* Responses of the server to its n-th request; the last step is repeated. */
struct step {
	const char *status;  /* grpc-status */
	const char *details; /* grpc-status-details-bin */
	bool goaway;	     /* after the response */
	bool reset;	     /* close the connection instead */
	const char *body;    /* message; NULL: empty */
	size_t body_len;
};

struct server {
	int listener;
	char url[64];
	pthread_t thread;
	/* of the gRPC server */
	const struct step *steps;
	size_t n_steps;
	/* of the raw one: after `wait_bytes` of the client it sends these, repeated `times` */
	const char *raw;
	size_t raw_len, wait_bytes;
	int times; /* -1: until the client closes */
	bool half_close;
	/* results */
	_Atomic unsigned int requests, connections;
	struct pipa_buf fields, message;
	/* of the connection */
	struct pipa_h2 *h2;
	int fd;
	struct pipa_grpc_reader reader;
	struct pipa_h2_body body;
	uint8_t response[256];
	bool hang_up;
};

static int on_field(void *ctx, int32_t stream PIPA_UNUSED, struct pipa_span name,
		    struct pipa_span value)
{
	struct server *s = ctx;

	if (name.size == 13 && memcmp(name.data, "grpc-encoding", 13) == 0)
		s->reader.encoding = pipa_grpc_encoding_find(value);
	pipa_buf_printf(&s->fields, "%.*s=%.*s\n", (int)name.size, (const char *)name.data,
			(int)value.size, (const char *)value.data);
	return 0;
}

static int on_data(void *ctx, int32_t stream PIPA_UNUSED, struct pipa_span bytes)
{
	struct server *s = ctx;
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	struct pipa_span message;

	if (pipa_grpc_next(&s->reader, &in, &message) > 0) {
		pipa_buf_reset(&s->message);
		pipa_buf_add(&s->message, message.data, message.size);
	}
	return 0;
}

static void on_end(void *ctx, int32_t stream)
{
	static const struct pipa_h2_field head[] = {
		{ ":status", "200", false }, { "content-type", "application/grpc", false }
	};
	struct server *s = ctx;
	const struct step *step =
		&s->steps[s->requests < s->n_steps ? s->requests : s->n_steps - 1];
	struct pipa_h2_field trailers[] = { { "grpc-status", step->status, false },
					    { "grpc-message", "be%20calm", false },
					    { "grpc-status-details-bin", step->details, false } };

	s->requests++;
	if (step->reset) {
		s->hang_up = true;
		return;
	}
	if (strcmp(step->status, "0") != 0) {
		struct pipa_h2_field only[5] = { head[0], head[1], trailers[0], trailers[1],
						 trailers[2] };

		pipa_h2_respond(s->h2, stream, only, step->details ? 5 : 4, NULL, NULL, 0);
	} else {
		pipa_grpc_prefix(s->response, false, (uint32_t)step->body_len);
		if (step->body)
			memcpy(s->response + 5, step->body, step->body_len);
		s->body = (struct pipa_h2_body){ .pieces = {
							 { s->response, 5 + step->body_len } } };
		pipa_h2_respond(s->h2, stream, head, 2, &s->body, trailers, 1);
	}
	if (step->goaway)
		pipa_h2_goaway(s->h2, PIPA_H2_NO_ERROR);
}

static void on_closed(void *ctx PIPA_UNUSED, int32_t stream PIPA_UNUSED, uint32_t code PIPA_UNUSED)
{
}

static void serve_grpc(struct server *s)
{
	static const struct pipa_h2_limits limits = { .header_bytes = 8192, .streams = 10 };
	static const struct pipa_h2_events events = {
		.field = on_field, .data = on_data, .end = on_end, .closed = on_closed
	};
	struct pipa_span out;
	uint8_t piece[4096];
	ssize_t n;

	s->hang_up = false;
	s->reader = (struct pipa_grpc_reader){ .max = 64 << 20 };
	s->h2 = pipa_h2_new(PIPA_H2_SERVER, &limits, &events, s);
	do {
		while (pipa_h2_output(s->h2, &out) == 0 && out.size)
			if (send(s->fd, out.data, out.size, MSG_NOSIGNAL) < 0)
				break;
		n = pipa_h2_is_alive(s->h2) ? recv(s->fd, piece, sizeof(piece), 0) : 0;
	} while (n > 0 && pipa_h2_receive(s->h2, (struct pipa_span){ piece, (size_t)n }) == 0 &&
		 !s->hang_up);
	pipa_h2_free(s->h2);
	pipa_grpc_reader_done(&s->reader);
}

static void serve_raw(struct server *s)
{
	struct pollfd poller = { .fd = s->fd, .events = POLLIN };
	char piece[4096];
	size_t got = 0;
	ssize_t n;
	int i;

	while (got < s->wait_bytes && (n = recv(s->fd, piece, sizeof(piece), 0)) > 0)
		got += (size_t)n;
	s->requests++;
	for (i = 0; i != s->times; i++)
		if (send(s->fd, s->raw, s->raw_len, MSG_NOSIGNAL) < 0)
			return;
	if (s->half_close)
		shutdown(s->fd, SHUT_WR);
	while (poll(&poller, 1, 20000) > 0 && recv(s->fd, piece, sizeof(piece), 0) > 0)
		;
}

static void *run_server(void *ctx)
{
	struct server *s = ctx;
	const int on = 1;

	for (;;) {
		s->fd = accept(s->listener, NULL, NULL);
		if (s->fd < 0)
			return NULL;
		setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		s->connections++;
		if (s->steps)
			serve_grpc(s);
		else
			serve_raw(s);
		close(s->fd);
	}
}

static void start(struct server *s)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);

	s->listener = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(s->listener, (struct sockaddr *)&address, len) == 0);
	CHECK(listen(s->listener, 5) == 0);
	CHECK(getsockname(s->listener, (struct sockaddr *)&address, &len) == 0);
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%d", ntohs(address.sin_port));
	CHECK(pthread_create(&s->thread, NULL, run_server, s) == 0);
}

/* End the thread; the client has to be closed. */
static void stop(struct server *s)
{
	shutdown(s->listener, SHUT_RDWR);
	CHECK(pthread_join(s->thread, NULL) == 0);
	close(s->listener);
	pipa_buf_done(&s->fields);
	pipa_buf_done(&s->message);
}

static struct pipa_otlp_endpoint endpoint;
static struct pipa_otlp_client *client;
static struct pipa_otlp_sent sent;
static struct pipa_error err;

static void open_client(const struct server *s, const char *protocol, const char *compression,
			uint64_t timeout_ms)
{
	const struct pipa_otlp_options o = { .url = s->url,
					     .protocol = protocol,
					     .compression = compression,
					     .timeout_ns = timeout_ms * PIPA_NS_PER_MS,
					     .headers = { "x-token=abc" },
					     .n_headers = 1 };

	CHECK_EQ(pipa_otlp_endpoint_init(&o, NULL, &endpoint, &err), 0);
	client = pipa_otlp_client_new(&endpoint, "0", NULL);
	CHECK(client);
}

static void close_client(void)
{
	pipa_otlp_client_free(client);
	pipa_otlp_endpoint_done(&endpoint);
}

static int send_text(const char *text, uint64_t ms)
{
	err = (struct pipa_error){ 0 };
	return pipa_otlp_send(client, (struct pipa_span){ (const uint8_t *)text, strlen(text) },
			      pipa_clock_ns() + ms * PIPA_NS_PER_MS, &sent, &err);
}

TEST(grpc_request_arrives_with_its_headers_on_one_connection)
{
	static const struct step ok = { .status = "0" };
	static const char *const compressions[] = { "none", "gzip", "zstd" };
	size_t i;

	for (i = 0; i < 3; i++) {
		struct server s = { .steps = &ok, .n_steps = 1 };

		start(&s);
		open_client(&s, "grpc", compressions[i], 5000);
		CHECK_EQ(send_text("payload", 5000), 0);
		CHECK_EQ(send_text("payload", 5000), 0);
		CHECK_EQ(sent.attempts, 1);
		CHECK_EQ(s.requests, 2);
		CHECK_EQ(s.connections, 1);
		CHECK_STR(pipa_buf_str(&s.message), "payload");
		CHECK_HAS(pipa_buf_str(&s.fields), ":path=" PIPA_OTLP_GRPC_PATH "\n");
		CHECK_HAS(pipa_buf_str(&s.fields), "x-token=abc\n");
		CHECK_HAS(pipa_buf_str(&s.fields), "te=trailers\n");
		CHECK_HAS(pipa_buf_str(&s.fields), "grpc-timeout=");
		close_client();
		stop(&s);
	}
}

TEST(large_request_passes_the_windows_of_the_server)
{
	static const struct step ok = { .status = "0" };
	struct server s = { .steps = &ok, .n_steps = 1 };
	struct pipa_buf large = { 0 };

	start(&s);
	open_client(&s, "grpc", "none", 20000);
	pipa_buf_fill(&large, 'x', 8 << 20);
	CHECK_EQ(send_text(large.data, 20000), 0);
	CHECK_EQ(s.message.len, large.len);
	close_client();
	stop(&s);
	pipa_buf_done(&large);
}

TEST(partial_success_is_reported_and_not_sent_again)
{
	static const struct step some = { .status = "0",
					  .body = "\x0a\x08\x08\x03\x12\x04late",
					  .body_len = 10 };
	struct server s = { .steps = &some, .n_steps = 1 };

	start(&s);
	open_client(&s, "grpc", "gzip", 5000);
	CHECK_EQ(send_text("x", 5000), 0);
	CHECK_EQ(sent.rejected, 3);
	CHECK_STR(sent.message, "late");
	CHECK_EQ(s.requests, 1);
	close_client();
	stop(&s);
}

/* Send to a server that answers with the code first and OK afterwards; returns the number of requests. */
static unsigned int requests_after(const char *code, const char *details, int want)
{
	const struct step steps[] = { { .status = code, .details = details }, { .status = "0" } };
	struct server s = { .steps = steps, .n_steps = 2 };

	start(&s);
	open_client(&s, "grpc", "gzip", 5000);
	CHECK_EQ(send_text("x", 5000), want);
	close_client();
	stop(&s);
	return s.requests;
}

TEST(codes_are_retried_as_the_specification_lists_them)
{
	static const char *const final[] = { "2", "3",	"5",  "6",  "7", "8",
					     "9", "12", "13", "16", "77" };
	static const char *const retried[] = { "1", "4", "10", "11", "14", "15" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(final); i++)
		CHECK_EQ(requests_after(final[i], NULL, -EREMOTEIO), 1);
	CHECK_HAS(err.what, "cannot send profiles to http://127.0.0.1:");
	CHECK_HAS(err.what, "UNKNOWN: be calm");
	for (i = 0; i < PIPA_COUNT(retried); i++)
		CHECK_EQ(requests_after(retried[i], RETRY_INFO_100_MS, 0), 2);
	CHECK_EQ(requests_after("8", RETRY_INFO_100_MS, 0), 2);
	CHECK_EQ(requests_after("14", NULL, 0), 2);
}

TEST(goaway_and_broken_connections_lead_to_a_new_connection)
{
	static const struct step steps[] = { { .status = "0", .goaway = true },
					     { .status = "0" },
					     { .reset = true },
					     { .status = "0" } };
	struct server s = { .steps = steps, .n_steps = 4 };

	start(&s);
	open_client(&s, "grpc", "gzip", 5000);
	CHECK_EQ(send_text("x", 5000), 0);
	CHECK_EQ(send_text("x", 5000), 0);
	CHECK_EQ(s.connections, 2);
	CHECK_EQ(send_text("x", 8000), 0); /* its connection breaks */
	CHECK_EQ(s.requests, 4);
	CHECK_EQ(s.connections, 3);
	close_client();
	stop(&s);
}

TEST(refused_connection_is_retried_and_reported)
{
	struct server s = { 0 };

	snprintf(s.url, sizeof(s.url), "http://127.0.0.1:1");
	open_client(&s, "grpc", "gzip", 1000);
	CHECK_EQ(send_text("x", 2200), -ECONNREFUSED);
	CHECK(sent.attempts >= 2);
	CHECK_HAS(err.what, "Connection refused");
	close_client();
}

/* Send to a server of raw bytes; returns the milliseconds that it took. */
static uint64_t send_to_raw(struct server *s, const char *protocol, int want, const char *what)
{
	static char payload[200000];
	/* limits of sizes are reached late by a slow machine; what is waited for or tried again takes all the time */
	const uint64_t limit = want == -EFBIG || want == -EPROTO || want == -EBADMSG || !want ?
				       20000 :
				       2000;
	uint64_t start_ns, ms;
	int rc;

	memset(payload, 'x', sizeof(payload) - 1);
	start(s);
	open_client(s, protocol, "none", limit);
	start_ns = pipa_clock_ns();
	rc = send_text(payload, limit);
	if (want) /* 0: any failure */
		CHECK_EQ(rc, want);
	CHECK(rc < 0);
	ms = (pipa_clock_ns() - start_ns) / PIPA_NS_PER_MS;
	CHECK_HAS(err.what, what);
	CHECK(ms < limit + 10000);
	close_client();
	stop(s);
	return ms;
}

#define SETTINGS "\0\0\0\4\0\0\0\0\0"

TEST(bad_http2_servers_neither_hang_nor_grow_the_client)
{
	static char settings_flood[9 * 1000], header_flood[9 + 16000], big_settings[9 + 16380];
	struct server silent = { .times = 0 };
	struct server http1 = { .raw = "HTTP/1.1 400 Bad Request\r\n\r\n",
				.raw_len = 28,
				.times = 1 };
	struct server closing = { .raw = SETTINGS, .raw_len = 9, .times = 1, .half_close = true };
	struct server zero = { .raw = "\0\0\6\4\0\0\0\0\0\0\4\0\0\0\0", .raw_len = 15, .times = 1 };
	struct server flood = { .raw = settings_flood,
				.raw_len = sizeof(settings_flood),
				.times = -1 };
	struct server unknown = flood;
	struct server endless = { .raw = header_flood,
				  .raw_len = sizeof(header_flood),
				  .times = -1 };
	struct server big = { .raw = big_settings, .raw_len = sizeof(big_settings), .times = 1 };
	size_t i;

	send_to_raw(&silent, "grpc", -ETIMEDOUT, "no HTTP/2 SETTINGS within the timeout");
	send_to_raw(&http1, "grpc", -EPROTO, "does not speak HTTP/2");
	CHECK_HAS(err.hint, "http/protobuf");
	send_to_raw(&closing, "grpc", -ECONNRESET, "connection closed before the response");
	send_to_raw(&zero, "grpc", -ETIMEDOUT, "of 200004 bytes within the timeout");
	for (i = 0; i < 1000; i++)
		memcpy(settings_flood + 9 * i, SETTINGS, 9);
	/* by the limit of unsent acknowledgements, or that of received bytes: which is first depends on the time */
	send_to_raw(&flood, "grpc", 0, "127.0.0.1: ");
	for (i = 1; i < 1000; i++)
		settings_flood[9 * i + 3] = 0x7a; /* a type that is unknown and so ignored */
	send_to_raw(&unknown, "grpc", -EFBIG, "bytes received in one call");
	/* HEADERS without END_HEADERS, then CONTINUATION frames without an end */
	memcpy(header_flood, "\0\x3e\x80\1\0\0\0\0\1", 9);
	endless.wait_bytes = 1;
	send_to_raw(&endless, "grpc", -EPROTO, "HTTP/2");
	memcpy(big_settings, "\0\x3f\xfc\4\0\0\0\0\0", 9);
	send_to_raw(&big, "grpc", -EPROTO, "HTTP/2");
}

TEST(bad_http1_servers_neither_hang_nor_grow_the_client)
{
	struct server silent = { .times = 0 };
	struct server gone = { .times = 0, .wait_bytes = 1, .half_close = true };
	struct server head = { .raw = "HTTP/1.1 200 OK\r\nX: 1\r\n", .raw_len = 23, .times = -1 };
	struct server body = { .raw = "HTTP/1.1 200 OK\r\n\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxx",
			       .raw_len = 46,
			       .times = -1 };
	struct server h2 = { .raw = SETTINGS, .raw_len = 9, .times = 1 };
	struct server moved = { .raw = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
				       "Content-Length: 0\r\n\r\n",
				.raw_len = 72,
				.times = 1 };
	struct server packed = { .raw = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
				 .raw_len = 43,
				 .times = 1 };

	send_to_raw(&silent, "http/protobuf", -ETIMEDOUT, "no response within the timeout");
	send_to_raw(&gone, "http/protobuf", -ECONNRESET, "connection closed before the response");
	send_to_raw(&head, "http/protobuf", -EBADMSG, "invalid HTTP response");
	send_to_raw(&body, "http/protobuf", -EFBIG, "response larger than 4194304 bytes");
	send_to_raw(&h2, "http/protobuf", -ETIMEDOUT, "no response");
	moved.raw_len = strlen(moved.raw);
	send_to_raw(&moved, "http/protobuf", -EREMOTEIO, "302: redirects are not followed");
	CHECK_EQ(moved.requests, 1);
	send_to_raw(&packed, "http/protobuf", -EBADMSG, "invalid HTTP response");
}

TEST(sender_delivers_its_queue_and_counts_dropped_requests)
{
	static const struct step ok = { .status = "0" };
	struct server s = { .steps = &ok, .n_steps = 1 };
	struct pipa_otlp_sender_options o = { .endpoint = &endpoint,
					      .version = "0",
					      .max_requests = 50,
					      .max_bytes = 1000,
					      .retry_ns = 5 * PIPA_NS_PER_SEC };
	struct pipa_otlp_sender *sender = NULL;
	struct pipa_otlp_counts counts;
	int i, dropped = 0;

	start(&s);
	open_client(&s, "grpc", "gzip", 5000);
	CHECK_EQ(pipa_otlp_sender_start(&o, &sender, &err), 0);
	CHECK_EQ(pipa_otlp_sender_put(sender, calloc(1, 1001), 1001, 1), -ENOBUFS);
	for (i = 0; i < 200; i++)
		dropped += pipa_otlp_sender_put(sender, calloc(1, 10), 10, 3) < 0;
	pipa_otlp_sender_finish(sender, pipa_clock_ns() + 5 * PIPA_NS_PER_SEC, &counts);
	CHECK_EQ(counts.dropped, dropped + 1);
	CHECK_EQ(counts.delivered, 200 - dropped);
	CHECK_EQ(counts.delivered_samples, 3 * counts.delivered);
	CHECK_EQ(counts.refused + counts.undelivered, 0);
	CHECK_EQ(s.requests, counts.delivered); /* none twice */
	pipa_otlp_sender_free(sender);
	close_client();
	stop(&s);
}

TEST(sender_ends_at_the_deadline_although_the_server_is_silent)
{
	struct server s = { .times = 0 };
	struct pipa_otlp_sender_options o = { .endpoint = &endpoint,
					      .version = "0",
					      .max_requests = 50,
					      .max_bytes = 1000,
					      .retry_ns = 300 * PIPA_NS_PER_SEC };
	struct pipa_otlp_sender *sender = NULL;
	struct pipa_otlp_counts counts;
	uint64_t start_ns;

	start(&s);
	open_client(&s, "grpc", "gzip", 60000);
	CHECK_EQ(pipa_otlp_sender_start(&o, &sender, &err), 0);
	CHECK_EQ(pipa_otlp_sender_put(sender, calloc(1, 10), 10, 3), 0);
	CHECK_EQ(pipa_otlp_sender_put(sender, calloc(1, 10), 10, 3), 0);
	start_ns = pipa_clock_ns();
	pipa_otlp_sender_finish(sender, start_ns + 300 * PIPA_NS_PER_MS, &counts);
	CHECK(pipa_clock_ns() - start_ns < 2 * PIPA_NS_PER_SEC);
	CHECK_EQ(counts.delivered, 0);
	CHECK_EQ(counts.undelivered, 2);
	CHECK(counts.err.code);
	pipa_otlp_sender_free(sender);
	close_client();
	stop(&s);
}
