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

/* Return the local day of a time. */
int64_t pipa_history_day_of(uint64_t wall_ns);

/* Return the start of a local day. */
uint64_t pipa_history_day_start(int64_t day);

/* Format the name of a day's file: "pipa-2026-11-15.pmh". */
void pipa_history_day_name(int64_t day, char name[static PIPA_HISTORY_NAME_SIZE]);

/* Parse the name of a file; false if it is not that of a history. */
bool pipa_history_day_parse(const char *name, int64_t *ret);

/* Parse "2026-11-15", or "-1": that many days before today. 0 or -EINVAL. */
int pipa_history_day_read(const char *text, int64_t today, int64_t *ret);

/*
 * Mark the files to delete: those older than keep_days and, with a max_size, the oldest until the
 * rest and `more` bytes fit. The file of today is never marked. Returns whether the size fits now.
 */
bool pipa_history_days_expire(struct pipa_history_day *days, size_t n, int64_t today,
			      uint64_t keep_days, uint64_t max_size, uint64_t more);

#endif
