/*
 * POST requests of HTTP/1.1 to one server, over one connection that is opened when needed and kept. Blocking, with a
 * deadline per request; one thread at a time. Redirects are not followed and responses are not decompressed.
 */
#ifndef PIPA_NET_POST_H
#define PIPA_NET_POST_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

struct pipa_error;
struct pipa_h2_field;
struct pipa_post_client;
struct pipa_stop;
struct pipa_tls_options;
struct pipa_url;

/* All borrowed until the client is freed. */
struct pipa_post_options {
	const struct pipa_url *url;
	const struct pipa_tls_options *tls; /* for https */
	struct pipa_stop *stop;		    /* may be NULL */
	size_t max_reply;		    /* bytes of a body */
};

/* Zero is empty; pipa_post_reply_done() frees it. */
struct pipa_post_reply {
	int status;
	char type[64];	      /* Content-Type, or "" */
	char retry_after[64]; /* or "" */
	struct pipa_buf body;
};

/* NULL on allocation failure. Does not connect. */
struct pipa_post_client *pipa_post_client_new(const struct pipa_post_options *options);
void pipa_post_client_free(struct pipa_post_client *client);

/*
 * Send the fields, which must include Content-Type, and the body. 0: *reply is the response, of any status. Negative:
 * there is none. Errors as of pipa_grpc_call(); -EBADMSG: not HTTP.
 */
int pipa_post(struct pipa_post_client *client, const struct pipa_h2_field *fields, size_t n_fields,
	      struct pipa_span body, uint64_t until_ns, struct pipa_post_reply *reply,
	      struct pipa_error *err);

void pipa_post_reply_done(struct pipa_post_reply *reply);

#endif
