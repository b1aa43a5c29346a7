/* Replies of a gRPC call: the queue of messages, the head and the trailers. */
#include "net/server/session_own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/vec.h"

enum { SMALL_REPLY = 4 << 10 }; /* it is sent whatever the budget is: acknowledgements, health */

/* Free the memory of a reply. */
static void free_reply(struct pipa_grpc_call *call, struct pipa_buf *reply)
{
	call->session->service->budget->replies -= reply->cap;
	pipa_buf_done(reply);
}

static void drop_reply(struct pipa_grpc_call *call)
{
	call->sent_whole += PIPA_GRPC_PREFIX + call->queue[0].len;
	free_reply(call, &call->queue[0]);
	memmove(call->queue, call->queue + 1, --call->n_queue * sizeof(call->queue[0]));
}

void pipa_grpc_call_drop_replies(struct pipa_grpc_call *call)
{
	size_t i;

	for (i = 0; i < call->n_queue; i++)
		free_reply(call, &call->queue[i]);
	free(call->queue);
	call->queue = NULL;
	call->n_queue = call->cap_queue = 0;
}

/* Set the next reply as the pieces of the body, as struct pipa_h2_body requires. */
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
	pipa_grpc_session_note_queued(call->session,
				      pipa_h2_respond(call->session->h2, call->stream, response,
						      PIPA_COUNT(response), &call->body, NULL, 0));
}

void pipa_grpc_call_send_buf(struct pipa_grpc_call *call, struct pipa_buf *message)
{
	struct pipa_grpc_budget *budget = call->session->service->budget;
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
	if (message->len > SMALL_REPLY && budget->replies + message->cap > budget->max) {
		pipa_buf_done(message);
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED,
				      "the server holds too many replies at once (--max-buffered)");
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
	budget->replies += to->cap;
	call->bytes_out += to->len;
	call->wants_ready = false;
	respond(call);
	pipa_grpc_session_note_queued(call->session,
				      pipa_h2_resume(call->session->h2, call->stream));
	pipa_grpc_session_wake(call->session);
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
	pipa_grpc_session_note_queued(call->session, rc);
	call->responded = true;
	pipa_grpc_session_wake(call->session);
}
