/*
 * Calls to a pipad server: address, TLS, token, repeated attempts, and failures as one sentence with a hint. Blocking; a
 * signal may end the process at any time.
 */
#ifndef PIPA_JOB_REMOTE_REMOTE_H
#define PIPA_JOB_REMOTE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "base/span.h"
#include "codec/proto.h"

struct pipa_buf;
struct pipa_error;
struct pipa_remote;

#define PIPA_REMOTE_PORT "50051"

struct pipa_remote_options {
	const char *address; /* HOST, HOST:PORT, [ADDRESS]:PORT, also after http:// or https:// */
	bool tls;
	const char *ca_file, *cert_file, *key_file; /* each of them implies tls; or NULL */
	const char *token_file;			    /* or NULL */
	bool insecure;				    /* send a token without TLS beyond loopback */
	uint64_t timeout_ns; /* of a reply, and of a pause in a stream; 0: 60 s */
	uint64_t retry_ns;   /* of all attempts of a call; 0: one attempt */
	struct pipa_log log; /* gets a note before the second attempt */
};

/* Check the address and which options need each other, without a look at any file. 0 or -EINVAL. */
int pipa_remote_check(const struct pipa_remote_options *options, struct pipa_error *err);

/* Check the options and read the token. Does not connect. Strings are borrowed. */
int pipa_remote_open(const struct pipa_remote_options *options, const char *version,
		     struct pipa_remote **ret, struct pipa_error *err);
void pipa_remote_close(struct pipa_remote *server);

/* Return the address for messages: "localhost:50051". */
const char *pipa_remote_name(const struct pipa_remote *server);

struct pipa_remote_call {
	const char *verb; /* for messages: "store the result" */
	const char *path; /* "/package.Service/Method" */
	struct pipa_span message;
	/* Streams of messages, as in net/grpc_client.h; or NULL. */
	int (*next)(void *ctx, struct pipa_span *ret);
	int (*receive)(void *ctx, struct pipa_span message);
	/* Prepares a stream for the next attempt; a negative result ends the call. May be NULL. */
	int (*restart)(void *ctx);
	void *ctx;
};

/*
 * Call a method; the message of the response is appended to `reply`, which may be NULL for streams. 0, or a negative
 * errno with err filled: -EREMOTEIO if the server refused it, with its code in *ret_code, which may be NULL. After a
 * negative result of one of the callbacks that is the result, and err is not filled.
 */
int pipa_remote_call(struct pipa_remote *server, const struct pipa_remote_call *call,
		     struct pipa_buf *reply, int *ret_code, struct pipa_error *err);

/*
 * Call a method whose messages are structs (rpc/): `from` and `ret`. Spans of `ret` point into `reply`, arrays into
 * `memory`.
 */
struct pipa_remote_method {
	const char *verb, *path;
	const struct pipa_proto_message *request, *response;
};
int pipa_remote_ask(struct pipa_remote *server, const struct pipa_remote_method *method,
		    const void *from, struct pipa_buf *reply, struct pipa_proto_memory *memory,
		    void *ret, int *ret_code, struct pipa_error *err);

static inline void pipa_remote_close_auto(struct pipa_remote **server)
{
	pipa_remote_close(*server);
}

#endif
