/* Encode and decode DeployRequest of proto/pipa.proto: a result, by the table of model/result.h. */
#ifndef PIPA_RPC_RESULT_MESSAGE_H
#define PIPA_RPC_RESULT_MESSAGE_H

#include "base/span.h"
#include "codec/proto.h"
#include "model/result.h"

struct pipa_buf;
struct pipa_error;

enum { PIPA_RPC_THREADS_MAX = 1 << 16 }; /* items of used_threads */

/*
 * Decode with presence: a field of implicit presence with the value 0 or "" is not set. Texts point into `bytes`, the list
 * belongs to `memory`. Unknown fields are skipped, of a field that occurs twice the last value counts, lists may be packed or
 * not. Returns 0; -EBADMSG (wrong wire type, malformed, text that is not UTF-8), -E2BIG (list too long) or -ENOMEM
 * with the field in *err.
 */
int pipa_rpc_decode_result(struct pipa_span bytes, struct pipa_proto_memory *memory,
			   struct pipa_result *ret, struct pipa_error *err);

/* Append the encoded message to `out`, fields in the order of their numbers. Returns 0, -ENOMEM or -EFBIG past out->max. */
int pipa_rpc_encode_result(const struct pipa_result *result, struct pipa_buf *out);

#endif
