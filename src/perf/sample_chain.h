/*
 * Rewrite a sample with another call chain and without user registers and stack dump. All other
 * bytes stay unchanged.
 */
#ifndef PIPA_PERF_SAMPLE_CHAIN_H
#define PIPA_PERF_SAMPLE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/attr.h"

struct pipa_buf;
struct pipa_perf_raw;

/*
 * Set the attr of an event whose samples are unwound: clear PERF_SAMPLE_STACK_USER but keep
 * sample_stack_user, by which pipa_perf_attr_is_unwound() detects such events.
 */
void pipa_perf_attr_unwound(struct perf_event_attr *attr);

bool pipa_perf_attr_is_unwound(const struct perf_event_attr *attr);

/*
 * Rewrite a record of an event with call chains in host byte order, writing as many words as fit.
 * 0, or -EBADMSG if the content of the record exceeds its size; then nothing is written.
 */
int pipa_perf_put_unwound(struct pipa_buf *out, const struct perf_event_attr *attr,
			  const struct pipa_perf_raw *raw, const uint64_t *words, size_t n);

#endif
