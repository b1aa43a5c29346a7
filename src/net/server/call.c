#include "net/server/call.h"

#include <stdlib.h>

#include "net/server/session_own.h"

struct pipa_grpc_call *pipa_grpc_call_add(struct pipa_grpc_session *session, int32_t stream)
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

void pipa_grpc_call_end(struct pipa_grpc_call *call)
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
	pipa_grpc_call_drop_replies(call);
	pipa_buf_done(&call->waiting);
	pipa_grpc_reader_done(&call->reader);
	free(call);
}

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
