/*
 * gRPC calls to one server, over one HTTP/2 connection that is opened when needed and kept. Blocking, with a deadline
 * per call; one thread at a time.
 *
 * Requests and responses may be streams of messages: a message is made when the peer's windows have capacity for it, and
 * received ones are passed on one by one, so memory is bounded by one message of each direction.
 */
#ifndef PIPA_NET_GRPC_CLIENT_H
#define PIPA_NET_GRPC_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "net/grpc.h"
#include "net/h2.h"

struct pipa_error;
struct pipa_grpc_client;
struct pipa_stop;
struct pipa_tls_options;

/* All borrowed until the client is freed. */
struct pipa_grpc_client_options {
	const char *host, *port;
	const struct pipa_tls_options *tls; /* NULL: HTTP/2 with prior knowledge, plain text */
	const char *user_agent;
	struct pipa_stop *stop; /* may be NULL */
	size_t max_reply;	/* bytes of a response message */
};

struct pipa_grpc_request {
	const char *path;		    /* "/package.Service/Method" */
	struct pipa_span message;	    /* compressed by the caller according to `encoding` */
	enum pipa_grpc_encoding encoding;   /* of the message */
	const struct pipa_h2_field *fields; /* metadata; names in lower case */
	size_t n_fields;
	uint64_t until_ns; /* of pipa_clock_ns() */
	/*
	 * Unless 0: the longest time without a byte received or accepted by the server. until_ns then limits only
	 * connecting, and the server gets no deadline.
	 */
	uint64_t idle_ns;
	/*
	 * Gets the next message of a stream of requests, valid until the next call: 1, or 0 after the last. Replaces
	 * `message` unless NULL.
	 */
	int (*next)(void *ctx, struct pipa_span *ret);
	/* Receives a message of a stream of responses; NULL: there is one, which the reply gets. */
	int (*receive)(void *ctx, struct pipa_span message);
	void *ctx; /* of both; a negative result of them cancels the call */
};

/* Zero is empty; pipa_grpc_reply_done() frees it. */
struct pipa_grpc_reply {
	int code;	      /* enum pipa_grpc_code */
	char text[200];	      /* reason, or "" */
	bool has_retry_delay; /* the server sent a RetryInfo */
	uint64_t retry_delay_ns;
	struct pipa_buf message;
};

/* NULL on allocation failure. Does not connect. */
struct pipa_grpc_client *pipa_grpc_client_new(const struct pipa_grpc_client_options *options);
void pipa_grpc_client_free(struct pipa_grpc_client *client);

/*
 * Call a method. Returns 0 if the server has answered, with any code. A negative result: no answer. The connection
 * is then closed, unless the server still acknowledges PINGs. Errors are those of pipa_stream_connect(), -ETIMEDOUT, -ECONNRESET (closed by the
 * server), -EPROTO (invalid HTTP/2), -EFBIG (the response exceeds the limits), -ENOMEM. After a negative result of
 * next() or receive() that is the result, and err is not filled.
 */
int pipa_grpc_call(struct pipa_grpc_client *client, const struct pipa_grpc_request *request,
		   struct pipa_grpc_reply *reply, struct pipa_error *err);

void pipa_grpc_reply_done(struct pipa_grpc_reply *reply);

static inline void pipa_grpc_reply_done_auto(struct pipa_grpc_reply *reply)
{
	pipa_grpc_reply_done(reply);
}

#endif
