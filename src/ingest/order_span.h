/*
 * Range of record orders (times, see struct pipa_rec_id) in which the result of a lookup by time
 * stays valid, so that a caller may cache it.
 */
#ifndef PIPA_INGEST_ORDER_SPAN_H
#define PIPA_INGEST_ORDER_SPAN_H

#include <stdint.h>

struct pipa_order_span {
	uint64_t first, last;
};

#define PIPA_ORDER_ALWAYS ((struct pipa_order_span){ 0, UINT64_MAX })

static inline void pipa_order_span_from(struct pipa_order_span *span, uint64_t order)
{
	span->first = order > span->first ? order : span->first;
}

static inline void pipa_order_span_before(struct pipa_order_span *span, uint64_t order)
{
	span->last = order - 1 < span->last ? order - 1 : span->last;
}

#endif
