/* gRPC's server reflection (grpc.reflection.v1 and v1alpha): descriptors of pipad's services, for example for grpcurl. */
#ifndef PIPA_SERVE_REFLECTION_H
#define PIPA_SERVE_REFLECTION_H

#include "net/server/call.h"

/* Ends with NULL. */
extern const struct pipa_grpc_method *const pipa_reflection_methods[];

#endif
