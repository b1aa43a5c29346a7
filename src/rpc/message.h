/* Encode and decode messages of pipad's services by their tables, with the rules of proto3 for strings. */
#ifndef PIPA_RPC_MESSAGE_H
#define PIPA_RPC_MESSAGE_H

#include "base/span.h"
#include "codec/proto.h"

struct pipa_buf;
struct pipa_error;

/*
 * Decode `bytes` into `ret`, a struct of the message, as pipa_proto_decode() does: unknown fields are skipped, of a
 * field that occurs twice the last value counts, repeated numbers may be packed or not. Strings that are not UTF-8 are
 * refused. Returns 0; -EBADMSG with the field in *err; -E2BIG past memory->max; -ENOMEM.
 */
int pipa_rpc_decode(const struct pipa_proto_message *message, struct pipa_span bytes,
		    struct pipa_proto_memory *memory, void *ret, struct pipa_error *err);

/* Append the encoded message to `out`. Returns 0, -ENOMEM or -EFBIG past out->max. */
int pipa_rpc_encode(const struct pipa_proto_message *message, const void *from,
		    struct pipa_buf *out);

#endif
