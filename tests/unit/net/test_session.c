/* A gRPC client and a server session that exchange bytes in memory; hostile clients are written frame by frame. */
#include "net/server/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "lib/test.h"
#include "net/grpc.h"
#include "net/h2.h"

#define SECOND PIPA_NS_PER_SEC

/* ---- the server -------------------------------------------------------------------------------------------- */

static struct pipa_grpc_call *last_call, *calls[10]; /* of the method that waits */
static int messages, ends, readies, dones, left;
static struct pipa_grpc_ended last_ended;
static enum pipa_grpc_code admit_code;

static void echo(struct pipa_grpc_call *call, struct pipa_span message)
{
	messages++;
	pipa_grpc_call_send(call, message);
}

static void finish(struct pipa_grpc_call *call)
{
	ends++;
	pipa_grpc_call_finish(call, PIPA_GRPC_OK, NULL);
}

static void count_done(struct pipa_grpc_call *call)
{
	dones++;
	if (call == last_call)
		last_call = NULL;
}

static void keep_waiting(struct pipa_grpc_call *call, struct pipa_span message PIPA_UNUSED)
{
	calls[messages++ % PIPA_COUNT(calls)] = call;
	last_call = call;
}

static void hold(struct pipa_grpc_call *call, struct pipa_span message PIPA_UNUSED)
{
	messages++;
	last_call = call;
	pipa_grpc_call_hold(call);
}

static void send_next(struct pipa_grpc_call *call)
{
	static const char block[20000];

	readies++;
	if (left-- > 0)
		pipa_grpc_call_send(call,
				    (struct pipa_span){ (const uint8_t *)block, sizeof(block) });
	else
		pipa_grpc_call_finish(call, PIPA_GRPC_OK, NULL);
}

static void begin_sending(struct pipa_grpc_call *call, struct pipa_span message PIPA_UNUSED)
{
	send_next(call);
}

static const struct pipa_grpc_method unary = {
	.path = "/a.B/Unary", .message = echo, .end = finish, .done = count_done
};
static const struct pipa_grpc_method both = { .path = "/a.B/Both",
					      .requests = true,
					      .replies = true,
					      .message = echo,
					      .end = finish,
					      .done = count_done };
static const struct pipa_grpc_method waits = { .path = "/a.B/Waits",
					       .message = keep_waiting,
					       .done = count_done };
static const struct pipa_grpc_method holds = {
	.path = "/a.B/Holds", .requests = true, .message = hold, .end = finish, .done = count_done
};
static const struct pipa_grpc_method sends = { .path = "/a.B/Sends",
					       .replies = true,
					       .message = begin_sending,
					       .ready = send_next,
					       .done = count_done };
static const struct pipa_grpc_method small = {
	.path = "/a.B/Small", .max_request = 100, .message = echo, .end = finish, .done = count_done
};
static const struct pipa_grpc_method paced = {
	.path = "/a.B/Paced", .requests = true, .paced = true, .message = hold, .done = count_done
};
static const struct pipa_grpc_method *const methods[] = { &unary, &both,  &waits, &holds,
							  &sends, &small, &paced, NULL };

static enum pipa_grpc_code admit(void *ctx PIPA_UNUSED, const struct pipa_grpc_head *head,
				 char text[100])
{
	if (strcmp(head->authorization, "Bearer secret") == 0)
		return PIPA_GRPC_OK;
	snprintf(text, 100, "no: 100%%");
	return admit_code;
}

static void note_ended(void *ctx PIPA_UNUSED, const struct pipa_grpc_ended *ended)
{
	last_ended = *ended;
}

static void ignore_wake(void *peer PIPA_UNUSED)
{
}

static struct pipa_grpc_budget budget = { .max = 1 << 20 };
static const struct pipa_grpc_service service = {
	.methods = methods,
	.limits = { .header_bytes = 4096,
		    .streams = 10,
		    .max_message = 100000,
		    .greet_ns = 10 * SECOND,
		    .stall_ns = 30 * SECOND,
		    .idle_ns = 60 * SECOND },
	.budget = &budget,
	.admit = admit,
	.ended = note_ended,
};

/* ---- the client -------------------------------------------------------------------------------------------- */

struct client {
	struct pipa_h2 *h2;
	struct pipa_grpc_session *session;
	struct pipa_buf fields, body;
	struct pipa_h2_body up;
	int closed, rc;
	uint32_t code;
	bool reads; /* takes the server's output */
	uint64_t now;
};

static int on_field(void *ctx, int32_t stream PIPA_UNUSED, struct pipa_span name,
		    struct pipa_span value)
{
	struct client *c = ctx;

	pipa_buf_printf(&c->fields, "%.*s=%.*s\n", (int)name.size, (const char *)name.data,
			(int)value.size, (const char *)value.data);
	return 0;
}

static int on_data(void *ctx, int32_t stream PIPA_UNUSED, struct pipa_span bytes)
{
	struct client *c = ctx;

	pipa_buf_add(&c->body, bytes.data, bytes.size);
	return 0;
}

static void on_closed(void *ctx, int32_t stream PIPA_UNUSED, uint32_t code)
{
	struct client *c = ctx;

	c->closed++;
	c->code = code;
}

static void exchange(struct client *c)
{
	struct pipa_span span;
	size_t n;

	do {
		n = 0;
		while (c->h2 && pipa_h2_output(c->h2, &span) == 0 && span.size) {
			n += span.size;
			if (!c->rc)
				c->rc = pipa_grpc_session_receive(c->session, span, c->now);
		}
		while (c->reads && pipa_grpc_session_output(c->session, &span) == 0 && span.size) {
			n += span.size;
			if (c->h2)
				CHECK_EQ(pipa_h2_receive(c->h2, span), 0);
			else
				pipa_buf_add(&c->body, span.data, span.size);
		}
	} while (n);
}

/* Start the server, and a client that sends HTTP/2 automatically unless it is raw. */
static void start(struct client *c, bool raw)
{
	static const struct pipa_h2_events events = { .field = on_field,
						      .data = on_data,
						      .closed = on_closed };
	const struct pipa_h2_limits limits = { .header_bytes = 8192, .streams = 10 };

	*c = (struct client){ .reads = true, .now = 1000 * SECOND };
	admit_code = PIPA_GRPC_UNAUTHENTICATED;
	c->session = pipa_grpc_session_new(&service, c, ignore_wake, c->now);
	CHECK(c->session);
	if (!raw) {
		c->h2 = pipa_h2_new(PIPA_H2_CLIENT, &limits, &events, c);
		CHECK(c->h2);
	}
	exchange(c);
}

static void stop(struct client *c)
{
	pipa_h2_free(c->h2);
	pipa_grpc_session_free(c->session);
	pipa_buf_done(&c->fields);
	pipa_buf_done(&c->body);
	CHECK_EQ(budget.used, 0);
	CHECK_EQ(budget.replies, 0);
}

/* Send a request with these bytes, one more field and the end of the stream. */
static int32_t call(struct client *c, const char *path, const void *bytes, size_t len,
		    const char *name, const char *value)
{
	struct pipa_h2_field fields[] = { { ":method", "POST", false },
					  { ":scheme", "http", false },
					  { ":path", path, false },
					  { ":authority", "x", false },
					  { "content-type", "application/grpc", false },
					  { "te", "trailers", false },
					  { "authorization", "Bearer secret", true },
					  { name ? name : "x", value ? value : "y", false } };
	size_t i, n = PIPA_COUNT(fields);
	int32_t stream;

	for (i = 0; name && i + 1 < PIPA_COUNT(fields); i++)
		if (strcmp(fields[i].name, name) == 0) { /* replaced, not added */
			fields[i].value = value;
			n = PIPA_COUNT(fields) - 1;
		}
	c->up = (struct pipa_h2_body){ .pieces = { { bytes, len } } };
	stream = pipa_h2_request(c->h2, fields, n, &c->up);
	CHECK(stream > 0);
	exchange(c);
	return stream;
}

static const char hello[] = "\0\0\0\0\5hello";
enum { HELLO = 10 };

TEST(session_echoes_a_unary_call)
{
	struct client c;

	start(&c, false);
	call(&c, "/a.B/Unary", hello, HELLO, NULL, NULL);
	CHECK_EQ(c.body.len, HELLO);
	CHECK(memcmp(c.body.data, hello, HELLO) == 0);
	CHECK(strstr(pipa_buf_str(&c.fields), ":status=200\n"));
	CHECK(strstr(pipa_buf_str(&c.fields), "grpc-status=0\n"));
	CHECK_EQ(c.closed, 1);
	CHECK_EQ(c.code, PIPA_H2_NO_ERROR);
	CHECK_EQ(dones, 1);
	CHECK(last_ended.method == &unary && last_ended.code == PIPA_GRPC_OK);
	CHECK_EQ(last_ended.bytes_in, HELLO);
	CHECK_EQ(last_ended.bytes_out, 5);
	stop(&c);
}

TEST(session_answers_each_message_of_a_stream)
{
	static const char two[] = "\0\0\0\0\1a\0\0\0\0\2bc";
	struct client c;

	start(&c, false);
	call(&c, "/a.B/Both", two, sizeof(two) - 1, NULL, NULL);
	CHECK_EQ(messages, 2);
	CHECK_EQ(ends, 1);
	CHECK_EQ(c.body.len, sizeof(two) - 1);
	CHECK(memcmp(c.body.data, two, sizeof(two) - 1) == 0);
	CHECK(strstr(pipa_buf_str(&c.fields), "grpc-status=0\n"));
	stop(&c);
}

static void check_refused(const char *path, const void *bytes, size_t len, const char *name,
			  const char *value, const char *expected)
{
	struct client c;

	start(&c, false);
	messages = 0;
	call(&c, path, bytes, len, name, value);
	CHECK(strstr(pipa_buf_str(&c.fields), expected));
	CHECK_EQ(c.closed, 1);
	CHECK_EQ(messages, 0);
	CHECK_EQ(c.rc, 0);
	stop(&c);
}

TEST(session_refuses_requests_with_the_status_of_their_fault)
{
	static const char large[] = "\0\xff\xff\xff\xff";
	static const char flag[] = "\2\0\0\0\1a";
	static const char packed[] = "\1\0\0\0\1a";
	static const char two[] = "\0\0\0\0\1a\0\0\0\0\1b";

	check_refused("/a.B/None", hello, HELLO, NULL, NULL, "grpc-status=12\n");
	check_refused("/a.B/Unary", hello, HELLO, "authorization", "Bearer wrong",
		      "grpc-status=16\ngrpc-message=no: 100%25\n");
	check_refused("/a.B/Unary", hello, HELLO, "content-type", "text/html", ":status=415\n");
	check_refused("/a.B/Unary", hello, HELLO, "content-type", "application/grpcx",
		      ":status=415\n");
	check_refused("/a.B/Unary", hello, HELLO, ":method", "GET", ":status=405\n");
	check_refused("/a.B/Unary", hello, HELLO, "grpc-timeout", "1x", "grpc-status=3\n");
	check_refused("/a.B/Unary", hello, HELLO, "grpc-encoding", "br", "grpc-status=12\n");
	check_refused("/a.B/Unary", hello, HELLO - 1, NULL, NULL, "grpc-status=3\n");
	check_refused("/a.B/Unary", hello, 3, NULL, NULL, "grpc-status=3\n");
	check_refused("/a.B/Unary", hello, 0, NULL, NULL, "grpc-status=3\n");
	check_refused("/a.B/Unary", large, 5, NULL, NULL, "grpc-status=8\n");
	check_refused("/a.B/Unary", flag, 6, NULL, NULL, "grpc-status=13\n");
	check_refused("/a.B/Unary", packed, 6, NULL, NULL, "grpc-status=12\n");
	check_refused("/a.B/Unary", two, sizeof(two) - 1, NULL, NULL, "grpc-status=3\n");
}

TEST(session_refuses_a_large_head_and_goes_on)
{
	struct pipa_buf large = { 0 };
	struct client c;

	start(&c, false);
	pipa_buf_fill(&large, 'x', 6000);
	call(&c, "/a.B/Unary", hello, HELLO, "padding", large.data);
	CHECK(strstr(pipa_buf_str(&c.fields), ":status=431\n"));
	pipa_buf_reset(&c.fields);
	call(&c, "/a.B/Unary", hello, HELLO, NULL, NULL);
	CHECK(strstr(pipa_buf_str(&c.fields), "grpc-status=0\n"));
	pipa_buf_done(&large);
	stop(&c);
}

TEST(session_makes_replies_only_as_far_as_the_window_reaches)
{
	struct client c;

	start(&c, false);
	c.reads = false;
	left = 1000;
	call(&c, "/a.B/Sends", hello, HELLO, NULL, NULL);
	{
		struct pipa_span span;

		while (pipa_grpc_session_output(c.session, &span) == 0 && span.size)
			CHECK_EQ(pipa_h2_receive(c.h2, span), 0);
	}
	CHECK(readies < 20); /* 256 KiB */
	c.reads = true;
	exchange(&c);
	CHECK_EQ(c.body.len, 1000 * 20005);
	CHECK(strstr(pipa_buf_str(&c.fields), "grpc-status=0\n"));
	stop(&c);
}

TEST(session_limits_the_replies_that_are_not_read)
{
	struct pipa_buf large = { 0 };
	struct client c;
	int i;

	start(&c, false);
	for (i = 0; i < 9; i++)
		call(&c, "/a.B/Waits", hello, HELLO, NULL, NULL);
	c.reads = false;
	budget.max = 100000;
	for (i = 0; i < 9; i++) {
		large.max = SIZE_MAX;
		pipa_buf_fill(&large, 'x', 30000);
		pipa_grpc_call_send_buf(calls[i], &large);
		CHECK(budget.replies <= budget.max);
	}
	CHECK(pipa_grpc_call_is_open(calls[0]));
	CHECK(!pipa_grpc_call_is_open(calls[8]));
	pipa_grpc_call_send(calls[1], (struct pipa_span){ (const uint8_t *)hello, HELLO });
	CHECK(pipa_grpc_call_is_open(calls[1])); /* a small one */
	c.reads = true;
	exchange(&c);
	CHECK(strstr(pipa_buf_str(&c.fields), "grpc-status=8\n"));
	CHECK_EQ(budget.replies, 0);
	budget.max = 1 << 20;
	stop(&c);
}

TEST(session_holds_messages_until_they_are_released)
{
	static const char two[] = "\0\0\0\0\1a\0\0\0\0\2bc";
	struct client c;

	start(&c, false);
	call(&c, "/a.B/Holds", two, sizeof(two) - 1, NULL, NULL);
	CHECK_EQ(messages, 1);
	CHECK_EQ(c.closed, 0);
	pipa_grpc_call_release(last_call);
	exchange(&c);
	CHECK_EQ(messages, 2);
	CHECK_EQ(ends, 0);
	pipa_grpc_call_release(last_call);
	exchange(&c);
	CHECK_EQ(ends, 1);
	CHECK_EQ(c.closed, 1);
	stop(&c);
}

TEST(session_limits_the_buffered_bytes_of_a_held_call)
{
	struct pipa_buf many = { 0 };
	struct client c;
	int i;

	start(&c, false);
	for (i = 0; i < 100000; i++)
		pipa_buf_add(&many, hello, HELLO);
	call(&c, "/a.B/Holds", many.data, many.len, NULL, NULL);
	CHECK_EQ(messages, 1);
	CHECK(pipa_h2_body_sent(&c.up) <= 256 << 10);
	CHECK(budget.used <= 1 << 20);
	pipa_buf_done(&many);
	stop(&c);
}

TEST(session_limits_the_requests_of_a_method)
{
	static const char large[] = "\0\0\0\0\145";
	struct client c;

	check_refused("/a.B/Small", large, 5, NULL, NULL, "grpc-status=8\n");
	start(&c, false);
	budget.max = 0; /* of requests that are charged */
	call(&c, "/a.B/Small", hello, HELLO, NULL, NULL);
	CHECK(strstr(pipa_buf_str(&c.fields), "grpc-status=0\n"));
	pipa_buf_reset(&c.fields);
	call(&c, "/a.B/Unary", hello, HELLO, NULL, NULL);
	CHECK(strstr(pipa_buf_str(&c.fields), "grpc-status=8\n"));
	budget.max = 1 << 20;
	stop(&c);
}

TEST(session_ends_a_call_at_its_deadline)
{
	struct client c;
	int rc;

	start(&c, false);
	call(&c, "/a.B/Waits", hello, HELLO, "grpc-timeout", "2S");
	CHECK(last_call);
	CHECK_EQ(pipa_grpc_session_tick(c.session, c.now + SECOND, &rc), c.now + 2 * SECOND);
	CHECK_EQ(c.closed, 0);
	pipa_grpc_session_tick(c.session, c.now + 2 * SECOND, &rc);
	exchange(&c);
	CHECK(strstr(pipa_buf_str(&c.fields), "grpc-status=4\n"));
	CHECK(!last_call);
	CHECK_EQ(rc, 0);
	stop(&c);
}

TEST(session_passes_a_cancellation_to_the_handler)
{
	struct client c;
	int32_t stream;

	start(&c, false);
	stream = call(&c, "/a.B/Waits", hello, HELLO, NULL, NULL);
	CHECK(last_call);
	pipa_h2_reset(c.h2, stream, PIPA_H2_CANCEL);
	exchange(&c);
	CHECK(!last_call);
	CHECK_EQ(last_ended.code, PIPA_GRPC_CANCELLED);
	stop(&c);
	start(&c, false);
	call(&c, "/a.B/Waits", hello, HELLO, NULL, NULL);
	CHECK(last_call);
	stop(&c); /* the connection is lost */
	CHECK(!last_call);
}

TEST(session_resets_a_reply_that_is_not_read)
{
	struct client c;
	struct pipa_span span;
	int rc;

	start(&c, false);
	c.reads = false;
	left = 1000;
	call(&c, "/a.B/Sends", hello, HELLO, NULL, NULL);
	while (pipa_grpc_session_output(c.session, &span) == 0 && span.size)
		;
	pipa_grpc_session_tick(c.session, c.now + SECOND, &rc);
	pipa_grpc_session_tick(c.session, c.now + 30 * SECOND, &rc);
	CHECK_EQ(pipa_grpc_session_calls(c.session), 1);
	pipa_grpc_session_tick(c.session, c.now + 31 * SECOND, &rc);
	while (pipa_grpc_session_output(c.session, &span) == 0 && span.size)
		;
	CHECK_EQ(pipa_grpc_session_calls(c.session), 0);
	CHECK_EQ(dones, 1);
	CHECK_EQ(rc, 0);
	stop(&c);
}

/* Let the client read some bytes of a reply each second. Returns after how many seconds the call has ended. */
static int read_slowly(int bytes, int seconds)
{
	struct pipa_span span;
	struct client c;
	int i, rc;

	start(&c, false);
	left = 1000;
	c.reads = false;
	call(&c, "/a.B/Sends", hello, HELLO, NULL, NULL);
	for (i = 0; i < seconds && pipa_grpc_session_calls(c.session); i++) {
		uint8_t update[13] = { [2] = 4, [3] = PIPA_H2_WINDOW_UPDATE };

		c.now += SECOND;
		update[11] = (uint8_t)(bytes >> 8);
		update[12] = (uint8_t)bytes;
		CHECK_EQ(pipa_grpc_session_receive(
				 c.session, (struct pipa_span){ update, sizeof(update) }, c.now),
			 0);
		update[8] = 1; /* the window of the stream, after that of the connection */
		CHECK_EQ(pipa_grpc_session_receive(
				 c.session, (struct pipa_span){ update, sizeof(update) }, c.now),
			 0);
		while (pipa_grpc_session_output(c.session, &span) == 0 && span.size)
			;
		pipa_grpc_session_tick(c.session, c.now, &rc);
		CHECK_EQ(rc, 0);
		while (pipa_grpc_session_output(c.session, &span) == 0 && span.size)
			;
	}
	stop(&c);
	return i;
}

TEST(session_resets_a_reply_that_is_read_slowly)
{
	int ended = read_slowly(1, 100);

	CHECK(ended >= 30 && ended < 40);
	ended = read_slowly(4000, 100); /* of 16384 */
	CHECK(ended >= 38 && ended < 50);
	CHECK_EQ(read_slowly(20000, 100), 100);
}

/* Stop in the middle of a message. */
static int wait_for_ever(struct pipa_h2_body *body PIPA_UNUSED)
{
	return -EAGAIN;
}

/* Begin a call that sends these bytes of "hello" and then nothing more. */
static void begin_call(struct client *c, const char *path, size_t len)
{
	struct pipa_h2_field fields[] = { { ":method", "POST", false },
					  { ":scheme", "http", false },
					  { ":path", path, false },
					  { ":authority", "x", false },
					  { "content-type", "application/grpc", false },
					  { "authorization", "Bearer secret", true } };

	c->up = (struct pipa_h2_body){ .pieces = { { (const uint8_t *)hello, len } },
				       .more = wait_for_ever };
	CHECK(pipa_h2_request(c->h2, fields, PIPA_COUNT(fields), &c->up) > 0);
	exchange(c);
}

/* Let the client wait; is the call ended after 30 seconds? */
static bool is_given_up(struct client *c)
{
	int rc;

	pipa_grpc_session_tick(c->session, c->now + 29 * SECOND, &rc);
	CHECK_EQ(pipa_grpc_session_calls(c->session), 1);
	pipa_grpc_session_tick(c->session, c->now + 31 * SECOND, &rc);
	exchange(c);
	CHECK_EQ(rc, 0);
	if (pipa_grpc_session_calls(c->session))
		return false;
	CHECK(strstr(pipa_buf_str(&c->fields), "grpc-status=4\n"));
	return true;
}

TEST(session_gives_up_a_request_that_does_not_come)
{
	static const struct {
		const char *path;
		size_t len;
		bool given_up;
	} cases[] = {
		{ "/a.B/Unary", 7, true },
		{ "/a.B/Unary", 0, true },
		{ "/a.B/Unary", HELLO, true }, /* without the end of the stream */
		{ "/a.B/Both", 7, true },
		{ "/a.B/Both", HELLO, false }, /* a stream may pause */
	};
	struct client c;
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		start(&c, false);
		begin_call(&c, cases[i].path, cases[i].len);
		CHECK_EQ(is_given_up(&c), cases[i].given_up);
		stop(&c);
	}
}

TEST(session_gives_up_a_paced_stream_that_pauses)
{
	struct client c;

	start(&c, false);
	begin_call(&c, "/a.B/Paced", 0);
	CHECK(is_given_up(&c));
	stop(&c);
	start(&c, false);
	begin_call(&c, "/a.B/Paced", HELLO);
	CHECK(!is_given_up(&c)); /* it is held: the client need not send anything */
	c.now += 40 * SECOND;
	exchange(&c);
	pipa_grpc_session_tick(c.session, c.now, &(int){ 0 });
	pipa_grpc_call_release(last_call);
	CHECK(is_given_up(&c));
	stop(&c);
}

TEST(session_drains_and_ends)
{
	struct client c;

	start(&c, false);
	call(&c, "/a.B/Waits", hello, HELLO, NULL, NULL);
	pipa_grpc_session_drain(c.session);
	exchange(&c);
	pipa_grpc_session_drain(c.session);
	exchange(&c);
	CHECK(!pipa_h2_is_usable(c.h2));
	CHECK(pipa_grpc_session_is_alive(c.session));
	pipa_grpc_call_finish(last_call, PIPA_GRPC_OK, NULL);
	exchange(&c);
	CHECK(!pipa_grpc_session_is_alive(c.session));
	CHECK(strstr(pipa_buf_str(&c.fields), "grpc-status=0\n"));
	stop(&c);
}

/* ---- hostile clients --------------------------------------------------------------------------------------- */

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

static void put_frame(struct pipa_buf *out, uint8_t type, uint8_t flags, uint32_t stream,
		      const void *payload, size_t len)
{
	const uint8_t head[9] = { (uint8_t)(len >> 16),
				  (uint8_t)(len >> 8),
				  (uint8_t)len,
				  type,
				  flags,
				  (uint8_t)(stream >> 24),
				  (uint8_t)(stream >> 16),
				  (uint8_t)(stream >> 8),
				  (uint8_t)stream };

	pipa_buf_add(out, head, sizeof(head));
	pipa_buf_add(out, payload, len);
}

/* :method POST, :scheme http, :path /, as indexed fields of the static table; :authority x */
static const uint8_t small_head[] = { 0x83, 0x86, 0x84, 0x01, 1, 'x' };

/* Send bytes; returns the code of the GOAWAY that comes back, -1 without one. */
static int64_t send_raw(struct client *c, const struct pipa_buf *bytes)
{
	const uint8_t *at;
	size_t left_bytes, len;

	c->rc = pipa_grpc_session_receive(
		c->session, (struct pipa_span){ (uint8_t *)bytes->data, bytes->len }, c->now);
	exchange(c);
	at = (const uint8_t *)c->body.data;
	for (left_bytes = c->body.len; left_bytes >= 9; left_bytes -= 9 + len, at += 9 + len) {
		len = (size_t)at[0] << 16 | (size_t)at[1] << 8 | at[2];
		CHECK(left_bytes >= 9 + len);
		if (at[3] == PIPA_H2_GOAWAY && len >= 8)
			return (int64_t)at[13] << 24 | at[14] << 16 | at[15] << 8 | at[16];
	}
	return -1;
}

static int64_t flood(uint8_t type, uint8_t flags, uint32_t stream, const void *payload, size_t len,
		     int n)
{
	struct pipa_buf bytes = { 0 };
	struct client c;
	int64_t code;

	start(&c, true);
	pipa_buf_puts(&bytes, PREFACE);
	put_frame(&bytes, PIPA_H2_SETTINGS, 0, 0, NULL, 0);
	if (stream)
		put_frame(&bytes, PIPA_H2_HEADERS, 4, stream, small_head, sizeof(small_head));
	while (n--)
		put_frame(&bytes, type, flags, stream, payload, len);
	code = send_raw(&c, &bytes);
	CHECK(code < 0 || c.rc < 0);
	stop(&c);
	pipa_buf_done(&bytes);
	return code;
}

TEST(session_ends_floods_of_empty_frames)
{
	static const uint8_t eight[8], window[4] = { 0, 0, 0, 1 }, priority[5] = { 0, 0, 0, 0, 1 };

	CHECK_EQ(flood(PIPA_H2_PING, 0, 0, eight, 8, 100), -1);
	CHECK_EQ(flood(PIPA_H2_PING, 0, 0, eight, 8, 2000), PIPA_H2_ENHANCE_YOUR_CALM);
	CHECK_EQ(flood(PIPA_H2_SETTINGS, 0, 0, NULL, 0, 2000), PIPA_H2_ENHANCE_YOUR_CALM);
	CHECK_EQ(flood(PIPA_H2_WINDOW_UPDATE, 0, 0, window, 4, 2000), PIPA_H2_ENHANCE_YOUR_CALM);
	CHECK_EQ(flood(PIPA_H2_PRIORITY, 0, 1, priority, 5, 2000), PIPA_H2_ENHANCE_YOUR_CALM);
	CHECK_EQ(flood(PIPA_H2_DATA, 0, 1, NULL, 0, 2000), PIPA_H2_ENHANCE_YOUR_CALM);
}

/* Send heads in groups of ten; the client takes the output after each group, or never. */
static int send_heads(uint32_t groups, bool reads)
{
	struct pipa_buf bytes = { 0 };
	struct client c;
	uint32_t i, k;
	int rc = 0;

	start(&c, true);
	c.reads = reads;
	pipa_buf_puts(&bytes, PREFACE);
	put_frame(&bytes, PIPA_H2_SETTINGS, 0, 0, NULL, 0);
	for (i = 0; i < groups && !rc; i++) {
		for (k = 0; k < 10; k++)
			put_frame(&bytes, PIPA_H2_HEADERS, 5, 20 * i + 2 * k + 1, small_head,
				  sizeof(small_head));
		send_raw(&c, &bytes);
		rc = c.rc;
		pipa_buf_reset(&bytes);
		pipa_buf_reset(&c.body);
	}
	stop(&c);
	pipa_buf_done(&bytes);
	return rc;
}

TEST(session_ends_a_flood_of_heads_whose_answers_are_not_read)
{
	CHECK_EQ(send_heads(300, false), -EOVERFLOW);
	CHECK_EQ(send_heads(300, true), 0);
}

TEST(session_ends_a_rapid_reset)
{
	static const uint8_t cancel[4] = { 0, 0, 0, 8 };
	struct pipa_buf bytes = { 0 };
	struct client c;
	uint32_t i;

	start(&c, true);
	pipa_buf_puts(&bytes, PREFACE);
	put_frame(&bytes, PIPA_H2_SETTINGS, 0, 0, NULL, 0);
	for (i = 0; i < 3000; i++) {
		put_frame(&bytes, PIPA_H2_HEADERS, 4, 2 * i + 1, small_head, sizeof(small_head));
		put_frame(&bytes, PIPA_H2_RST_STREAM, 0, 2 * i + 1, cancel, 4);
	}
	CHECK(send_raw(&c, &bytes) > 0);
	CHECK(c.rc < 0);
	CHECK_EQ(pipa_grpc_session_calls(c.session), 0);
	stop(&c);
	pipa_buf_done(&bytes);
}

TEST(session_ends_an_endless_head)
{
	struct pipa_buf bytes = { 0 };
	uint8_t block[1000];
	struct client c;
	int i;

	memset(block, 0x82, sizeof(block)); /* ":method GET", a thousand times */
	start(&c, true);
	pipa_buf_puts(&bytes, PREFACE);
	put_frame(&bytes, PIPA_H2_SETTINGS, 0, 0, NULL, 0);
	put_frame(&bytes, PIPA_H2_HEADERS, 0, 1, small_head, sizeof(small_head));
	for (i = 0; i < 2000; i++)
		put_frame(&bytes, PIPA_H2_CONTINUATION, 0, 1, block, 1);
	send_raw(&c, &bytes);
	CHECK(c.rc < 0);
	stop(&c);
	pipa_buf_done(&bytes);
}

TEST(session_survives_a_head_that_expands)
{
	struct pipa_buf bytes = { 0 };
	uint8_t block[4200];
	struct client c;
	uint32_t i;

	/* a field of 4000 bytes enters the table, then each byte is that field again */
	block[0] = 0x40;
	block[1] = 1;
	block[2] = 'x';
	block[3] = 0x7f;
	block[4] = 0xa1;
	block[5] = 0x1e;
	memset(block + 6, 'y', 4000);
	memset(block + 4006, 0xbe, sizeof(block) - 4006);
	start(&c, true);
	pipa_buf_puts(&bytes, PREFACE);
	put_frame(&bytes, PIPA_H2_SETTINGS, 0, 0, NULL, 0);
	for (i = 0; i < 20; i++)
		put_frame(&bytes, PIPA_H2_HEADERS, 5, 2 * i + 1, block, sizeof(block));
	send_raw(&c, &bytes);
	CHECK(c.body.len < 20000);
	stop(&c);
	pipa_buf_done(&bytes);
}

TEST(session_gives_up_a_peer_that_does_not_begin)
{
	struct client c;
	int rc;

	start(&c, true);
	pipa_grpc_session_tick(c.session, c.now + 9 * SECOND, &rc);
	CHECK_EQ(rc, 0);
	pipa_grpc_session_tick(c.session, c.now + 10 * SECOND, &rc);
	CHECK_EQ(rc, -ETIMEDOUT);
	stop(&c);
}

TEST(session_gives_up_a_head_that_does_not_end)
{
	struct pipa_buf bytes = { 0 };
	struct client c;
	int rc;

	start(&c, true);
	pipa_buf_puts(&bytes, PREFACE);
	put_frame(&bytes, PIPA_H2_SETTINGS, 0, 0, NULL, 0);
	put_frame(&bytes, PIPA_H2_HEADERS, 0, 1, small_head, sizeof(small_head));
	CHECK_EQ(send_raw(&c, &bytes), -1);
	pipa_grpc_session_tick(c.session, c.now + 11 * SECOND, &rc);
	CHECK_EQ(rc, -ETIMEDOUT);
	stop(&c);
	pipa_buf_done(&bytes);
}

TEST(session_probes_a_silent_peer)
{
	struct client c;
	int rc;

	start(&c, false);
	c.reads = false;
	pipa_grpc_session_tick(c.session, c.now + 60 * SECOND, &rc);
	CHECK_EQ(rc, 0);
	pipa_grpc_session_tick(c.session, c.now + 91 * SECOND, &rc);
	CHECK_EQ(rc, -ETIMEDOUT);
	stop(&c);
	start(&c, false);
	pipa_grpc_session_tick(c.session, c.now + 60 * SECOND, &rc);
	c.now += 61 * SECOND;
	exchange(&c); /* the acknowledgement */
	pipa_grpc_session_tick(c.session, c.now + 31 * SECOND, &rc);
	CHECK_EQ(rc, 0);
	stop(&c);
}

TEST(session_refuses_other_protocols)
{
	static const char *const texts[] = { "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01",
					     "PRI * HTTP/2.0\r\n\r\nXX" };
	struct pipa_buf bytes = { 0 };
	struct client c;
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++) {
		start(&c, true);
		pipa_buf_reset(&bytes);
		pipa_buf_puts(&bytes, texts[i]);
		send_raw(&c, &bytes);
		CHECK_EQ(c.rc, -EPROTO);
		stop(&c);
	}
	pipa_buf_done(&bytes);
}
