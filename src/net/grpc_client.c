#include "net/grpc_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/rpc_status.h"
#include "net/stream.h"
#include "net/tls.h"

enum {
	PIECE = 32 << 10,
	HEADER_MAX = 32 << 10,	/* of a response's head or trailers */
	OVERHEAD_MAX = 1 << 20, /* bytes received during a call beside its message */
	FIELDS_MAX = 40,	/* of a request */
};

#define PING_NS (5 * PIPA_NS_PER_SEC) /* silence after which a PING is sent, once per call */

/* The call in progress. */
struct call {
	const struct pipa_grpc_request *rq;
	int32_t stream;
	struct pipa_grpc_reader reader;
	struct pipa_grpc_reply *reply;
	struct pipa_h2_body body;
	int http_status;
	bool is_grpc; /* content-type */
	bool has_status, has_message, has_details, ended, pinged;
	struct pipa_rpc_status details;
	uint32_t reset_code;
	int failure;   /* 0, or a negative errno: the response is refused */
	int refused;   /* 0, or a negative result of next() or receive() */
	bool consumed; /* next() was called */
	uint64_t received, sent, input_ns, moved_ns;
	uint8_t prefix[PIPA_GRPC_PREFIX];
};

struct pipa_grpc_client {
	struct pipa_grpc_client_options o;
	char authority[300];
	struct pipa_stream stream;
	struct pipa_h2 *h2; /* NULL: not connected */
	struct pipa_span output;
	struct call *call;
	uint8_t piece[PIECE];
};

static bool span_is(struct pipa_span span, const char *text)
{
	return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

/* ---- the response ---------------------------------------------------------------------------------------- */

/* Parse up to nine digits; -1 if it is another text. */
static int parse_number(struct pipa_span text)
{
	int value = 0;
	size_t i;

	if (!text.size || text.size > 9)
		return -1;
	for (i = 0; i < text.size; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return -1;
		value = value * 10 + (text.data[i] - '0');
	}
	return value;
}

static int on_field(void *ctx, int32_t stream, struct pipa_span name, struct pipa_span value)
{
	struct pipa_grpc_client *client = ctx;
	struct call *call = client->call;
	struct pipa_grpc_reply *reply;

	if (!call || call->stream != stream)
		return 0;
	reply = call->reply;
	if (span_is(name, ":status")) {
		call->http_status = parse_number(value);
	} else if (span_is(name, "content-type")) {
		call->is_grpc = value.size >= 16 && memcmp(value.data, "application/grpc", 16) == 0;
	} else if (span_is(name, "grpc-encoding")) {
		call->reader.encoding = pipa_grpc_encoding_find(value);
	} else if (span_is(name, "grpc-status")) {
		reply->code = parse_number(value);
		if (reply->code < 0)
			reply->code = PIPA_GRPC_UNKNOWN;
		call->has_status = true;
	} else if (span_is(name, "grpc-message")) {
		pipa_grpc_message_decode(value, reply->text, sizeof(reply->text));
	} else if (span_is(name, "grpc-status-details-bin") && value.size < HEADER_MAX) {
		call->has_details = pipa_rpc_status_decode_base64(value, &call->details) == 0;
	}
	return 0;
}

static int on_data(void *ctx, int32_t stream, struct pipa_span bytes)
{
	struct pipa_grpc_client *client = ctx;
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	struct call *call = client->call;
	struct pipa_span message;
	int rc;

	if (!call || call->stream != stream)
		return 0;
	if (!call->is_grpc) /* an HTML page: only the status is used */
		return 0;
	while ((rc = pipa_grpc_next(&call->reader, &in, &message)) > 0) {
		if (call->rq->receive) {
			call->refused = call->rq->receive(call->rq->ctx, message);
			if (call->refused < 0)
				return call->refused;
			continue;
		}
		if (call->has_message) {
			rc = -EBADMSG; /* a unary call has one */
			break;
		}
		call->has_message = true;
		pipa_buf_add(&call->reply->message, message.data, message.size);
	}
	if (rc < 0)
		call->failure = rc;
	return rc;
}

static void on_end(void *ctx, int32_t stream)
{
	struct pipa_grpc_client *client = ctx;

	if (client->call && client->call->stream == stream)
		client->call->ended = true;
}

static void on_closed(void *ctx, int32_t stream, uint32_t code)
{
	struct pipa_grpc_client *client = ctx;
	struct call *call = client->call;

	if (!call || call->stream != stream)
		return;
	if (!call->ended)
		call->reset_code = code;
	call->ended = true;
	call->stream = -1;
}

static const struct pipa_h2_events events = {
	.field = on_field, .data = on_data, .end = on_end, .closed = on_closed
};

/* Set code and text of a response that has ended. */
static int check_response(struct pipa_grpc_client *client, struct call *call,
			  struct pipa_error *err)
{
	struct pipa_grpc_reply *reply = call->reply;
	const char *host = client->o.host;

	if (call->failure == -ENOMEM || reply->message.status == -ENOMEM)
		return pipa_fail(err, -ENOMEM, "read the response of %s", host);
	if (call->failure == -EFBIG)
		return pipa_refuse(err, -EFBIG, "%s: response larger than %zu bytes", host,
				   client->o.max_reply);
	if (call->failure)
		return pipa_refuse(err, -EPROTO, "%s: invalid gRPC message in the response", host);
	if (call->has_status) {
		if (call->has_details) {
			reply->has_retry_delay = call->details.has_retry_delay;
			reply->retry_delay_ns = call->details.retry_delay_ns;
			if (!reply->text[0])
				snprintf(reply->text, sizeof(reply->text), "%s",
					 call->details.message);
		}
		if (reply->code == PIPA_GRPC_OK && !pipa_grpc_is_whole(&call->reader))
			return pipa_refuse(err, -EPROTO, "%s: truncated message in the response",
					   host);
		if (reply->code == PIPA_GRPC_OK && !call->has_message && !call->rq->receive)
			return pipa_refuse(err, -EPROTO, "%s: response without a message", host);
		return 0;
	}
	if (call->http_status >= 300 && call->http_status < 400)
		return pipa_refuse(err, -ELOOP, "%s: redirects are not followed (HTTP status %d)",
				   host, call->http_status);
	if (call->http_status && call->http_status != 200) {
		reply->code = pipa_grpc_code_of_http(call->http_status);
		snprintf(reply->text, sizeof(reply->text), "HTTP status %d", call->http_status);
		return 0;
	}
	if (call->reset_code) {
		reply->code = pipa_grpc_code_of_reset(call->reset_code);
		snprintf(reply->text, sizeof(reply->text), "stream reset by code %u",
			 call->reset_code);
		return 0;
	}
	return pipa_refuse(err, -EPROTO, "%s: response is not gRPC", host);
}

/* ---- the connection -------------------------------------------------------------------------------------- */

static void disconnect(struct pipa_grpc_client *client)
{
	pipa_h2_free(PIPA_TAKE(client->h2));
	client->output = (struct pipa_span){ 0 };
	pipa_stream_close(&client->stream);
}

static int connect_server(struct pipa_grpc_client *client, uint64_t until_ns,
			  struct pipa_error *err)
{
	static const struct pipa_h2_limits limits = { .header_bytes = HEADER_MAX, .streams = 0 };
	int rc = pipa_stream_connect(&client->stream, client->o.host, client->o.port, client->o.tls,
				     until_ns, err);

	if (rc < 0)
		return rc;
	client->h2 = pipa_h2_new(PIPA_H2_CLIENT, &limits, &events, client);
	if (!client->h2) {
		disconnect(client);
		return pipa_fail(err, -ENOMEM, "connect to %s", client->o.host);
	}
	return 0;
}

/* Write until the socket is full or nothing is left. 0 or a negative errno, not -EAGAIN. */
static int write_output(struct pipa_grpc_client *client)
{
	ssize_t n;
	int rc;

	for (;;) {
		if (!client->output.size) {
			rc = pipa_h2_output(client->h2, &client->output);
			if (rc < 0 || !client->output.size)
				return rc;
		}
		n = pipa_stream_write(&client->stream, client->output.data, client->output.size);
		if (n < 0)
			return n == -EAGAIN ? 0 : (int)n;
		client->output.data += n;
		client->output.size -= (size_t)n;
		if (client->call) {
			client->call->moved_ns = pipa_clock_ns();
			client->call->sent += (uint64_t)n;
		}
	}
}

/* Read what has arrived, up to one piece. Returns the bytes read, -EAGAIN, or another negative errno. */
static int read_input(struct pipa_grpc_client *client)
{
	ssize_t n = pipa_stream_read(&client->stream, client->piece, sizeof(client->piece));
	int rc;

	if (n <= 0)
		return n == 0 ? -ECONNRESET : (int)n;
	rc = pipa_h2_receive(client->h2, (struct pipa_span){ client->piece, (size_t)n });
	return rc < 0 ? rc : (int)n;
}

/* Process frames that came since the last call; false if the connection cannot be used any more. */
static bool is_still_usable(struct pipa_grpc_client *client)
{
	int i, n = 0;

	for (i = 0; i < 32 && n >= 0; i++)
		n = read_input(client);
	return n == -EAGAIN && write_output(client) == 0 && pipa_h2_is_usable(client->h2);
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

/* Frame the next message of the stream of requests. */
static int next_message(struct pipa_h2_body *body)
{
	struct call *call = body->ctx;
	struct pipa_span message = { 0 };
	int rc = call->rq->next(call->rq->ctx, &message);

	call->consumed = true;
	if (rc <= 0) {
		call->refused = rc;
		return rc;
	}
	pipa_grpc_prefix(call->prefix, call->rq->encoding != PIPA_GRPC_IDENTITY,
			 (uint32_t)message.size);
	body->pieces[0] = (struct pipa_span){ call->prefix, sizeof(call->prefix) };
	body->pieces[1] = message;
	body->piece = body->offset = 0;
	return 1;
}

static int32_t submit_request(struct pipa_grpc_client *client, const struct pipa_grpc_request *rq,
			      struct pipa_h2_body *body, uint64_t until_ns)
{
	static const char *const encodings[] = {
		[PIPA_GRPC_GZIP] = "gzip", [PIPA_GRPC_ZSTD] = "zstd"
	};
	uint64_t now = pipa_clock_ns();
	char timeout[PIPA_GRPC_TIMEOUT_MAX];
	struct pipa_h2_field fields[FIELDS_MAX] = {
		{ .name = ":method", .value = "POST" },
		{ .name = ":scheme", .value = client->o.tls ? "https" : "http" },
		{ .name = ":path", .value = rq->path },
		{ .name = ":authority", .value = client->authority },
		{ .name = "te", .value = "trailers" },
		{ .name = "content-type", .value = "application/grpc" },
		{ .name = "user-agent", .value = client->o.user_agent },
		{ .name = "grpc-accept-encoding", .value = "identity,gzip" },
	};
	size_t n = 8;

	if (!rq->idle_ns)
		fields[n++] = (struct pipa_h2_field){
			.name = "grpc-timeout",
			.value = pipa_grpc_timeout(until_ns > now ? until_ns - now : 1, timeout)
		};
	if (rq->encoding == PIPA_GRPC_GZIP || rq->encoding == PIPA_GRPC_ZSTD)
		fields[n++] = (struct pipa_h2_field){ .name = "grpc-encoding",
						      .value = encodings[rq->encoding] };
	if (rq->n_fields > FIELDS_MAX - n)
		return -E2BIG;
	if (rq->n_fields)
		memcpy(&fields[n], rq->fields, rq->n_fields * sizeof(fields[0]));
	return pipa_h2_request(client->h2, fields, n + rq->n_fields, body);
}

/* Return when the call ends without its response. */
static uint64_t call_limit(const struct call *call)
{
	return call->rq->idle_ns ? call->moved_ns + call->rq->idle_ns : call->rq->until_ns;
}

/* Exchange frames until the response has ended or the deadline has passed. */
static int exchange(struct pipa_grpc_client *client, struct call *call)
{
	uint64_t max = call->rq->receive ? UINT64_MAX : client->o.max_reply + OVERHEAD_MAX;
	int n, rc;

	call->input_ns = call->moved_ns = pipa_clock_ns();
	while (!call->ended && !call->refused) {
		uint64_t until, now = pipa_clock_ns();

		rc = write_output(client);
		if (rc < 0 && rc != -EPIPE && rc != -ECONNRESET)
			return rc; /* after these two the reason may still be readable */
		if (call->ended || call->refused)
			break; /* while it was written: RST_STREAM, or a callback failed */
		n = read_input(client);
		if (n > 0) {
			call->received += (uint64_t)n;
			call->input_ns = call->moved_ns = now;
			if (call->received > max)
				return -EFBIG;
			if (now >= pipa_stop_min(client->o.stop, call_limit(call)))
				return -ETIMEDOUT;
			/* do not read a server that never pauses up to the limit */
			if (!call->ended && !pipa_h2_is_alive(client->h2))
				return -EPROTO;
			continue;
		}
		if (n != -EAGAIN)
			return n;
		if (rc < 0)
			return rc;
		if (!pipa_h2_is_alive(client->h2))
			return -EPROTO;
		until = call_limit(call);
		if (!call->pinged && now - call->input_ns > PING_NS) {
			call->pinged = true;
			pipa_h2_ping(client->h2);
			continue;
		}
		if (!call->pinged && call->input_ns + PING_NS < until)
			until = call->input_ns + PING_NS + PIPA_NS_PER_MS;
		rc = pipa_stream_wait_for(&client->stream,
					  client->output.size ? POLLIN | POLLOUT : POLLIN, until);
		if (rc == -ETIMEDOUT && until != call_limit(call) &&
		    pipa_clock_ns() < pipa_stop_min(client->o.stop, call_limit(call)))
			rc = 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int explain_failure(struct pipa_grpc_client *client, const struct call *call, int rc,
			   struct pipa_error *err)
{
	const char *host = client->o.host;
	bool greeted = pipa_h2_is_greeted(client->h2);
	size_t sent = pipa_h2_body_sent(&call->body);
	size_t size = call->body.pieces[0].size + call->body.pieces[1].size;

	if (rc == -ETIMEDOUT && !greeted)
		return pipa_refuse(err, rc, "%s: no HTTP/2 SETTINGS within the timeout", host);
	if (rc == -ETIMEDOUT && !call->rq->next && sent < size)
		return pipa_refuse(err, rc, "%s: accepted %zu of %zu bytes within the timeout",
				   host, sent, size);
	if (rc == -ETIMEDOUT && call->rq->idle_ns)
		return pipa_refuse(err, rc,
				   "%s: no progress within the timeout, after %llu bytes sent and "
				   "%llu received",
				   host, (unsigned long long)call->sent,
				   (unsigned long long)call->received);
	if (rc == -ETIMEDOUT)
		return pipa_refuse(err, rc, "%s: no response within the timeout", host);
	if (rc == -EPROTO && !greeted)
		return pipa_refuse(err, rc, "%s: the server does not speak HTTP/2", host);
	if (rc == -EPROTO)
		return pipa_refuse(err, rc, "%s: invalid HTTP/2 frames", host);
	if (rc == -EFBIG)
		return pipa_refuse(err, rc, "%s: more than %zu bytes received in one call", host,
				   client->o.max_reply + OVERHEAD_MAX);
	if (rc == -ECONNRESET || rc == -EPIPE)
		return pipa_refuse(err, -ECONNRESET, "%s: connection closed %s", host,
				   !greeted ? "before HTTP/2 SETTINGS" : "before the response");
	if (rc == -EKEYREJECTED)
		return pipa_refuse(err, rc, "%s: the server refused the client certificate", host);
	return pipa_fail(err, rc, "call %s", host);
}

static int call_once(struct pipa_grpc_client *client, const struct pipa_grpc_request *rq,
		     struct pipa_grpc_reply *reply, bool *ret_silent, struct pipa_error *err)
{
	struct call call = {
		.rq = rq,
		.reader = { .max = client->o.max_reply },
		.reply = reply,
	};
	bool alive;
	int rc;

	if (rq->next) {
		call.body = (struct pipa_h2_body){ .more = next_message, .ctx = &call };
	} else {
		call.body = (struct pipa_h2_body){ .pieces = { { call.prefix, sizeof(call.prefix) },
							       rq->message } };
		pipa_grpc_prefix(call.prefix, rq->encoding != PIPA_GRPC_IDENTITY,
				 (uint32_t)rq->message.size);
	}
	reply->message.max = client->o.max_reply + 1;
	call.stream = submit_request(client, rq, &call.body, rq->until_ns);
	if (call.stream < 0) {
		rc = call.stream == -E2BIG ? -E2BIG : call.stream;
		disconnect(client);
		return pipa_fail(err, rc, "call %s", client->o.host);
	}
	client->call = &call;
	rc = exchange(client, &call);
	*ret_silent = !call.received && !call.consumed;
	if (call.refused < 0)
		rc = call.refused;
	else if (rc < 0)
		rc = explain_failure(client, &call, rc, err);
	else
		rc = check_response(client, &call, err);
	if (call.stream >= 0) /* the body is ours: the stream must not use it any more */
		pipa_h2_reset(client->h2, call.stream, PIPA_H2_CANCEL);
	alive = rc >= 0 || call.refused ||
		(rc == -ETIMEDOUT && call.received && call.input_ns + PING_NS > pipa_clock_ns());
	if (alive) /* the connection is kept, also after the deadline of a slow call */
		write_output(client);
	else
		disconnect(client);
	if (client->h2 && call.stream >= 0) /* the reset could not be sent yet */
		disconnect(client);
	client->call = NULL;
	pipa_grpc_reader_done(&call.reader);
	return rc;
}

int pipa_grpc_call(struct pipa_grpc_client *client, const struct pipa_grpc_request *request,
		   struct pipa_grpc_reply *reply, struct pipa_error *err)
{
	bool reused, silent = true;
	int rc;

	if (client->h2 && !is_still_usable(client))
		disconnect(client);
	for (;;) {
		reused = client->h2;
		if (!reused) {
			rc = connect_server(client, request->until_ns, err);
			if (rc < 0)
				return rc;
		}
		reply->code = 0;
		reply->text[0] = '\0';
		reply->has_retry_delay = false;
		pipa_buf_reset(&reply->message);
		rc = call_once(client, request, reply, &silent, err);
		/* an idle connection may have been closed just now: try a new one, once */
		if (rc != -ECONNRESET || !reused || !silent)
			return rc;
		if (err)
			*err = (struct pipa_error){ 0 };
	}
}

struct pipa_grpc_client *pipa_grpc_client_new(const struct pipa_grpc_client_options *o)
{
	struct pipa_grpc_client *client = calloc(1, sizeof(*client));
	bool six = strchr(o->host, ':');

	if (!client)
		return NULL;
	client->o = *o;
	client->stream.fd = -1;
	client->stream.stop = o->stop;
	snprintf(client->authority, sizeof(client->authority), "%s%s%s:%s", six ? "[" : "", o->host,
		 six ? "]" : "", o->port);
	return client;
}

void pipa_grpc_client_free(struct pipa_grpc_client *client)
{
	if (!client)
		return;
	if (client->h2) {
		pipa_h2_goaway(client->h2, PIPA_H2_NO_ERROR);
		write_output(client); /* without waiting for the socket */
	}
	disconnect(client);
	free(client);
}

void pipa_grpc_reply_done(struct pipa_grpc_reply *reply)
{
	pipa_buf_done(&reply->message);
}
