/*
 * Record, and send the samples as OTLP profiles meanwhile.
 *
 * Three threads: the one that drains the rings copies each record into a queue in memory; a second one makes profiles of
 * them, symbolizes and encodes; a third one (net/otlp/sender.h) sends. None waits for a later one. Losses at a full queue
 * are counted.
 */
#ifndef PIPA_JOB_EXCHANGE_RECORD_SEND_H
#define PIPA_JOB_EXCHANGE_RECORD_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_error;
struct pipa_host;
struct pipa_otlp_options;
struct pipa_record_options;
struct pipa_record_outcome;

enum { PIPA_RECORD_SEND_INTERVAL_S = 60, PIPA_RECORD_SEND_PROFILES = 100 };

struct pipa_record_send_options {
	const struct pipa_otlp_options *endpoint;
	uint64_t interval_ns; /* between two batches; 0: PIPA_RECORD_SEND_INTERVAL_S */
	/* profiles after which a batch is sent earlier, but not within a second; 0: the default */
	uint64_t batch_profiles;
	uint64_t
		retry_ns; /* limit of all attempts of a request, and of the rest at the end; 0: 30 s */
	bool times;	  /* send the time of each sample */
	const char *version; /* of pipa */
};

struct pipa_record_sent {
	bool is_recorded; /* the recording has succeeded: only sending can have failed */
	/* a thread did not end in time and still runs: end the process without exit handlers */
	bool is_abandoned;
	char url[512];
	uint64_t samples;  /* delivered */
	uint64_t requests; /* delivered */
	uint64_t wire_bytes;
	uint64_t undelivered; /* samples that were recorded and not delivered, for any reason */
};

/*
 * Record as pipa_record_run() does, and send. After the recording the rest is delivered until the limit; within 5 s after
 * a signal, and not at all after a second one. Returns the result of the recording if that failed; else 0, or a negative errno with err
 * filled if samples were not delivered: -EINTR after a signal, -EREMOTEIO if the server refused them or rejected
 * profiles. Both outcomes are filled in either case.
 */
int pipa_record_send_run(const struct pipa_host *host, const struct pipa_record_options *record,
			 const struct pipa_record_send_options *options,
			 struct pipa_record_outcome *ret, struct pipa_record_sent *ret_sent,
			 struct pipa_error *err);

#endif
