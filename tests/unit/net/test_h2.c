/* A client and a server session that exchange bytes in memory. */
#include "net/h2.h"

#include <errno.h>

#include "base/buf.h"
#include "lib/test.h"

struct peer {
	struct pipa_h2 *h2;
	struct pipa_buf fields, body;
	int32_t stream;
	int ended, closed, heads;
	uint32_t code;
	bool refuse_data;
};

static int on_field(void *ctx, int32_t stream, struct pipa_span name, struct pipa_span value)
{
	struct peer *peer = ctx;

	peer->stream = stream;
	pipa_buf_printf(&peer->fields, "%.*s=%.*s\n", (int)name.size, (const char *)name.data,
			(int)value.size, (const char *)value.data);
	return 0;
}

static void on_head(void *ctx, int32_t stream PIPA_UNUSED)
{
	((struct peer *)ctx)->heads++;
}

static int on_data(void *ctx, int32_t stream PIPA_UNUSED, struct pipa_span bytes)
{
	struct peer *peer = ctx;

	if (peer->refuse_data)
		return -EFBIG;
	pipa_buf_add(&peer->body, bytes.data, bytes.size);
	return 0;
}

static void on_end(void *ctx, int32_t stream PIPA_UNUSED)
{
	((struct peer *)ctx)->ended++;
}

static void on_closed(void *ctx, int32_t stream PIPA_UNUSED, uint32_t code)
{
	struct peer *peer = ctx;

	peer->closed++;
	peer->code = code;
}

static const struct pipa_h2_events events = {
	.field = on_field, .head = on_head, .data = on_data, .end = on_end, .closed = on_closed
};

static void start(struct peer *peer, enum pipa_h2_role role, uint32_t header_bytes)
{
	const struct pipa_h2_limits limits = { .header_bytes = header_bytes, .streams = 10 };

	*peer = (struct peer){ 0 };
	peer->h2 = pipa_h2_new(role, &limits, &events, peer);
	CHECK(peer->h2);
}

static void stop(struct peer *peer)
{
	pipa_h2_free(peer->h2);
	pipa_buf_done(&peer->fields);
	pipa_buf_done(&peer->body);
}

/* Pass on all bytes of one side; returns their number, or the receiver's error. */
static int pass(struct peer *from, struct peer *to)
{
	struct pipa_span bytes;
	int rc, n = 0;

	do {
		CHECK_EQ(pipa_h2_output(from->h2, &bytes), 0);
		CHECK(bytes.size <= (16 << 10) + 9);
		n += (int)bytes.size;
		rc = bytes.size ? pipa_h2_receive(to->h2, bytes) : 0;
		if (rc < 0)
			return rc;
	} while (bytes.size);
	return n;
}

static void exchange(struct peer *a, struct peer *b)
{
	while (pass(a, b) + pass(b, a) > 0)
		;
}

static const struct pipa_h2_field request[] = {
	{ ":method", "POST", false },	{ ":scheme", "http", false },
	{ ":path", "/a.B/C", false },	{ ":authority", "localhost:1", false },
	{ "authorization", "x", true },
};
static const struct pipa_h2_field head[] = { { ":status", "200", false } };
static const struct pipa_h2_field trailer[] = { { "grpc-status", "0", false } };

TEST(h2_request_body_and_trailers_arrive_through_small_windows)
{
	struct peer client, server;
	struct pipa_buf large = { 0 };
	struct pipa_h2_body up = { 0 }, down = { 0 };
	int32_t stream;

	start(&client, PIPA_H2_CLIENT, 4096);
	start(&server, PIPA_H2_SERVER, 4096);
	pipa_buf_fill(&large, 'x', 3 << 20); /* larger than all windows */
	up.pieces[0] = (struct pipa_span){ (const uint8_t *)"head:", 5 };
	up.pieces[1] = (struct pipa_span){ (uint8_t *)large.data, large.len };
	down.pieces[0] = (struct pipa_span){ (const uint8_t *)"done", 4 };
	stream = pipa_h2_request(client.h2, request, PIPA_COUNT(request), &up);
	CHECK(stream > 0);
	exchange(&client, &server);
	CHECK_STR(pipa_buf_str(&server.fields), ":method=POST\n:scheme=http\n:path=/a.B/C\n"
						":authority=localhost:1\nauthorization=x\n");
	CHECK_EQ(server.body.len, large.len + 5);
	CHECK_EQ(pipa_h2_body_sent(&up), large.len + 5);
	CHECK_EQ(server.ended, 1);
	CHECK_EQ(pipa_h2_respond(server.h2, server.stream, head, 1, &down, trailer, 1), 0);
	exchange(&client, &server);
	CHECK_STR(pipa_buf_str(&client.fields), ":status=200\ngrpc-status=0\n");
	CHECK_STR(pipa_buf_str(&client.body), "done");
	CHECK_EQ(client.heads, 2);
	CHECK_EQ(client.closed, 1);
	CHECK_EQ(client.code, PIPA_H2_NO_ERROR);
	stop(&client);
	stop(&server);
	pipa_buf_done(&large);
}

TEST(h2_head_beyond_the_limit_resets_the_stream)
{
	struct peer client, server;
	struct pipa_h2_field fields[] = { { ":status", "200", false }, { "x", NULL, false } };
	struct pipa_buf large = { 0 };

	start(&client, PIPA_H2_CLIENT, 1000);
	start(&server, PIPA_H2_SERVER, 4096);
	pipa_buf_fill(&large, 'x', 1000);
	fields[1].value = large.data;
	CHECK(pipa_h2_request(client.h2, request, PIPA_COUNT(request), NULL) > 0);
	exchange(&client, &server);
	CHECK_EQ(pipa_h2_respond(server.h2, server.stream, fields, 2, NULL, NULL, 0), 0);
	exchange(&client, &server);
	CHECK_EQ(client.closed, 1);
	CHECK(client.code != PIPA_H2_NO_ERROR);
	CHECK(pipa_h2_is_usable(client.h2)); /* only that stream has ended */
	stop(&client);
	stop(&server);
	pipa_buf_done(&large);
}

TEST(h2_goaway_ends_requests_that_the_server_has_not_seen)
{
	struct peer client, server;

	start(&client, PIPA_H2_CLIENT, 4096);
	start(&server, PIPA_H2_SERVER, 4096);
	exchange(&client, &server);
	CHECK(pipa_h2_is_greeted(client.h2));
	CHECK_EQ(pipa_h2_goaway(server.h2, PIPA_H2_NO_ERROR), 0);
	CHECK(pipa_h2_request(client.h2, request, PIPA_COUNT(request), NULL) > 0);
	pass(&server, &client);
	pass(&client, &server);
	CHECK_EQ(client.closed, 1);
	CHECK_EQ(client.code, PIPA_H2_REFUSED_STREAM);
	CHECK(!pipa_h2_is_usable(client.h2));
	CHECK_EQ(pipa_h2_request(client.h2, request, PIPA_COUNT(request), NULL), -EPIPE);
	stop(&client);
	stop(&server);
}

TEST(h2_refused_data_resets_the_stream)
{
	struct peer client, server;
	struct pipa_h2_body down = { .pieces = { { (const uint8_t *)"done", 4 } } };

	start(&client, PIPA_H2_CLIENT, 4096);
	start(&server, PIPA_H2_SERVER, 4096);
	client.refuse_data = true;
	CHECK(pipa_h2_request(client.h2, request, PIPA_COUNT(request), NULL) > 0);
	exchange(&client, &server);
	CHECK_EQ(pipa_h2_respond(server.h2, server.stream, head, 1, &down, trailer, 1), 0);
	exchange(&client, &server);
	CHECK_EQ(client.body.len, 0);
	CHECK_EQ(client.closed, 1);
	stop(&client);
	stop(&server);
}

TEST(h2_bytes_of_another_protocol_end_the_session)
{
	static const char text[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
	struct peer client;
	struct pipa_span bytes;
	int rc;

	start(&client, PIPA_H2_CLIENT, 4096);
	rc = pipa_h2_receive(client.h2, (struct pipa_span){ (const uint8_t *)text, sizeof(text) });
	while (!rc && pipa_h2_output(client.h2, &bytes) == 0 && bytes.size)
		;
	CHECK(rc == -EPROTO || !pipa_h2_is_alive(client.h2));
	CHECK(!pipa_h2_is_greeted(client.h2));
	stop(&client);
}

/* ---- bodies that are made while they are sent ------------------------------------------------------------ */

struct counted {
	struct pipa_h2_body body;
	int pieces;
	bool waits; /* before the next one */
	bool each;  /* and before each after it */
	char text[20000];
};

static int next_piece(struct pipa_h2_body *body)
{
	struct counted *counted = body->ctx;

	if (counted->waits)
		return -EAGAIN;
	if (!counted->pieces)
		return 0;
	counted->pieces--;
	counted->waits = counted->each;
	body->pieces[0] = (struct pipa_span){ (uint8_t *)counted->text, sizeof(counted->text) };
	body->pieces[1] = (struct pipa_span){ 0 };
	body->piece = body->offset = 0;
	return 1;
}

TEST(h2_body_of_pieces_is_made_only_as_far_as_the_window_reaches)
{
	struct counted counted = { .body = { .more = next_piece }, .pieces = 1000 };
	struct peer client, server;
	struct pipa_span bytes;

	start(&client, PIPA_H2_CLIENT, 4096);
	start(&server, PIPA_H2_SERVER, 4096);
	counted.body.ctx = &counted;
	CHECK(pipa_h2_request(client.h2, request, PIPA_COUNT(request), NULL) > 0);
	exchange(&client, &server);
	CHECK_EQ(pipa_h2_respond(server.h2, server.stream, head, 1, &counted.body, trailer, 1), 0);
	do
		CHECK_EQ(pipa_h2_output(server.h2, &bytes), 0);
	while (bytes.size && pipa_h2_receive(client.h2, bytes) == 0);
	CHECK(counted.pieces > 900); /* 256 KiB of window are 13 pieces */
	exchange(&client, &server);
	CHECK_EQ(counted.pieces, 0);
	CHECK_EQ(client.body.len, 1000 * sizeof(counted.text));
	CHECK_EQ(client.closed, 1);
	stop(&client);
	stop(&server);
}

TEST(h2_body_waits_and_ends_with_late_trailers)
{
	struct counted counted = {
		.body = { .more = next_piece }, .pieces = 3, .waits = true, .each = true
	};
	struct peer client, server;
	int i;

	start(&client, PIPA_H2_CLIENT, 4096);
	start(&server, PIPA_H2_SERVER, 4096);
	counted.body.ctx = &counted;
	CHECK(pipa_h2_request(client.h2, request, PIPA_COUNT(request), NULL) > 0);
	exchange(&client, &server);
	CHECK_EQ(pipa_h2_respond(server.h2, server.stream, head, 1, &counted.body, NULL, 0), 0);
	for (i = 0; i < 3; i++) {
		exchange(&client, &server);
		CHECK_EQ(client.body.len, i * sizeof(counted.text));
		counted.waits = false;
		CHECK_EQ(pipa_h2_resume(server.h2, server.stream), 0);
	}
	exchange(&client, &server);
	CHECK_EQ(client.closed, 0);
	counted.waits = false;
	CHECK_EQ(pipa_h2_finish(server.h2, server.stream, trailer, 1), 0);
	exchange(&client, &server);
	CHECK_EQ(client.closed, 1);
	CHECK_STR(pipa_buf_str(&client.fields), ":status=200\ngrpc-status=0\n");
	stop(&client);
	stop(&server);
}

TEST(h2_paced_window_grows_only_when_bytes_are_consumed)
{
	const struct pipa_h2_limits limits = { .header_bytes = 4096, .streams = 1, .paced = true };
	struct peer client, server = { 0 };
	struct pipa_buf large = { 0 };
	struct pipa_h2_body up = { 0 };
	size_t before;

	start(&client, PIPA_H2_CLIENT, 4096);
	server.h2 = pipa_h2_new(PIPA_H2_SERVER, &limits, &events, &server);
	CHECK(server.h2);
	exchange(&client, &server); /* the window is a setting of the server's */
	pipa_buf_fill(&large, 'x', 1 << 20);
	up.pieces[0] = (struct pipa_span){ (uint8_t *)large.data, large.len };
	CHECK(pipa_h2_request(client.h2, request, PIPA_COUNT(request), &up) > 0);
	exchange(&client, &server);
	before = server.body.len;
	CHECK(before > 0 && before < large.len);
	CHECK_EQ(pipa_h2_consume(server.h2, server.stream, before), 0);
	exchange(&client, &server);
	CHECK_EQ(server.body.len, 2 * before);
	stop(&client);
	stop(&server);
	pipa_buf_done(&large);
}
