/* Check what works on this machine and what to do about the rest. */
#ifndef PIPA_JOB_QUERY_DOCTOR_H
#define PIPA_JOB_QUERY_DOCTOR_H

#include <stdbool.h>

struct pipa_buf;
struct pipa_error;
struct pipa_host;

struct pipa_doctor_options {
	bool json;
	bool color;
};

/* Run all checks. *ret_usable is false if not even the user's own processes can be counted. */
int pipa_doctor_run(const struct pipa_host *host, const struct pipa_doctor_options *options,
		    struct pipa_buf *out, bool *ret_usable, struct pipa_error *err);

#endif
