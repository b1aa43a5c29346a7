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
 * What such a sample's event says of it. The size of the stack stays in sample_stack_user, where it means
 * nothing without its bit of sample_type: so a reader can tell that it was unwound.
 */
void pipa_perf_attr_unwound(struct perf_event_attr *attr);

bool pipa_perf_attr_is_unwound(const struct perf_event_attr *attr);

/*
 * The record is of an event with call chains and of our own byte order; as many words as it has room
 * for are written. 0, or -EBADMSG when its content does not fit its size: then nothing is written.
 */
int pipa_perf_put_unwound(struct pipa_buf *out, const struct perf_event_attr *attr,
			  const struct pipa_perf_raw *raw, const uint64_t *words, size_t n);

#endif
