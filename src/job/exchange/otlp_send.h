/* Send a profile as OTLP requests of limited size, and report what was delivered. */
#ifndef PIPA_JOB_EXCHANGE_OTLP_SEND_H
#define PIPA_JOB_EXCHANGE_OTLP_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_error;
struct pipa_log;
struct pipa_otlp_format;
struct pipa_otlp_options;
struct pipa_profile;

struct pipa_otlp_send_options {
	const struct pipa_otlp_options *endpoint;
	const struct pipa_otlp_format *format; /* its from and until are not used */
	uint64_t retry_ns;		       /* limit of all attempts of a request; 0: 30 s */
	bool owns_process; /* SIGINT, SIGTERM and SIGHUP end it, with 5 s to deliver the rest */
	const struct pipa_log *log;
};

/*
 * Send all samples. 0 if the server accepted everything; a note has the number of requests and bytes. Else a negative
 * errno with err filled, which has the number of delivered samples: -EINTR after a signal, -EREMOTEIO if the server
 * rejected profiles, otherwise that of pipa_otlp_send().
 */
int pipa_otlp_send_profile(const struct pipa_otlp_send_options *options,
			   const struct pipa_profile *profile, struct pipa_error *err);

#endif
