/*
 * Methods of pipad's services that read a store of results: the bytes of a request in, the response out, also encoded. They block for as
 * long as the disk and put() take; memory does not grow with the number of rows.
 *
 * Errors: -EBADMSG the request cannot be decoded, -EINVAL an invalid value in it, -ENOENT no such table, run or recording,
 * -EFBIG the response would be larger than `max`, or put()'s.
 */
#ifndef PIPA_JOB_RESULTS_RESULTS_SERVICE_H
#define PIPA_JOB_RESULTS_RESULTS_SERVICE_H

#include <stddef.h>

#include "base/span.h"

struct pipa_buf;
struct pipa_error;
struct pipa_results;

/* pipa.store.v1.Store: append the response; response->max is the largest one. */
int pipa_results_query(struct pipa_results *store, struct pipa_span bytes,
		       struct pipa_buf *response, struct pipa_error *err);
int pipa_results_query_metric(struct pipa_results *store, struct pipa_span bytes,
			      struct pipa_buf *response, struct pipa_error *err);
int pipa_results_list_tables(struct pipa_results *store, struct pipa_span bytes,
			     struct pipa_buf *response, struct pipa_error *err);

/*
 * The streaming ones: put() takes the messages of the stream one by one, each encoded and at most about 64 KiB; a return
 * below 0 ends the stream and is the result.
 */
int pipa_results_download(struct pipa_results *store, struct pipa_span bytes,
			  int (*put)(void *ctx, struct pipa_span message), void *ctx,
			  struct pipa_error *err);
int pipa_results_download_recording(struct pipa_results *store, struct pipa_span bytes,
				    int (*put)(void *ctx, struct pipa_span message), void *ctx,
				    struct pipa_error *err);

/* pipa.PIPAD/DownloadFullTable: the whole file in one message. -EFBIG: use the streaming method. */
int pipa_results_download_full_table(struct pipa_results *store, struct pipa_span bytes,
				     struct pipa_buf *response, struct pipa_error *err);

#endif
