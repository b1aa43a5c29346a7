#include "net/server/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/vec.h"
#include "net/grpc.h"
#include "net/h2.h"

enum {
	PATH_SIZE = 200,
	TOKEN_SIZE = 600,
	TYPE_SIZE = 40,
	MESSAGE_RATE = 16 << 10, /* bytes per second of a message after the grace period */
	ALLOWANCE_MAX = 1000,	 /* frames that carry nothing, at once */
	ALLOWANCE_RATE = 50,	 /* of them per second */
};

/* Fields of the request whose head is being received. */
struct head {
	int32_t stream;
	char path[PATH_SIZE], authorization[TOKEN_SIZE], type[TYPE_SIZE];
	bool is_post, has_timeout, bad_timeout, bad_authorization;
	uint64_t timeout_ns;
	enum pipa_grpc_encoding encoding;
};

struct pipa_grpc_call {
	struct pipa_grpc_session *session;
	struct pipa_grpc_call *next, **link;
	const struct pipa_grpc_method *method; /* NULL: the call was refused at its head */
	void *user;
	int32_t stream;
	enum pipa_grpc_code code;
	uint64_t begin_ns, deadline_ns; /* 0: none */
	uint64_t bytes_in, bytes_out;
	/* requests */
	struct pipa_grpc_reader reader;
	struct pipa_buf waiting;  /* received while the call is held */
	struct pipa_span request; /* of a method with one, until the client has sent all */
	bool has_request, held, ended, end_passed, is_sized;
	size_t charged;		 /* bytes of the budget */
	uint64_t message_due_ns; /* 0: no message is incomplete */
	/* replies */
	bool responded, finished, closing;
	bool wants_ready;    /* all that was sent has left */
	uint64_t stalled_ns; /* since when a reply has not been read; 0: none waits */
	size_t sent_before;
	struct pipa_h2_body body;
	uint8_t prefix[PIPA_GRPC_PREFIX];
	struct pipa_buf *queue; /* replies, the first is being sent */
	size_t n_queue, cap_queue;
};

struct pipa_grpc_session {
	const struct pipa_grpc_service *service;
	struct pipa_h2 *h2;
	void *peer;
	void (*wake)(void *peer);
	bool inside; /* a function of session.h: its caller takes the output */
	bool broken; /* a frame could not be queued: the peer would wait for it for ever */
	struct pipa_grpc_call *calls;
	size_t n_calls;
	struct head head;
	uint64_t now_ns, begin_ns, heard_ns, ping_ns, head_ns, refilled_ns;
	uint32_t allowance;
	bool flooded, any_ready;
	unsigned int drains;
};

/* ---- frames that carry nothing ----------------------------------------------------------------------------- */

static void allow(struct pipa_grpc_session *session, uint64_t frames)
{
	uint64_t sum = session->allowance + frames;

	session->allowance = sum < ALLOWANCE_MAX ? (uint32_t)sum : ALLOWANCE_MAX;
}

static void charge(struct pipa_grpc_session *session, uint32_t frames)
{
	if (session->allowance < frames)
		session->flooded = true;
	else
		session->allowance -= frames;
}

static void refill_allowance(struct pipa_grpc_session *session)
{
	uint64_t frames = (session->now_ns - session->refilled_ns) /
			  (PIPA_NS_PER_SEC / ALLOWANCE_RATE);

	if (frames) {
		allow(session, frames);
		session->refilled_ns = session->now_ns;
	}
}

static void on_frame(void *ctx, uint8_t type, uint8_t flags, size_t len)
{
	struct pipa_grpc_session *session = ctx;

	session->heard_ns = session->now_ns;
	session->ping_ns = 0;
	if (type == PIPA_H2_HEADERS || type == PIPA_H2_CONTINUATION)
		session->head_ns = flags & PIPA_H2_END_HEADERS ? 0 :
				   session->head_ns	       ? session->head_ns :
								 session->now_ns;
	switch (type) {
	case PIPA_H2_DATA:
		if (len < PIPA_GRPC_PREFIX && !(flags & PIPA_H2_END_STREAM))
			charge(session, 1);
		break;
	case PIPA_H2_HEADERS: break;
	case PIPA_H2_PING:
	case PIPA_H2_SETTINGS:
		if (!(flags & PIPA_H2_ACK))
			charge(session, 2);
		break;
	default: charge(session, 1); break;
	}
}

/* Note that a frame was not queued, for want of memory. The connection ends then. */
static void note_queued(struct pipa_grpc_session *session, int rc)
{
	if (rc == -ENOMEM)
		session->broken = true;
}

static void on_sent(void *ctx, int32_t stream, uint8_t type, uint8_t flags, size_t len)
{
	struct pipa_grpc_session *session = ctx;
	struct pipa_grpc_call *call;

	if (type != PIPA_H2_DATA && type != PIPA_H2_HEADERS)
		return;
	allow(session, 1 + len / 1024); /* the peer answers with WINDOW_UPDATE and its own frames */
	call = pipa_h2_stream(session->h2, stream);
	if ((flags & PIPA_H2_END_STREAM) && call && !call->ended && !call->closing) {
		call->closing = true; /* the client need not send the rest */
		note_queued(session, pipa_h2_reset(session->h2, stream, PIPA_H2_NO_ERROR));
	}
}

/* ---- replies ----------------------------------------------------------------------------------------------- */

static void wake(struct pipa_grpc_session *session)
{
	if (!session->inside)
		session->wake(session->peer);
}

static void drop_reply(struct pipa_grpc_call *call)
{
	pipa_buf_done(&call->queue[0]);
	memmove(call->queue, call->queue + 1, --call->n_queue * sizeof(call->queue[0]));
}

/* Continue with the next reply. */
static int next_reply(struct pipa_h2_body *body)
{
	struct pipa_grpc_call *call = body->ctx;

	if (body->pieces[0].size) { /* the first one has been sent */
		drop_reply(call);
		memset(body->pieces, 0, sizeof(body->pieces));
	}
	if (!call->n_queue) {
		if (call->finished)
			return 0;
		call->wants_ready = true;
		call->session->any_ready = true;
		return -EAGAIN;
	}
	pipa_grpc_prefix(call->prefix, false, (uint32_t)call->queue[0].len);
	body->pieces[0] = (struct pipa_span){ call->prefix, sizeof(call->prefix) };
	body->pieces[1] = (struct pipa_span){ (const uint8_t *)call->queue[0].data,
					      call->queue[0].len };
	body->piece = body->offset = 0;
	return 1;
}

static const struct pipa_h2_field response[] = {
	{ ":status", "200", false },
	{ "content-type", "application/grpc", false },
	{ "grpc-accept-encoding", "identity,gzip,zstd", false },
};

static void respond(struct pipa_grpc_call *call)
{
	if (call->responded)
		return;
	call->responded = true;
	call->body = (struct pipa_h2_body){ .piece = 2, .more = next_reply, .ctx = call };
	note_queued(call->session, pipa_h2_respond(call->session->h2, call->stream, response,
						   PIPA_COUNT(response), &call->body, NULL, 0));
}

void pipa_grpc_call_send_buf(struct pipa_grpc_call *call, struct pipa_buf *message)
{
	struct pipa_buf *to;
	struct {
		struct pipa_buf *items;
		size_t n, cap;
	} queue = { call->queue, call->n_queue, call->cap_queue };

	if (!pipa_grpc_call_is_open(call)) {
		pipa_buf_done(message);
		return;
	}
	if (message->status || message->len > UINT32_MAX) {
		pipa_buf_done(message);
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED,
				      "the reply does not fit into memory");
		return;
	}
	if (queue.n == queue.cap) {
		queue.items = pipa_vec_grow(queue.items, &queue.cap, queue.n, sizeof(*queue.items));
		if (!queue.items) {
			pipa_buf_done(message);
			pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED, "out of memory");
			return;
		}
		call->queue = queue.items;
		call->cap_queue = queue.cap;
	}
	to = &call->queue[call->n_queue++];
	*to = *message;
	*message = (struct pipa_buf){ .max = message->max };
	call->bytes_out += to->len;
	call->wants_ready = false;
	respond(call);
	note_queued(call->session, pipa_h2_resume(call->session->h2, call->stream));
	wake(call->session);
}

void pipa_grpc_call_send(struct pipa_grpc_call *call, struct pipa_span message)
{
	struct pipa_buf copy = { .max = SIZE_MAX };

	pipa_buf_add(&copy, message.data, message.size);
	pipa_grpc_call_send_buf(call, &copy);
}

void pipa_grpc_call_finish(struct pipa_grpc_call *call, enum pipa_grpc_code code, const char *text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf encoded = { .max = 2000 };
	struct pipa_h2_field fields[PIPA_COUNT(response) + 2], *end;
	char number[8];
	size_t n = 1;
	int rc;

	if (call->finished)
		return;
	call->finished = true;
	call->code = code;
	call->message_due_ns = 0;
	pipa_buf_reset(&call->waiting);
	memcpy(fields, response, sizeof(response));
	end = &fields[PIPA_COUNT(response)];
	snprintf(number, sizeof(number), "%d", (int)code);
	end[0] = (struct pipa_h2_field){ "grpc-status", number, false };
	if (text && *text) {
		pipa_grpc_message_encode(&encoded, text);
		if (!encoded.status)
			end[n++] = (struct pipa_h2_field){ "grpc-message", pipa_buf_str(&encoded),
							   false };
	}
	rc = call->responded ? pipa_h2_finish(call->session->h2, call->stream, end, n) :
			       pipa_h2_respond(call->session->h2, call->stream, fields,
					       PIPA_COUNT(response) + n, NULL, NULL, 0);
	note_queued(call->session, rc);
	call->responded = true;
	wake(call->session);
}

/* ---- requests ---------------------------------------------------------------------------------------------- */

/* Account for the memory that the requests of the call hold. False: there is not enough for all. */
static bool charge_budget(struct pipa_grpc_call *call)
{
	struct pipa_grpc_budget *budget = call->session->service->budget;
	size_t now = call->reader.raw.cap + call->reader.message.cap + call->waiting.cap;

	budget->used = budget->used - call->charged + now;
	call->charged = now;
	return budget->used <= budget->max;
}

static void refuse_request(struct pipa_grpc_call *call, int rc)
{
	char text[100];

	switch (rc) {
	case -EFBIG:
		snprintf(text, sizeof(text), "a request is larger than %zu bytes (--max-message)",
			 call->session->service->limits.max_message);
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED, text);
		break;
	case -EPROTO:
		pipa_grpc_call_finish(call, PIPA_GRPC_UNIMPLEMENTED,
				      "the compression of the request is not supported");
		break;
	case -ENOMEM:
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED, "out of memory");
		break;
	default: pipa_grpc_call_finish(call, PIPA_GRPC_INTERNAL, "malformed message frame"); break;
	}
}

/* Set until when an incomplete message has to be complete: a grace period, and time for its length. */
static void set_message_due(struct pipa_grpc_call *call)
{
	const struct pipa_grpc_session *session = call->session;

	if (call->finished || call->held || pipa_grpc_is_whole(&call->reader)) {
		call->message_due_ns = 0;
		return;
	}
	if (!call->message_due_ns)
		call->message_due_ns = session->now_ns + session->service->limits.stall_ns;
	if (!call->is_sized && call->reader.n_prefix == PIPA_GRPC_PREFIX) {
		call->is_sized = true;
		call->message_due_ns += call->reader.left * (PIPA_NS_PER_SEC / MESSAGE_RATE);
	}
}

/* Pass messages on until the call is held or `in` is consumed. */
static void pass_messages(struct pipa_grpc_call *call, struct pipa_cursor *in)
{
	struct pipa_span message;
	int rc;

	while (!call->finished && !call->held) {
		rc = pipa_grpc_next(&call->reader, in, &message);
		if (!rc)
			return;
		call->message_due_ns = 0;
		call->is_sized = false;
		if (rc < 0) {
			refuse_request(call, rc);
		} else if (call->method->requests) {
			call->method->message(call, message);
		} else if (call->has_request) {
			pipa_grpc_call_finish(call, PIPA_GRPC_INVALID_ARGUMENT,
					      "the method takes one request");
		} else {
			call->has_request = true;
			call->request = message; /* stays until the next message begins */
		}
	}
}

static void pass_end(struct pipa_grpc_call *call)
{
	if (!call->ended || call->finished || call->held || call->end_passed)
		return;
	call->end_passed = true;
	if (!pipa_grpc_is_whole(&call->reader)) {
		pipa_grpc_call_finish(call, PIPA_GRPC_INVALID_ARGUMENT, "the request is truncated");
		return;
	}
	if (!call->method->requests && !call->has_request) {
		pipa_grpc_call_finish(call, PIPA_GRPC_INVALID_ARGUMENT, "the request is missing");
		return;
	}
	if (!call->method->requests)
		call->method->message(call, call->request);
	if (call->method->end)
		call->method->end(call);
}

void pipa_grpc_call_hold(struct pipa_grpc_call *call)
{
	call->held = true;
	call->message_due_ns = 0;
}

void pipa_grpc_call_release(struct pipa_grpc_call *call)
{
	struct pipa_buf waiting;
	struct pipa_cursor in;

	if (!call->held)
		return;
	call->held = false;
	waiting = call->waiting;
	call->waiting = (struct pipa_buf){ .max = SIZE_MAX };
	in = pipa_span_cursor((struct pipa_span){ (const uint8_t *)waiting.data, waiting.len },
			      false);
	pass_messages(call, &in);
	note_queued(call->session,
		    pipa_h2_consume(call->session->h2, call->stream,
				    call->finished ? waiting.len :
						     waiting.len - pipa_cursor_left(&in)));
	if (!call->finished && in.pos < in.end) {
		pipa_buf_add(&call->waiting, in.pos, pipa_cursor_left(&in));
		if (call->waiting.status)
			refuse_request(call, call->waiting.status);
	}
	pipa_buf_done(&waiting);
	set_message_due(call);
	charge_budget(call);
	pass_end(call);
	wake(call->session);
}

static int on_data(void *ctx, int32_t stream, struct pipa_span bytes)
{
	struct pipa_grpc_session *session = ctx;
	struct pipa_grpc_call *call = pipa_h2_stream(session->h2, stream);
	struct pipa_cursor in = pipa_span_cursor(bytes, false);

	if (!call || call->finished) { /* the answer is on its way: let the client send the rest */
		note_queued(session, pipa_h2_consume(session->h2, stream, bytes.size));
		return 0;
	}
	call->bytes_in += bytes.size;
	session->heard_ns = session->now_ns;
	if (!call->held)
		pass_messages(call, &in);
	if (!call->finished && in.pos < in.end) {
		pipa_buf_add(&call->waiting, in.pos, pipa_cursor_left(&in));
		if (call->waiting.status)
			refuse_request(call, call->waiting.status);
	}
	note_queued(session, pipa_h2_consume(session->h2, stream,
					     call->finished ? bytes.size :
							      bytes.size - pipa_cursor_left(&in)));
	set_message_due(call);
	if (!charge_budget(call))
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED,
				      "the server holds too many requests at once");
	return 0;
}

static void on_end(void *ctx, int32_t stream)
{
	struct pipa_grpc_session *session = ctx;
	struct pipa_grpc_call *call = pipa_h2_stream(session->h2, stream);

	if (!call)
		return;
	call->ended = true;
	pass_end(call);
}

/* ---- heads ------------------------------------------------------------------------------------------------- */

static bool is_field(struct pipa_span name, const char *text)
{
	return name.size == strlen(text) && memcmp(name.data, text, name.size) == 0;
}

/* Copy a value; false if it is too long or has a NUL. */
static bool copy_value(struct pipa_span value, char *to, size_t size)
{
	if (value.size >= size || memchr(value.data, '\0', value.size))
		return false;
	memcpy(to, value.data, value.size);
	to[value.size] = '\0';
	return true;
}

static int on_field(void *ctx, int32_t stream, struct pipa_span name, struct pipa_span value)
{
	struct pipa_grpc_session *session = ctx;
	struct head *head = &session->head;

	if (pipa_h2_stream(session->h2, stream))
		return 0; /* trailers of a request */
	if (head->stream != stream)
		*head = (struct head){ .stream = stream };
	if (is_field(name, ":method"))
		head->is_post = is_field(value, "POST");
	else if (is_field(name, ":path"))
		copy_value(value, head->path, sizeof(head->path));
	else if (is_field(name, "content-type"))
		copy_value(value, head->type, sizeof(head->type));
	else if (is_field(name, "authorization"))
		head->bad_authorization = !copy_value(value, head->authorization,
						      sizeof(head->authorization));
	else if (is_field(name, "grpc-encoding"))
		head->encoding = pipa_grpc_encoding_find(value);
	else if (is_field(name, "grpc-timeout")) {
		head->has_timeout = true;
		head->bad_timeout = pipa_grpc_timeout_parse(value, &head->timeout_ns) < 0;
	}
	return 0;
}

static const struct pipa_grpc_method *find_method(const struct pipa_grpc_service *service,
						  const char *path)
{
	const struct pipa_grpc_method *const *m;

	for (m = service->methods; *m; m++)
		if (strcmp((*m)->path, path) == 0)
			return *m;
	return NULL;
}

static struct pipa_grpc_call *add_call(struct pipa_grpc_session *session, int32_t stream)
{
	struct pipa_grpc_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->session = session;
	call->stream = stream;
	call->begin_ns = session->now_ns;
	call->code = PIPA_GRPC_CANCELLED; /* unless it is finished */
	call->reader.max = session->service->limits.max_message;
	call->waiting.max = SIZE_MAX;
	call->next = session->calls;
	call->link = &session->calls;
	if (call->next)
		call->next->link = &call->next;
	session->calls = call;
	session->n_calls++;
	pipa_h2_set_stream(session->h2, stream, call);
	return call;
}

/* Answer a request that is not gRPC. */
static void respond_http(struct pipa_grpc_call *call, const char *status, const char *text)
{
	const struct pipa_h2_field fields[] = { { ":status", status, false },
						{ "content-length", "0", false },
						{ "grpc-message", text, false } };

	call->finished = call->responded = true;
	call->code = PIPA_GRPC_UNKNOWN;
	note_queued(call->session, pipa_h2_respond(call->session->h2, call->stream, fields,
						   PIPA_COUNT(fields), NULL, NULL, 0));
}

static bool is_grpc_type(const char *type)
{
	static const char grpc[] = "application/grpc";

	return strncmp(type, grpc, sizeof(grpc) - 1) == 0 &&
	       (!type[sizeof(grpc) - 1] || type[sizeof(grpc) - 1] == ';' ||
		strcmp(type + sizeof(grpc) - 1, "+proto") == 0);
}

static void begin_call(struct pipa_grpc_call *call, struct head *head)
{
	const struct pipa_grpc_service *service = call->session->service;
	struct pipa_grpc_head request = { .authorization = head->authorization,
					  .peer = call->session->peer };
	enum pipa_grpc_code code;
	char text[100] = "";

	request.method = find_method(service, head->path);
	call->method = request.method;
	call->reader.encoding = head->encoding;
	if (head->has_timeout && !head->bad_timeout)
		call->deadline_ns = head->timeout_ns >= INT64_MAX - call->begin_ns ?
					    0 :
					    call->begin_ns + head->timeout_ns;
	if (!call->method) {
		pipa_grpc_call_finish(call, PIPA_GRPC_UNIMPLEMENTED, "unknown method");
	} else if (head->bad_authorization) {
		pipa_grpc_call_finish(call, PIPA_GRPC_UNAUTHENTICATED, "the token is too long");
	} else if (head->bad_timeout) {
		pipa_grpc_call_finish(call, PIPA_GRPC_INVALID_ARGUMENT, "malformed grpc-timeout");
	} else if (head->encoding == PIPA_GRPC_OTHER_ENCODING) {
		pipa_grpc_call_finish(call, PIPA_GRPC_UNIMPLEMENTED,
				      "grpc-encoding: only identity, gzip and zstd are supported");
	} else if (service->admit) {
		code = service->admit(service->ctx, &request, text);
		if (code != PIPA_GRPC_OK)
			pipa_grpc_call_finish(call, code, text);
	}
}

static void on_head(void *ctx, int32_t stream)
{
	struct pipa_grpc_session *session = ctx;
	struct head *head = &session->head;
	struct pipa_grpc_call *call;

	if (pipa_h2_stream(session->h2, stream))
		return;
	if (head->stream != stream)
		*head = (struct head){ .stream = stream };
	call = add_call(session, stream);
	if (!call) {
		note_queued(session, pipa_h2_reset(session->h2, stream, PIPA_H2_REFUSED_STREAM));
		return;
	}
	if (pipa_h2_head_is_large(session->h2))
		respond_http(call, "431", "the head of the request is too large");
	else if (!head->is_post)
		respond_http(call, "405", "gRPC requests are POST requests");
	else if (!is_grpc_type(head->type))
		respond_http(call, "415", "content-type is not application/grpc");
	else
		begin_call(call, head);
	explicit_bzero(head->authorization, sizeof(head->authorization));
	head->stream = 0;
}

static void end_call(struct pipa_grpc_call *call)
{
	struct pipa_grpc_session *session = call->session;
	const struct pipa_grpc_ended ended = {
		.method = call->method,
		.code = call->code,
		.duration_ns = session->now_ns - call->begin_ns,
		.bytes_in = call->bytes_in,
		.bytes_out = call->bytes_out,
		.peer = session->peer,
	};

	call->finished = true;
	if (call->method && call->method->done)
		call->method->done(call);
	if (session->service->ended)
		session->service->ended(session->service->ctx, &ended);
	*call->link = call->next;
	if (call->next)
		call->next->link = call->link;
	session->n_calls--;
	session->service->budget->used -= call->charged;
	while (call->n_queue)
		drop_reply(call);
	free(call->queue);
	pipa_buf_done(&call->waiting);
	pipa_grpc_reader_done(&call->reader);
	free(call);
}

static void on_closed(void *ctx, int32_t stream, uint32_t code)
{
	struct pipa_grpc_session *session = ctx;
	struct pipa_grpc_call *call = pipa_h2_stream(session->h2, stream);

	if (!call)
		return;
	if (code != PIPA_H2_NO_ERROR && !call->closing && call->code == PIPA_GRPC_OK)
		call->code = PIPA_GRPC_CANCELLED; /* before the client had all replies */
	pipa_h2_set_stream(session->h2, stream, NULL);
	end_call(call);
}

/* ---- sessions ---------------------------------------------------------------------------------------------- */

struct pipa_grpc_session *pipa_grpc_session_new(const struct pipa_grpc_service *service, void *peer,
						void (*wake_fn)(void *peer), uint64_t now_ns)
{
	static const struct pipa_h2_events events = {
		.field = on_field,
		.head = on_head,
		.data = on_data,
		.end = on_end,
		.closed = on_closed,
		.frame = on_frame,
		.sent = on_sent,
	};
	const struct pipa_h2_limits limits = { .header_bytes = service->limits.header_bytes,
					       .streams = service->limits.streams,
					       .paced = true };
	struct pipa_grpc_session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->service = service;
	session->peer = peer;
	session->wake = wake_fn;
	session->now_ns = session->begin_ns = session->heard_ns = session->refilled_ns = now_ns;
	session->allowance = ALLOWANCE_MAX;
	session->h2 = pipa_h2_new(PIPA_H2_SERVER, &limits, &events, session);
	if (!session->h2) {
		free(session);
		return NULL;
	}
	return session;
}

void pipa_grpc_session_free(struct pipa_grpc_session *session)
{
	if (!session)
		return;
	session->inside = true;
	while (session->calls)
		end_call(session->calls);
	pipa_h2_free(session->h2);
	explicit_bzero(&session->head, sizeof(session->head));
	free(session);
}

int pipa_grpc_session_receive(struct pipa_grpc_session *session, struct pipa_span bytes,
			      uint64_t now_ns)
{
	int rc;

	session->inside = true;
	session->now_ns = now_ns;
	refill_allowance(session);
	rc = pipa_h2_receive(session->h2, bytes);
	if (rc != -ENOMEM && session->flooded) {
		pipa_h2_terminate(session->h2, PIPA_H2_ENHANCE_YOUR_CALM);
		rc = -EOVERFLOW;
	}
	session->inside = false;
	return rc;
}

/* Let the calls whose replies have left make more. Returns false if none was waiting. */
static bool run_ready(struct pipa_grpc_session *session)
{
	struct pipa_grpc_call *call, *next;

	if (!session->any_ready)
		return false;
	session->any_ready = false;
	for (call = session->calls; call; call = next) {
		next = call->next;
		if (!call->wants_ready || call->finished)
			continue;
		call->wants_ready = false;
		if (call->method->ready)
			call->method->ready(call);
	}
	return true;
}

int pipa_grpc_session_output(struct pipa_grpc_session *session, struct pipa_span *ret)
{
	int rc;

	session->inside = true;
	do
		rc = session->broken ? -ENOMEM : pipa_h2_output(session->h2, ret);
	while (!rc && !ret->size && run_ready(session));
	session->inside = false;
	return rc;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return b && b < a ? b : a;
}

/* Apply the limits of one call; returns when to look again. */
static uint64_t tick_call(struct pipa_grpc_call *call, uint64_t now_ns)
{
	struct pipa_grpc_session *session = call->session;
	uint64_t stall_ns = session->service->limits.stall_ns;
	size_t sent = call->n_queue ? pipa_h2_body_sent(&call->body) + call->bytes_out : 0;

	if (call->deadline_ns && now_ns >= call->deadline_ns && !call->finished)
		pipa_grpc_call_finish(call, PIPA_GRPC_DEADLINE_EXCEEDED, "deadline exceeded");
	if (call->message_due_ns && now_ns >= call->message_due_ns && !call->finished)
		pipa_grpc_call_finish(call, PIPA_GRPC_DEADLINE_EXCEEDED,
				      "the request arrived too slowly");
	if (!call->n_queue && !call->finished) {
		call->stalled_ns = 0;
	} else if (!call->stalled_ns || sent != call->sent_before) {
		call->stalled_ns = now_ns;
		call->sent_before = sent;
	} else if (now_ns - call->stalled_ns >= stall_ns && !call->closing) {
		call->closing = true;
		call->code = PIPA_GRPC_CANCELLED;
		note_queued(session, pipa_h2_reset(session->h2, call->stream, PIPA_H2_CANCEL));
	}
	return earlier(earlier(call->stalled_ns ? call->stalled_ns + stall_ns : UINT64_MAX,
			       call->finished ? 0 : call->deadline_ns),
		       call->message_due_ns);
}

uint64_t pipa_grpc_session_tick(struct pipa_grpc_session *session, uint64_t now_ns, int *ret_rc)
{
	const struct pipa_grpc_limits *limits = &session->service->limits;
	uint64_t next_ns = UINT64_MAX;
	struct pipa_grpc_call *call, *next;

	*ret_rc = 0;
	session->inside = true;
	session->now_ns = now_ns;
	for (call = session->calls; call; call = next) {
		next = call->next;
		next_ns = earlier(next_ns, tick_call(call, now_ns));
	}
	if (!pipa_h2_is_greeted(session->h2)) {
		next_ns = earlier(next_ns, session->begin_ns + limits->greet_ns);
		if (now_ns - session->begin_ns >= limits->greet_ns)
			*ret_rc = -ETIMEDOUT;
	}
	if (session->head_ns) { /* a head that does not end */
		next_ns = earlier(next_ns, session->head_ns + limits->greet_ns);
		if (now_ns - session->head_ns >= limits->greet_ns)
			*ret_rc = -ETIMEDOUT;
	}
	if (session->ping_ns) {
		next_ns = earlier(next_ns, session->ping_ns + limits->stall_ns);
		if (now_ns - session->ping_ns >= limits->stall_ns)
			*ret_rc = -ETIMEDOUT;
	} else {
		if (now_ns - session->heard_ns >= limits->idle_ns) {
			session->ping_ns = now_ns;
			pipa_h2_ping(session->h2);
			next_ns = earlier(next_ns, now_ns + limits->stall_ns);
		} else {
			next_ns = earlier(next_ns, session->heard_ns + limits->idle_ns);
		}
	}
	session->inside = false;
	return next_ns;
}

void pipa_grpc_session_drain(struct pipa_grpc_session *session)
{
	session->inside = true;
	if (!session->drains++)
		pipa_h2_announce_goaway(session->h2);
	else if (session->drains == 2)
		pipa_h2_goaway(session->h2, PIPA_H2_NO_ERROR);
	session->inside = false;
}

size_t pipa_grpc_session_calls(const struct pipa_grpc_session *session)
{
	return session->n_calls;
}

bool pipa_grpc_session_is_alive(const struct pipa_grpc_session *session)
{
	return pipa_h2_is_alive(session->h2);
}

/* ---- small things of calls --------------------------------------------------------------------------------- */

void pipa_grpc_call_set_user(struct pipa_grpc_call *call, void *user)
{
	call->user = user;
}

void *pipa_grpc_call_user(const struct pipa_grpc_call *call)
{
	return call->user;
}

void *pipa_grpc_call_services(const struct pipa_grpc_call *call)
{
	return call->session->service->services;
}

const struct pipa_grpc_method *pipa_grpc_call_method(const struct pipa_grpc_call *call)
{
	return call->method;
}

bool pipa_grpc_call_is_open(const struct pipa_grpc_call *call)
{
	return !call->finished;
}

size_t pipa_grpc_call_backlog(const struct pipa_grpc_call *call)
{
	return call->n_queue;
}
