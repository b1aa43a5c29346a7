/*
 * When a request is repeated, and after how long. Repeated: gRPC CANCELLED, DEADLINE_EXCEEDED, ABORTED, OUT_OF_RANGE,
 * UNAVAILABLE, DATA_LOSS, and RESOURCE_EXHAUSTED with a RetryInfo; connections that fail or break. All else is final,
 * certificates too. Waits start at 1 s, grow by half up to 30 s and vary at random by half; a delay that the server
 * demands is the minimum.
 */
#ifndef PIPA_NET_RETRY_H
#define PIPA_NET_RETRY_H

#include <stdbool.h>
#include <stdint.h>

struct pipa_stop;

/* Is the request repeated after a response with this code? `has_delay`: the response has a RetryInfo. */
bool pipa_retry_is_retryable(int grpc_code, bool has_delay);

/* Is this failure of a connection (a negative errno of pipa_grpc_call() or pipa_post()) final? */
bool pipa_retry_is_final(int rc);

/* Return how long to wait before attempt `n` + 1, n from 1; `random` is any number. */
uint64_t pipa_retry_backoff_ns(unsigned int n, uint64_t random);

/*
 * Sleep between attempt `n` and the next. `demanded_ns` is the delay that the server demands, NULL: none. 0: try again.
 * -ETIMEDOUT, at once: the delay does not end before until_ns or the limit of `stop`. -EINTR: the limit of `stop` was
 * brought forward during the sleep. `stop` may be NULL.
 */
int pipa_retry_wait(struct pipa_stop *stop, unsigned int n, const uint64_t *demanded_ns,
		    uint64_t until_ns);

#endif
