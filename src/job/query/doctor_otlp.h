/* Check whether a server receives OTLP profiles, and by which protocols. */
#ifndef PIPA_JOB_QUERY_DOCTOR_OTLP_H
#define PIPA_JOB_QUERY_DOCTOR_OTLP_H

#include <stdbool.h>

struct pipa_buf;
struct pipa_error;
struct pipa_log;
struct pipa_otlp_options;

struct pipa_doctor_otlp_options {
	const struct pipa_otlp_options *endpoint;
	const char *version; /* of pipa */
	bool json, color;
	const struct pipa_log *log;
};

/*
 * Send an empty request by each protocol, or by the one that is given, and append a finding each. No profile is sent.
 * *ret_usable: one protocol works.
 */
int pipa_doctor_otlp(const struct pipa_doctor_otlp_options *options, struct pipa_buf *out,
		     bool *ret_usable, struct pipa_error *err);

#endif
