/*
 * Convert wall-clock time without the C library, whose localtime() and gmtime() read the zone
 * file. A zone is a table of offsets, made once by base/time/local_zone; NULL is UTC.
 */
#ifndef PIPA_BASE_TIME_ZONE_H
#define PIPA_BASE_TIME_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"

struct pipa_zone_shift {
	int64_t at_s; /* from this second since 1970 on */
	int offset_s; /* local time less UTC */
};

/* Sorted by time; the first holds for all time before it too. Empty: UTC. */
struct pipa_zone {
	struct pipa_zone_shift *items;
	size_t n, cap;
};

void pipa_zone_done(struct pipa_zone *zone);

/* Append a shift that is later than the others; one that changes nothing is left out. */
int pipa_zone_add(struct pipa_zone *zone, int64_t at_s, int offset_s);

int pipa_zone_offset(const struct pipa_zone *zone, int64_t utc_s);

/*
 * A local second since 1970 back to UTC. An hour that happens twice means its first time, one that is
 * skipped counts on from before.
 */
int64_t pipa_zone_utc(const struct pipa_zone *zone, int64_t local_s);

struct pipa_date {
	int year, month, day; /* month and day from 1 */
	int hour, minute, second;
};

/* The proleptic Gregorian calendar without leap seconds, years 1 to 9999. */
struct pipa_date pipa_date_at(int64_t seconds);
int64_t pipa_date_seconds(const struct pipa_date *date);

/*
 * Parse "2026-11-15 03:03:18" at the start of text: returns the characters used, 0 if it is not a
 * date.
 */
size_t pipa_date_parse(const char *text, struct pipa_date *ret);

static inline void pipa_zone_done_auto(struct pipa_zone *zone)
{
	pipa_zone_done(zone);
}

#endif
