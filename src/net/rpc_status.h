/* Decode google.rpc.Status: the body of OTLP/HTTP errors and the trailer grpc-status-details-bin. */
#ifndef PIPA_NET_RPC_STATUS_H
#define PIPA_NET_RPC_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_rpc_status {
	int code; /* enum pipa_grpc_code */
	char message[200];
	bool has_retry_delay; /* there is a RetryInfo */
	uint64_t retry_delay_ns;
};

/* -EBADMSG if the bytes are not such a message, -E2BIG if it has too many details, -ENOMEM. */
int pipa_rpc_status_decode(struct pipa_span bytes, struct pipa_rpc_status *ret);

/* Decode it from the base64 text of grpc-status-details-bin. */
int pipa_rpc_status_decode_base64(struct pipa_span text, struct pipa_rpc_status *ret);

#endif
