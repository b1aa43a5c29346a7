/* Methods that read the store: they run on the threads of the jobs. */
#ifndef PIPA_SERVE_READ_H
#define PIPA_SERVE_READ_H

#include "net/server/call.h"

extern const struct pipa_grpc_method pipa_read_download_full_table; /* of pipa.PIPAD */
extern const struct pipa_grpc_method pipa_read_query;
extern const struct pipa_grpc_method pipa_read_query_metric;
extern const struct pipa_grpc_method pipa_read_list_tables;
extern const struct pipa_grpc_method pipa_read_download;
extern const struct pipa_grpc_method pipa_read_download_recording;

#endif
