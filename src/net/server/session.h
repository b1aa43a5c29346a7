/*
 * The server's side of an HTTP/2 connection that carries gRPC: dispatch of calls to methods, deadlines, flow control and
 * limits. Pure: received bytes and the time are passed in, bytes to be sent are taken out.
 *
 * Only the peer concerned is refused for: heads above header_bytes (status 431), messages above max_message, more buffered
 * requests than the budget of all sessions allows (RESOURCE_EXHAUSTED), messages that arrive slower than 16 KiB/s after
 * a grace period, replies that it reads more slowly than that or not at all, a connection that does not begin in time, and floods of frames that
 * carry nothing (GOAWAY with ENHANCE_YOUR_CALM).
 */
#ifndef PIPA_NET_SERVER_SESSION_H
#define PIPA_NET_SERVER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "net/server/call.h"

struct pipa_grpc_session;

/* Bytes of requests, and of replies, that are held by all sessions of a server; each at most `max`. */
struct pipa_grpc_budget {
	size_t used, replies, max;
};

/* The head of a request, borrowed during the callback. */
struct pipa_grpc_head {
	const struct pipa_grpc_method *method;
	const char *authorization; /* value of the field, or "" */
	void *peer;		   /* of the options of the session */
};

/* A call that has ended. */
struct pipa_grpc_ended {
	const struct pipa_grpc_method *method; /* NULL: an unknown one */
	enum pipa_grpc_code code;
	uint64_t duration_ns;
	uint64_t bytes_in, bytes_out; /* of messages, as sent */
	void *peer;
};

struct pipa_grpc_limits {
	uint32_t header_bytes, streams;
	size_t max_message;
	uint64_t greet_ns; /* for the peer's preface and SETTINGS */
	uint64_t stall_ns; /* grace period of a message, of a request or a reply */
	uint64_t
		idle_ns; /* without a frame, then a PING that has to be acknowledged within stall_ns */
};

enum { PIPA_GRPC_RATE = 16 << 10 }; /* least bytes per second of a message, in both directions */

/* What the sessions of a server share; borrowed. */
struct pipa_grpc_service {
	const struct pipa_grpc_method *const *methods; /* ends with NULL */
	void *services;
	struct pipa_grpc_limits limits;
	struct pipa_grpc_budget *budget;
	/* Admit a call or refuse it with a code and a text of up to 100 bytes. May be NULL. */
	enum pipa_grpc_code (*admit)(void *ctx, const struct pipa_grpc_head *head, char text[100]);
	/* May be NULL. */
	void (*ended)(void *ctx, const struct pipa_grpc_ended *ended);
	void *ctx;
};

/* NULL on allocation failure. `wake` is called when there may be output, outside of the functions below. */
struct pipa_grpc_session *pipa_grpc_session_new(const struct pipa_grpc_service *service, void *peer,
						void (*wake)(void *peer), uint64_t now_ns);
void pipa_grpc_session_free(struct pipa_grpc_session *session);

/* Process received bytes. Negative: the connection is unusable, close it after the output. */
int pipa_grpc_session_receive(struct pipa_grpc_session *session, struct pipa_span bytes,
			      uint64_t now_ns);

/* Return the next bytes to send, valid until the next call; empty: none for now. */
int pipa_grpc_session_output(struct pipa_grpc_session *session, struct pipa_span *ret);

/* Apply deadlines and limits of time; returns when to call again. Negative errno as of receive, in *ret_rc. */
uint64_t pipa_grpc_session_tick(struct pipa_grpc_session *session, uint64_t now_ns, int *ret_rc);

/* Accept no more calls, and finish those that were accepted. The first call announces it, the second enforces it. */
void pipa_grpc_session_drain(struct pipa_grpc_session *session);

/* Calls whose stream is open. */
size_t pipa_grpc_session_calls(const struct pipa_grpc_session *session);

/* False when nothing is left to be done: close the connection. */
bool pipa_grpc_session_is_alive(const struct pipa_grpc_session *session);

#endif
