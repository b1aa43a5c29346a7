/* Streams of messages to and from a server on the loopback. */
#include "net/grpc_client.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "lib/test.h"
#include "net/h2.h"

enum { MESSAGE = 70000, HEAP = 1 << 20 };

/* Counts the messages of a request and sends `to_send` back. */
struct server {
	int listener, fd;
	char port[16];
	pthread_t thread;
	struct pipa_h2 *h2;
	struct pipa_grpc_reader reader;
	struct pipa_h2_body body;
	uint8_t prefix[PIPA_GRPC_PREFIX], message[MESSAGE];
	int to_send, sent;
	bool refuse;   /* with UNAUTHENTICATED, at the first byte */
	bool stall;    /* send nothing after the first message */
	bool truncate; /* end in the middle of a message */
	bool refused;
	_Atomic uint64_t messages, bytes, cancelled;
};

static const struct pipa_h2_field head[] = { { ":status", "200", false },
					     { "content-type", "application/grpc", false },
					     { "grpc-status", "16", false },
					     { "grpc-message", "no%20token", false } };

static int more(struct pipa_h2_body *body)
{
	struct server *s = body->ctx;

	if (s->stall && s->sent)
		return -EAGAIN;
	if (s->sent == s->to_send)
		return 0;
	s->sent++;
	memset(s->message, 'a' + s->sent % 26, sizeof(s->message));
	pipa_grpc_prefix(s->prefix, false, MESSAGE + s->truncate);
	body->pieces[0] = (struct pipa_span){ s->prefix, sizeof(s->prefix) };
	body->pieces[1] = (struct pipa_span){ s->message, sizeof(s->message) };
	body->piece = body->offset = 0;
	return 1;
}

static int on_field(void *ctx PIPA_UNUSED, int32_t stream PIPA_UNUSED,
		    struct pipa_span name PIPA_UNUSED, struct pipa_span value PIPA_UNUSED)
{
	return 0;
}

static int on_data(void *ctx, int32_t stream, struct pipa_span bytes)
{
	struct server *s = ctx;
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	struct pipa_span message;

	if (s->refuse && !s->refused) {
		s->refused = true;
		pipa_h2_respond(s->h2, stream, head, 4, NULL, NULL, 0);
	}
	while (pipa_grpc_next(&s->reader, &in, &message) > 0) {
		s->messages++;
		s->bytes += message.size;
	}
	return 0;
}

static void on_end(void *ctx, int32_t stream)
{
	static const struct pipa_h2_field trailer[] = { { "grpc-status", "0", false } };
	struct server *s = ctx;

	if (s->refused)
		return;
	s->body = (struct pipa_h2_body){ .more = more, .ctx = s };
	pipa_h2_respond(s->h2, stream, head, 2, &s->body, trailer, 1);
}

static void on_closed(void *ctx, int32_t stream PIPA_UNUSED, uint32_t code)
{
	struct server *s = ctx;

	s->cancelled += code == PIPA_H2_CANCEL;
}

static void *serve(void *ctx)
{
	static const struct pipa_h2_limits limits = { .header_bytes = 8192, .streams = 10 };
	static const struct pipa_h2_events events = {
		.field = on_field, .data = on_data, .end = on_end, .closed = on_closed
	};
	struct server *s = ctx;
	struct pipa_span out;
	uint8_t piece[4096];
	ssize_t n;

	s->fd = accept(s->listener, NULL, NULL);
	s->reader = (struct pipa_grpc_reader){ .max = HEAP };
	s->h2 = pipa_h2_new(PIPA_H2_SERVER, &limits, &events, s);
	do {
		while (pipa_h2_output(s->h2, &out) == 0 && out.size)
			if (send(s->fd, out.data, out.size, MSG_NOSIGNAL) < 0)
				break;
		n = pipa_h2_is_alive(s->h2) ? recv(s->fd, piece, sizeof(piece), 0) : 0;
	} while (n > 0 && pipa_h2_receive(s->h2, (struct pipa_span){ piece, (size_t)n }) == 0);
	pipa_h2_free(s->h2);
	pipa_grpc_reader_done(&s->reader);
	close(s->fd);
	return NULL;
}

static struct pipa_grpc_client *start(struct server *s)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);

	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(bind(s->listener, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	      listen(s->listener, 5) == 0);
	CHECK_EQ(getsockname(s->listener, (struct sockaddr *)&address, &len), 0);
	snprintf(s->port, sizeof(s->port), "%u", ntohs(address.sin_port));
	CHECK_EQ(pthread_create(&s->thread, NULL, serve, s), 0);
	return pipa_grpc_client_new(&(struct pipa_grpc_client_options){
		.host = "127.0.0.1", .port = s->port, .user_agent = "test", .max_reply = HEAP });
}

static void stop(struct server *s, struct pipa_grpc_client *client)
{
	pipa_grpc_client_free(client);
	pthread_join(s->thread, NULL);
	close(s->listener);
}

/* Messages that the test sends and receives. */
struct flow {
	int to_send, sent, received, fail_at_sent, fail_at_received;
	uint64_t bytes;
	uint8_t message[MESSAGE];
};

static int next(void *ctx, struct pipa_span *ret)
{
	struct flow *flow = ctx;

	if (flow->fail_at_sent && flow->sent == flow->fail_at_sent)
		return -EIO;
	if (flow->sent == flow->to_send)
		return 0;
	memset(flow->message, 'A' + flow->sent++ % 26, sizeof(flow->message));
	*ret = (struct pipa_span){ flow->message, sizeof(flow->message) };
	return 1;
}

static int receive(void *ctx, struct pipa_span message)
{
	struct flow *flow = ctx;

	if (flow->fail_at_received && flow->received == flow->fail_at_received)
		return -ENOSPC;
	flow->received++;
	flow->bytes += message.size;
	CHECK_EQ(message.data[0], 'a' + flow->received % 26);
	return 0;
}

static int call(struct pipa_grpc_client *client, struct flow *flow, struct pipa_grpc_reply *reply,
		struct pipa_error *err)
{
	const struct pipa_grpc_request request = {
		.path = "/a.B/C",
		.until_ns = pipa_clock_ns() + 10 * PIPA_NS_PER_SEC,
		.idle_ns = 200 * PIPA_NS_PER_MS,
		.next = next,
		.receive = receive,
		.ctx = flow,
	};

	return pipa_grpc_call(client, &request, reply, err);
}

TEST(grpc_streams_larger_than_all_windows_pass_in_both_directions)
{
	struct server s = { .to_send = 200 };
	struct flow flow = { .to_send = 150 };
	struct pipa_grpc_client *client = start(&s);
	struct pipa_grpc_reply reply = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(call(client, &flow, &reply, &err), 0);
	CHECK_EQ(reply.code, PIPA_GRPC_OK);
	CHECK_EQ(s.messages, 150);
	CHECK_EQ(s.bytes, 150 * MESSAGE);
	CHECK_EQ(flow.received, 200);
	CHECK_EQ(flow.bytes, 200 * MESSAGE);
	stop(&s, client);
	pipa_grpc_reply_done(&reply);
}

TEST(grpc_stream_of_responses_may_be_empty)
{
	struct server s = { 0 };
	struct flow flow = { 0 };
	struct pipa_grpc_client *client = start(&s);
	struct pipa_grpc_reply reply = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(call(client, &flow, &reply, &err), 0);
	CHECK_EQ(reply.code, PIPA_GRPC_OK);
	CHECK_EQ(flow.received, 0);
	stop(&s, client);
	pipa_grpc_reply_done(&reply);
}

TEST(grpc_stream_that_the_server_refuses_ends_early)
{
	struct server s = { .refuse = true };
	struct flow flow = { .to_send = 1000000 };
	struct pipa_grpc_client *client = start(&s);
	struct pipa_grpc_reply reply = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(call(client, &flow, &reply, &err), 0);
	CHECK_EQ(reply.code, PIPA_GRPC_UNAUTHENTICATED);
	CHECK_STR(reply.text, "no token");
	CHECK(flow.sent < 1000);
	stop(&s, client);
	pipa_grpc_reply_done(&reply);
}

TEST(grpc_stream_is_cancelled_by_a_failure_of_either_callback)
{
	struct server s = { .to_send = 1000000 };
	struct flow flow = { .to_send = 3, .fail_at_received = 5 };
	struct pipa_grpc_client *client = start(&s);
	struct pipa_grpc_reply reply = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(call(client, &flow, &reply, &err), -ENOSPC);
	CHECK_EQ(err.code, 0);
	flow = (struct flow){ .to_send = 100, .fail_at_sent = 50 };
	CHECK_EQ(call(client, &flow, &reply, &err), -EIO); /* over the same connection */
	CHECK_EQ(err.code, 0);
	stop(&s, client);
	CHECK_EQ(s.cancelled, 1);
	CHECK(s.sent < 1000);
	pipa_grpc_reply_done(&reply);
}

TEST(grpc_stream_that_stalls_ends_after_the_idle_time)
{
	struct server s = { .to_send = 2, .stall = true };
	struct flow flow = { 0 };
	struct pipa_grpc_client *client = start(&s);
	struct pipa_grpc_reply reply = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(call(client, &flow, &reply, &err), -ETIMEDOUT);
	CHECK(strstr(err.what, "no progress within the timeout"));
	CHECK_EQ(flow.received, 1);
	stop(&s, client);
	pipa_grpc_reply_done(&reply);
}

TEST(grpc_stream_that_ends_inside_a_message_is_refused)
{
	struct server s = { .to_send = 1, .truncate = true };
	struct flow flow = { 0 };
	struct pipa_grpc_client *client = start(&s);
	struct pipa_grpc_reply reply = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(call(client, &flow, &reply, &err), -EPROTO);
	CHECK(strstr(err.what, "truncated message"));
	stop(&s, client);
	pipa_grpc_reply_done(&reply);
}
