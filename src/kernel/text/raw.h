/*
 * Raw numbers of the kernel's files, two readings deep: a row per instance (CPU, disk, interface;
 * one unnamed row if there is only one), a fixed number of fields per row.
 *
 * A reading is begin, put for each row, end. Several files may fill one row. Rows come in the same
 * order each time, so that finding one is a comparison; nothing is allocated once every instance
 * is known.
 */
#ifndef PIPA_KERNEL_TEXT_RAW_H
#define PIPA_KERNEL_TEXT_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counter.h"

enum { PIPA_RAW_NAME = 128 };

#define PIPA_RAW_MISSING PIPA_COUNTER_MISSING /* a field that this kernel's file does not have */

struct pipa_raw_row {
	char name[PIPA_RAW_NAME];
	uint64_t seen;	    /* the tick it was last put in */
	bool known;	    /* was there a tick before: now and previous can be compared */
	size_t ticks;	    /* readings in its sum */
	unsigned char mark; /* set by the reader; 0 if it has just appeared */
};

struct pipa_raw {
	size_t fields;
	struct pipa_raw_row *rows;
	uint64_t *now, *previous; /* fields x rows each */
	uint64_t *grown;	  /* from previous to now */
	uint64_t *total;	  /* sum of all deltas: a counter may wrap or be reset meanwhile */
	double *sum;		  /* of all readings but the first: means over the whole time */
	size_t n, cap;
	size_t next; /* where the row after the last one put should be */
	uint64_t tick;
	/*
	 * Rows are CPUs. One that goes is kept, unseen, and goes on counting where it was when it
	 * comes back. The row "all", the first, grows by what those grow that are there.
	 */
	bool cpus;
	bool older; /* a new row may have counted for long: its first reading has no delta */
	/* how a row grows; NULL: every field by pipa_counter_delta() */
	void (*grow)(const uint64_t *previous, const uint64_t *now, uint64_t *grown);
	int status; /* 0, or -ENOMEM: some rows of this tick are missing */
};

void pipa_raw_init(struct pipa_raw *raw, size_t fields);
void pipa_raw_done(struct pipa_raw *raw);

void pipa_raw_begin(struct pipa_raw *raw);

/*
 * Return the fields of a row to fill in, all missing when it is first put in a reading; NULL on
 * allocation failure. Valid until the next put.
 */
uint64_t *pipa_raw_put(struct pipa_raw *raw, const char *name, size_t len);

/* Rows that were not put have vanished and are dropped; those that follow keep their order. */
void pipa_raw_end(struct pipa_raw *raw);

/* False for a CPU that is offline: its row is kept but not to be shown. */
static inline bool pipa_raw_is_here(const struct pipa_raw *raw, size_t row)
{
	return raw->rows[row].seen == raw->tick;
}

static inline const uint64_t *pipa_raw_now(const struct pipa_raw *raw, size_t row)
{
	return &raw->now[row * raw->fields];
}

static inline const uint64_t *pipa_raw_previous(const struct pipa_raw *raw, size_t row)
{
	return &raw->previous[row * raw->fields];
}

/*
 * Return the deltas of a row's fields in this interval; the values themselves if it appeared after
 * the first.
 */
static inline const uint64_t *pipa_raw_delta(const struct pipa_raw *raw, size_t row)
{
	return &raw->grown[row * raw->fields];
}

/* Return the deltas since the first reading. Missing if it was missing in an interval. */
static inline const uint64_t *pipa_raw_total(const struct pipa_raw *raw, size_t row)
{
	return &raw->total[row * raw->fields];
}

/* The mean of a row's fields over all ticks into ret, rounded. */
void pipa_raw_mean(const struct pipa_raw *raw, size_t row, uint64_t *ret);

#endif
