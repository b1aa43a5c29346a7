/* Methods that store results: every request is acknowledged after its commit, in order, while further ones arrive. */
#ifndef PIPA_SERVE_UPLOAD_H
#define PIPA_SERVE_UPLOAD_H

#include "net/server/call.h"

/* pipa.PIPAD: failures of the store are acknowledgements with status_code 500. */
extern const struct pipa_grpc_method pipa_upload_deploy;
extern const struct pipa_grpc_method pipa_upload_deploy_stream_reply;
extern const struct pipa_grpc_method pipa_upload_deploy_bidi_stream;

/* pipa.store.v1.Store */
extern const struct pipa_grpc_method pipa_upload_upload;
extern const struct pipa_grpc_method pipa_upload_delete;

#endif
