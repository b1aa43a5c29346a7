/*
 * Numbers as the kernel's files give them, two readings deep: a row per instance (CPU, disk, interface;
 * one nameless row where there is only one), a fixed number of fields per row.
 *
 * A tick is begin, put for every row that is there, end. Several files may fill one row. Rows come in
 * the same order every time, so finding one is a comparison; nothing is allocated once every instance
 * has been seen.
 */
#ifndef PIPA_KERNEL_RAW_H
#define PIPA_KERNEL_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIPA_RAW_NAME = 64 };

#define PIPA_RAW_MISSING UINT64_MAX /* a field that this kernel's file does not have */

struct pipa_raw_row {
	char name[PIPA_RAW_NAME];
	uint64_t seen;	    /* the tick it was last put in */
	bool known;	    /* was there a tick before: now and previous can be compared */
	size_t ticks;	    /* readings in its sum */
	bool settled;	    /* its first reading is kept */
	unsigned char mark; /* what the reader found out about it; 0 when it has just appeared */
};

struct pipa_raw {
	size_t fields;
	struct pipa_raw_row *rows;
	uint64_t *now, *previous; /* fields x rows each */
	uint64_t *first;	  /* growth over the whole time: as it was first seen, or zero where
				     it came later and counts from zero */
	double *sum;		  /* of all readings but the first: means over the whole time */
	size_t n, cap;
	size_t next; /* where the row after the last one put should be */
	uint64_t tick;
	bool resumes; /* a row that comes back goes on counting where it was: CPUs */
	int status;   /* 0, or -ENOMEM: some rows of this tick are missing */
};

void pipa_raw_init(struct pipa_raw *raw, size_t fields);
void pipa_raw_done(struct pipa_raw *raw);

void pipa_raw_begin(struct pipa_raw *raw);

/*
 * The fields of a row to fill in, all missing when it is first put in a tick; NULL without memory. A
 * loan until the next put.
 */
uint64_t *pipa_raw_put(struct pipa_raw *raw, const char *name, size_t len);

/* Rows that were not put have vanished and are dropped; those that follow keep their order. */
void pipa_raw_end(struct pipa_raw *raw);

static inline const uint64_t *pipa_raw_now(const struct pipa_raw *raw, size_t row)
{
	return &raw->now[row * raw->fields];
}

static inline const uint64_t *pipa_raw_previous(const struct pipa_raw *raw, size_t row)
{
	return &raw->previous[row * raw->fields];
}

/* The mean of a row's fields over all ticks into ret, rounded. */
void pipa_raw_mean(const struct pipa_raw *raw, size_t row, uint64_t *ret);

static inline const uint64_t *pipa_raw_first(const struct pipa_raw *raw, size_t row)
{
	return &raw->first[row * raw->fields];
}

#endif
