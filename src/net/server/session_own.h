/* A session and its calls: shared by the session*.c and call*.c files only. */
#ifndef PIPA_NET_SERVER_SESSION_OWN_H
#define PIPA_NET_SERVER_SESSION_OWN_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "net/grpc.h"
#include "net/h2.h"
#include "net/server/session.h"

enum {
	PIPA_GRPC_PATH_SIZE = 200,
	PIPA_GRPC_TOKEN_SIZE = 600,
	PIPA_GRPC_TYPE_SIZE = 40,
};

/* Fields of the request whose head is being received. */
struct pipa_grpc_fields {
	int32_t stream;
	char path[PIPA_GRPC_PATH_SIZE], authorization[PIPA_GRPC_TOKEN_SIZE];
	char type[PIPA_GRPC_TYPE_SIZE];
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
	uint64_t message_due_ns; /* 0: the client need not send anything now */
	/* replies */
	bool responded, finished, closing;
	bool wants_ready;    /* all replies have been sent */
	uint64_t stalled_ns; /* begin of a stall, later with each byte; 0: no reply waits */
	uint64_t sent_whole; /* bytes of the replies that were sent and dropped */
	uint64_t sent_before;
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
	bool inside; /* a function of session.h is running: its caller takes the output */
	bool broken; /* a frame could not be queued: the peer would wait for it */
	struct pipa_grpc_call *calls;
	size_t n_calls;
	struct pipa_grpc_fields head;
	uint64_t now_ns, begin_ns, heard_ns, ping_ns, head_ns, refilled_ns;
	uint64_t allowance;
	bool flooded, any_ready;
	unsigned int drains;
};

/* Mark the session as broken if a frame could not be queued on allocation failure, which ends the connection. */
static inline void pipa_grpc_session_note_queued(struct pipa_grpc_session *session, int rc)
{
	if (rc == -ENOMEM)
		session->broken = true;
}

/* Call wake(), unless a function of session.h is running, whose caller takes the output. */
static inline void pipa_grpc_session_wake(struct pipa_grpc_session *session)
{
	if (!session->inside)
		session->wake(session->peer);
}

/* ---- calls (call.c) -------------------------------------------------------------------------- */

/* Begin the call of a stream. NULL on allocation failure. */
struct pipa_grpc_call *pipa_grpc_call_add(struct pipa_grpc_session *session, int32_t stream);

/* Call done() of the method and ended() of the service, and free the call. */
void pipa_grpc_call_end(struct pipa_grpc_call *call);

/* ---- replies (call_reply.c); the functions of call.h that send ------------------------------- */

/* Free the replies that have not been sent. */
void pipa_grpc_call_drop_replies(struct pipa_grpc_call *call);

/* ---- heads of requests (session_head.c): events of HTTP/2 ------------------------------------ */

int pipa_grpc_session_on_field(void *ctx, int32_t stream, struct pipa_span name,
			       struct pipa_span value);
void pipa_grpc_session_on_head(void *ctx, int32_t stream);

/* ---- requests (call_request.c): events of HTTP/2 --------------------------------------------- */

/* Set the deadline of what the client has to send next: a grace period, and time for the length of a message. */
void pipa_grpc_call_set_due(struct pipa_grpc_call *call);

int pipa_grpc_session_on_data(void *ctx, int32_t stream, struct pipa_span bytes);
void pipa_grpc_session_on_end(void *ctx, int32_t stream);

#endif
