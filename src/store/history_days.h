/* Names and expiry of history files, one per day. Pure: no disk, no clock. */
#ifndef PIPA_STORE_HISTORY_DAYS_H
#define PIPA_STORE_HISTORY_DAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIPA_HISTORY_NAME_SIZE = 32 };

struct pipa_history_day {
	int64_t day; /* since 1970-01-01, by the calendar */
	uint64_t size;
	bool expired;
};

/* The day of a moment, in local time. */
int64_t pipa_history_day_of(uint64_t wall_ns);

/* The first moment of a day, in local time. */
uint64_t pipa_history_day_start(int64_t day);

/* "pipa-2026-11-15.pmh" */
void pipa_history_day_name(int64_t day, char name[static PIPA_HISTORY_NAME_SIZE]);

/* The day of such a name; false: it is not a such name. */
bool pipa_history_day_parse(const char *name, int64_t *ret);

/* "2026-11-15", or "-1": that many days before today. -EINVAL. */
int pipa_history_day_read(const char *text, int64_t today, int64_t *ret);

/*
 * Mark the files that are to go: those of more than keep_days before today and, with a max_size, the
 * oldest until the rest and `more` bytes fit. The file of today stays. Returns whether it fits now.
 */
bool pipa_history_days_expire(struct pipa_history_day *days, size_t n, int64_t today,
			      uint64_t keep_days, uint64_t max_size, uint64_t more);

#endif
