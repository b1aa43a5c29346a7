/* Encode the samples of a profile as OTLP requests of a size that receivers accept. */
#ifndef PIPA_JOB_EXCHANGE_OTLP_ENCODE_H
#define PIPA_JOB_EXCHANGE_OTLP_ENCODE_H

#include <stddef.h>

struct pipa_buf;
struct pipa_otlp_format;
struct pipa_profile;

/*
 * Encode *n samples of the profile from `from` on into `out`, which is emptied first; halve *n until the request is
 * small enough. `from` and `until` of the format are not used. 0, or a negative errno of pipa_otlp_write().
 */
int pipa_otlp_encode(const struct pipa_profile *profile, const struct pipa_otlp_format *format,
		     size_t from, size_t *n, struct pipa_buf *out);

#endif
