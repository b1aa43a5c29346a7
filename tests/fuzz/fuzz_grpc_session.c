/*
 * Bytes of a client to a gRPC server session, cut into pieces by their first byte, with time that passes: each call is
 * done once, memory stays within the budget and is returned, and the output is HTTP/2 frames.
 */
#include "base/clock.h"
#include "fuzz.h"
#include "net/server/session.h"

enum { MESSAGE_MAX = 10000, STREAMS = 5, BUDGET = 64 << 10 };

static int open_calls;
static struct pipa_grpc_call *held;

static void echo(struct pipa_grpc_call *call, struct pipa_span message)
{
	MUST(message.size <= MESSAGE_MAX);
	if (!pipa_grpc_call_user(call)) {
		pipa_grpc_call_set_user(call, call);
		open_calls++;
	}
	pipa_grpc_call_send(call, message);
}

static void hold(struct pipa_grpc_call *call, struct pipa_span message)
{
	echo(call, message);
	if (!held) {
		held = call;
		pipa_grpc_call_hold(call);
	}
}

static void finish(struct pipa_grpc_call *call)
{
	pipa_grpc_call_finish(call, PIPA_GRPC_OK, "\xff%");
}

static void done(struct pipa_grpc_call *call)
{
	if (pipa_grpc_call_user(call))
		open_calls--;
	if (held == call)
		held = NULL;
}

static const struct pipa_grpc_method unary = {
	.path = "/a.B/C", .message = echo, .end = finish, .done = done
};
static const struct pipa_grpc_method streams = {
	.path = "/a.B/D", .requests = true, .message = hold, .end = finish, .done = done
};
static const struct pipa_grpc_method *const methods[] = { &unary, &streams, NULL };

static void ignore_wake(void *peer)
{
	(void)peer;
}

static enum pipa_grpc_code admit(void *ctx, const struct pipa_grpc_head *head, char text[100])
{
	(void)ctx;
	MUST(strlen(head->authorization) < 600);
	snprintf(text, 100, "%.90s", head->authorization);
	return head->authorization[0] ? PIPA_GRPC_UNAUTHENTICATED : PIPA_GRPC_OK;
}

/* Take all output; it must be frames. */
static void drain(struct pipa_grpc_session *session)
{
	struct pipa_span span;

	while (pipa_grpc_session_output(session, &span) == 0 && span.size) {
		MUST(span.size >= 9);
		MUST(span.data[3] <= 9);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_grpc_budget budget = { .max = BUDGET };
	const struct pipa_grpc_service service = {
		.methods = methods,
		.limits = { .header_bytes = 4096,
			    .streams = STREAMS,
			    .max_message = MESSAGE_MAX,
			    .greet_ns = PIPA_NS_PER_SEC,
			    .stall_ns = PIPA_NS_PER_SEC,
			    .idle_ns = PIPA_NS_PER_SEC },
		.budget = &budget,
		.admit = admit,
	};
	struct pipa_grpc_session *session;
	uint64_t now = PIPA_NS_PER_SEC;
	size_t at, piece, n;
	int rc, dead;

	if (!size)
		return 0;
	piece = data[0] ? data[0] : 1;
	session = pipa_grpc_session_new(&service, NULL, ignore_wake, now);
	MUST(session);
	for (at = 1; at < size; at += piece) {
		n = size - at < piece ? size - at : piece;
		rc = pipa_grpc_session_receive(session, (struct pipa_span){ data + at, n }, now);
		MUST(budget.used <= BUDGET + STREAMS * (MESSAGE_MAX * 4 + (256 << 10)));
		drain(session);
		if (rc < 0)
			break;
		now += PIPA_NS_PER_SEC / 16;
		pipa_grpc_session_tick(session, now, &dead);
		drain(session);
		if (held && data[at] % 3 == 0) {
			struct pipa_grpc_call *call = held;

			held = NULL;
			pipa_grpc_call_release(call);
			drain(session);
		}
	}
	pipa_grpc_session_drain(session);
	drain(session);
	pipa_grpc_session_free(session);
	MUST(budget.used == 0);
	MUST(open_calls == 0 && !held);
	return 0;
}
