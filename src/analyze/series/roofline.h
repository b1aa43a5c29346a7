/*
 * Points of the roofline model (Williams, Waterman and Patterson, 2009) from counters: floating-point
 * operations and bytes of memory traffic per interval.
 */
#ifndef PIPA_ANALYZE_SERIES_ROOFLINE_H
#define PIPA_ANALYZE_SERIES_ROOFLINE_H

#include <stddef.h>

#include "model/series_set.h"

struct pipa_roofline_events {
	size_t flops; /* number of rows of events that count operations */
	size_t bytes; /* and memory traffic */
};

/*
 * Sum the operations and bytes of a group of counters in n intervals from interval `from` on; NaN where
 * no event was counted. The first of these sources of traffic is used: the memory controllers, cache
 * lines that missed the last-level cache. 0 or -ENOMEM.
 */
int pipa_roofline_read(const struct pipa_series_set *set, size_t group, size_t from, size_t n,
		       double *ret_flops, double *ret_bytes,
		       struct pipa_roofline_events *ret_events);

/* Return the events that would count operations, or bytes, for a message. */
const char *pipa_roofline_flop_events(void);
const char *pipa_roofline_byte_events(void);

#endif
