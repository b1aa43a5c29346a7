/*
 * Methods of pipad's services that read a store of results: they take an encoded request and return an encoded
 * response. They block on the disk and in put(); memory does not grow with the number of rows.
 *
 * Errors: -EBADMSG the request cannot be decoded, -EINVAL an invalid value in it, -ENOENT no such table, run or recording,
 * -EFBIG the response would be larger than `max`, or the result of put().
 */
#ifndef PIPA_JOB_RESULTS_RESULTS_SERVICE_H
#define PIPA_JOB_RESULTS_RESULTS_SERVICE_H

#include <stddef.h>

#include "base/span.h"

struct pipa_buf;
struct pipa_error;
struct pipa_results;

/* Unary methods of pipa.store.v1.Store: append the response, of at most response->max bytes. */
int pipa_results_query(struct pipa_results *store, struct pipa_span bytes,
		       struct pipa_buf *response, struct pipa_error *err);
int pipa_results_query_metric(struct pipa_results *store, struct pipa_span bytes,
			      struct pipa_buf *response, struct pipa_error *err);
int pipa_results_list_tables(struct pipa_results *store, struct pipa_span bytes,
			     struct pipa_buf *response, struct pipa_error *err);

/*
 * Streaming methods: put() receives the encoded messages of the stream one by one, each of about 64 KiB at most; a
 * negative return ends the stream and is the result.
 */
int pipa_results_download(struct pipa_results *store, struct pipa_span bytes,
			  int (*put)(void *ctx, struct pipa_span message), void *ctx,
			  struct pipa_error *err);
int pipa_results_download_recording(struct pipa_results *store, struct pipa_span bytes,
				    int (*put)(void *ctx, struct pipa_span message), void *ctx,
				    struct pipa_error *err);

/* Append the response of pipa.PIPAD/DownloadFullTable, one message with the file. -EFBIG: use the streaming method. */
int pipa_results_download_full_table(struct pipa_results *store, struct pipa_span bytes,
				     struct pipa_buf *response, struct pipa_error *err);

#endif
