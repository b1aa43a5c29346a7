/* Requests of a gRPC call: messages from DATA frames, their memory, and the flow control of a held call. */
#include "net/server/session_own.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"

/*
 * Charge the memory of the call's requests to the budget. False: the budget of all sessions is exceeded. Methods with a
 * limit of their own are not charged: clients without a token could keep others from uploading.
 */
static bool charge_budget(struct pipa_grpc_call *call)
{
	struct pipa_grpc_budget *budget = call->session->service->budget;
	size_t now = call->reader.raw.cap + call->reader.message.cap + call->waiting.cap;

	if (call->method->max_request)
		return true;
	budget->used = budget->used - call->charged + now;
	call->charged = now;
	return budget->used <= budget->max;
}

static void refuse_request(struct pipa_grpc_call *call, int rc)
{
	char text[100];

	switch (rc) {
	case -EFBIG:
		snprintf(text, sizeof(text), "a request is larger than %zu bytes%s",
			 call->reader.max, call->method->max_request ? "" : " (--max-message)");
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

/* Has the client to go on sending? A stream of requests may pause between them, unless it is paced. */
static bool is_incomplete(const struct pipa_grpc_call *call)
{
	return !call->ended && (!pipa_grpc_is_whole(&call->reader) || !call->method->requests ||
				call->method->paced);
}

void pipa_grpc_call_set_due(struct pipa_grpc_call *call)
{
	const struct pipa_grpc_session *session = call->session;

	if (call->finished || call->held || !is_incomplete(call)) {
		call->message_due_ns = 0;
		return;
	}
	if (!call->message_due_ns)
		call->message_due_ns = session->now_ns + session->service->limits.stall_ns;
	if (!call->is_sized && call->reader.n_prefix == PIPA_GRPC_PREFIX) {
		call->is_sized = true;
		call->message_due_ns += call->reader.left * (PIPA_NS_PER_SEC / PIPA_GRPC_RATE);
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
	pipa_grpc_session_note_queued(call->session,
				      pipa_h2_consume(call->session->h2, call->stream,
						      call->finished ?
							      waiting.len :
							      waiting.len - pipa_cursor_left(&in)));
	if (!call->finished && in.pos < in.end) {
		pipa_buf_add(&call->waiting, in.pos, pipa_cursor_left(&in));
		if (call->waiting.status)
			refuse_request(call, call->waiting.status);
	}
	pipa_buf_done(&waiting);
	pipa_grpc_call_set_due(call);
	charge_budget(call);
	pass_end(call);
	pipa_grpc_session_wake(call->session);
}

int pipa_grpc_session_on_data(void *ctx, int32_t stream, struct pipa_span bytes)
{
	struct pipa_grpc_session *session = ctx;
	struct pipa_grpc_call *call = pipa_h2_stream(session->h2, stream);
	struct pipa_cursor in = pipa_span_cursor(bytes, false);

	if (!call || call->finished) { /* discard the rest: the reply is being sent */
		pipa_grpc_session_note_queued(session,
					      pipa_h2_consume(session->h2, stream, bytes.size));
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
	pipa_grpc_session_note_queued(
		session,
		pipa_h2_consume(session->h2, stream,
				call->finished ? bytes.size : bytes.size - pipa_cursor_left(&in)));
	pipa_grpc_call_set_due(call);
	if (!charge_budget(call))
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED,
				      "the server holds too many requests at once");
	return 0;
}

void pipa_grpc_session_on_end(void *ctx, int32_t stream)
{
	struct pipa_grpc_session *session = ctx;
	struct pipa_grpc_call *call = pipa_h2_stream(session->h2, stream);

	if (!call)
		return;
	call->ended = true;
	call->message_due_ns = 0;
	pass_end(call);
}
