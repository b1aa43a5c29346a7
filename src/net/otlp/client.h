/*
 * Send OTLP profiles to one endpoint, over gRPC or HTTP, with retries. Blocking; one thread at a time.
 *
 * Requests are repeated as net/retry.h says; HTTP 429, 502, 503 and 504 too, with Retry-After.
 */
#ifndef PIPA_NET_OTLP_CLIENT_H
#define PIPA_NET_OTLP_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_error;
struct pipa_otlp_client;
struct pipa_otlp_endpoint;
struct pipa_stop;

enum {
	PIPA_OTLP_PAYLOAD_MAX = 64 << 20
}; /* the limit that the specification recommends to servers */

/* Result of a request that the server has accepted. */
struct pipa_otlp_sent {
	unsigned int attempts;
	uint64_t wire_bytes; /* of the message as it was sent */
	uint64_t rejected;   /* profiles that the server did not accept */
	char message[200];   /* of the server, or "" */
};

/* The endpoint and `stop`, which may be NULL, are borrowed. NULL on allocation failure. Does not connect. */
struct pipa_otlp_client *pipa_otlp_client_new(const struct pipa_otlp_endpoint *endpoint,
					      const char *version, struct pipa_stop *stop);
void pipa_otlp_client_free(struct pipa_otlp_client *client);

/*
 * Send an ExportProfilesServiceRequest (protobuf). Repeated until until_ns of pipa_clock_ns() at most (0: one attempt
 * only), each attempt limited by the endpoint's timeout. 0: accepted, at least in part. Else a negative errno with err filled: -EREMOTEIO if
 * the server refused it, -EFBIG if it exceeds PIPA_OTLP_PAYLOAD_MAX, otherwise that of the last attempt. Sets
 * ret->attempts in either case.
 */
int pipa_otlp_send(struct pipa_otlp_client *client, struct pipa_span payload, uint64_t until_ns,
		   struct pipa_otlp_sent *ret, struct pipa_error *err);

/* Parse Retry-After: seconds, or a date that is compared with wall_ns. -EINVAL. */
int pipa_otlp_retry_after(const char *text, uint64_t wall_ns, uint64_t *ret_ns);

#endif
