#include "net/server/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "net/server/session_own.h"

enum {
	ALLOWANCE_MAX = 1000, /* frames without data at once, and one head for each stream */
	ALLOWANCE_RATE = 50,  /* frames without data per second */
};

/* ---- frames ---------------------------------------------------------------------------------- */

static void allow(struct pipa_grpc_session *session, uint64_t frames)
{
	uint64_t sum = session->allowance + frames;
	uint64_t most = (uint64_t)ALLOWANCE_MAX + session->service->limits.streams;

	session->allowance = sum < most ? sum : most;
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
	case PIPA_H2_PING:
	case PIPA_H2_SETTINGS:
		if (!(flags & PIPA_H2_ACK))
			charge(session, 2);
		break;
	default: charge(session, 1); break; /* HEADERS: on_sent() refunds it with the answer */
	}
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
		pipa_grpc_session_note_queued(session,
					      pipa_h2_reset(session->h2, stream, PIPA_H2_NO_ERROR));
	}
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
	pipa_grpc_call_end(call);
}

/* ---- sessions -------------------------------------------------------------------------------- */

struct pipa_grpc_session *pipa_grpc_session_new(const struct pipa_grpc_service *service, void *peer,
						void (*wake_fn)(void *peer), uint64_t now_ns)
{
	static const struct pipa_h2_events events = {
		.field = pipa_grpc_session_on_field,
		.head = pipa_grpc_session_on_head,
		.data = pipa_grpc_session_on_data,
		.end = pipa_grpc_session_on_end,
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
	allow(session, UINT32_MAX);
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
		pipa_grpc_call_end(session->calls);
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

/* Call ready() of the calls whose replies have been sent. Returns false if there was none. */
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

/* Move the begin of the stall on by the time that the bytes may take that the client has read since. */
static void note_read(struct pipa_grpc_call *call, uint64_t now_ns)
{
	uint64_t sent = call->sent_whole + pipa_h2_body_sent(&call->body);

	if (!call->n_queue && !call->finished)
		call->stalled_ns = 0;
	else if (!call->stalled_ns)
		call->stalled_ns = now_ns;
	else
		call->stalled_ns += (sent - call->sent_before) * (PIPA_NS_PER_SEC / PIPA_GRPC_RATE);
	if (call->stalled_ns > now_ns)
		call->stalled_ns = now_ns;
	call->sent_before = sent;
}

/* Apply the limits of one call; returns when to check them again. */
static uint64_t tick_call(struct pipa_grpc_call *call, uint64_t now_ns)
{
	struct pipa_grpc_session *session = call->session;
	uint64_t stall_ns = session->service->limits.stall_ns;

	if (call->deadline_ns && now_ns >= call->deadline_ns && !call->finished)
		pipa_grpc_call_finish(call, PIPA_GRPC_DEADLINE_EXCEEDED, "deadline exceeded");
	if (call->message_due_ns && now_ns >= call->message_due_ns && !call->finished)
		pipa_grpc_call_finish(call, PIPA_GRPC_DEADLINE_EXCEEDED,
				      "the request arrived too slowly");
	note_read(call, now_ns);
	if (call->stalled_ns && now_ns - call->stalled_ns >= stall_ns && !call->closing) {
		call->closing = true;
		call->code = PIPA_GRPC_CANCELLED;
		pipa_grpc_session_note_queued(session, pipa_h2_reset(session->h2, call->stream,
								     PIPA_H2_CANCEL));
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
