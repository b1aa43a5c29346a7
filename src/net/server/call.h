/*
 * gRPC calls as their handlers see them. All functions and callbacks run on the thread of the session.
 *
 * A handler of a method answers with any number of pipa_grpc_call_send() and one pipa_grpc_call_finish(), at once or
 * later. done() is called once per call, when the stream has closed: also after a deadline, a cancellation and the loss
 * of the connection. The call is invalid afterwards: done() clears the pointers to it of work on other threads.
 */
#ifndef PIPA_NET_SERVER_CALL_H
#define PIPA_NET_SERVER_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "net/grpc.h"

struct pipa_grpc_call;

struct pipa_grpc_method {
	const char *path; /* "/package.Service/Method" */
	bool requests; /* a stream of requests; else exactly one, passed when the client has sent all */
	bool replies;	     /* a stream of replies */
	bool paced;	     /* each request of a stream has to begin within the limit of stalls */
	unsigned int access; /* for the admission of the server */
	size_t max_request;  /* bytes, not charged to the budget; 0: as the server limits them */
	/* A request, borrowed. */
	void (*message)(struct pipa_grpc_call *call, struct pipa_span message);
	/* The client has sent all requests. May be NULL, if `requests` is false. */
	void (*end)(struct pipa_grpc_call *call);
	/* All replies have been sent: the windows have capacity for more. May be NULL. */
	void (*ready)(struct pipa_grpc_call *call);
	/* May be NULL. */
	void (*done)(struct pipa_grpc_call *call);
};

/* The handler's own pointer, NULL at first. */
void pipa_grpc_call_set_user(struct pipa_grpc_call *call, void *user);
void *pipa_grpc_call_user(const struct pipa_grpc_call *call);

/* The context of the services, from the options of the session. */
void *pipa_grpc_call_services(const struct pipa_grpc_call *call);
const struct pipa_grpc_method *pipa_grpc_call_method(const struct pipa_grpc_call *call);

/* False once the call is finished, cancelled or past its deadline: nothing more is sent. */
bool pipa_grpc_call_is_open(const struct pipa_grpc_call *call);

/* Send a reply; the bytes are copied. Fails by finishing the call. */
void pipa_grpc_call_send(struct pipa_grpc_call *call, struct pipa_span message);

/* Send a reply from a buffer, whose memory it takes; the buffer is empty afterwards. */
void pipa_grpc_call_send_buf(struct pipa_grpc_call *call, struct pipa_buf *message);

/* Return the number of replies that the client's window has not admitted yet. */
size_t pipa_grpc_call_backlog(const struct pipa_grpc_call *call);

/* End the call. The text may be NULL and is copied. */
void pipa_grpc_call_finish(struct pipa_grpc_call *call, enum pipa_grpc_code code, const char *text);

/* Pass no more requests to message() until the release. Flow control slows the client down. */
void pipa_grpc_call_hold(struct pipa_grpc_call *call);
void pipa_grpc_call_release(struct pipa_grpc_call *call);

#endif
