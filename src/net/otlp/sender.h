/*
 * Send OTLP profiles on a thread of its own, through a bounded queue: the caller never waits for the server.
 */
#ifndef PIPA_NET_OTLP_SENDER_H
#define PIPA_NET_OTLP_SENDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pipa_otlp_endpoint;
struct pipa_otlp_sender;

struct pipa_otlp_sender_options {
	const struct pipa_otlp_endpoint *endpoint; /* borrowed until the sender is freed */
	const char *version;			   /* of pipa */
	size_t max_requests;			   /* in the queue */
	size_t max_bytes;			   /* of their payloads */
	uint64_t retry_ns;			   /* longest time of the attempts of one request */
};

/* Each request is counted once as delivered, refused, dropped or undelivered. */
struct pipa_otlp_counts {
	uint64_t delivered;
	uint64_t delivered_samples;
	uint64_t refused;     /* the server did not accept it, or not in time */
	uint64_t dropped;     /* the queue was full */
	uint64_t undelivered; /* not sent before the deadline of pipa_otlp_sender_finish() */
	uint64_t attempts;
	uint64_t wire_bytes;	    /* of delivered requests */
	uint64_t rejected_profiles; /* of delivered requests */
	char message[200];	    /* last message of a server that accepted a request, or "" */
	struct pipa_error err;	    /* last failure; code 0: none */
};

/* Start the thread. */
int pipa_otlp_sender_start(const struct pipa_otlp_sender_options *options,
			   struct pipa_otlp_sender **ret, struct pipa_error *err);

/*
 * Queue a payload that contains `samples` samples. Takes ownership of `payload`, memory of malloc(3), in every case.
 * -ENOBUFS if the queue is full: the payload is dropped and counted. Takes microseconds. Any thread may call it.
 */
int pipa_otlp_sender_put(struct pipa_otlp_sender *sender, void *payload, size_t len,
			 uint64_t samples);

/* Return the counts so far. */
void pipa_otlp_sender_counts(struct pipa_otlp_sender *sender, struct pipa_otlp_counts *ret);

/*
 * Deliver the queue until until_ns of pipa_clock_ns() at most, then end the thread. Retries end there too.
 */
void pipa_otlp_sender_finish(struct pipa_otlp_sender *sender, uint64_t until_ns,
			     struct pipa_otlp_counts *ret);

/* Bring the deadline of pipa_otlp_sender_finish() forward, also before it is called. */
void pipa_otlp_sender_hurry(struct pipa_otlp_sender *sender, uint64_t until_ns);

/* Stop at once and free. Requests in the queue are lost, unless pipa_otlp_sender_finish() was called. */
void pipa_otlp_sender_free(struct pipa_otlp_sender *sender);

#endif
