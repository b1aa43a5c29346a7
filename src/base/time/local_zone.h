/* Load the local time zone (TZ, or the system's) from the C library, once. */
#ifndef PIPA_BASE_TIME_LOCAL_ZONE_H
#define PIPA_BASE_TIME_LOCAL_ZONE_H

#include <stdint.h>

struct pipa_error;
struct pipa_zone;

/* Fill an empty zone with the offsets between two moments, seconds since 1970. */
int pipa_local_zone_load(struct pipa_zone *zone, int64_t from_s, int64_t until_s,
			 struct pipa_error *err);

#endif
