/*
 * Raw values of kernel files: the current and the previous reading. There is one row per instance
 * (CPU, disk, interface; one unnamed row if there is only one instance) and a fixed number of
 * fields per row.
 *
 * A reading calls pipa_raw_begin(), pipa_raw_put() for each row, and pipa_raw_end(). Several files
 * may fill one row. Files list rows in the same order each time, so a row is normally found with
 * one string comparison. Memory is allocated only for new instances.
 */
#ifndef PIPA_KERNEL_TEXT_RAW_H
#define PIPA_KERNEL_TEXT_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counter.h"

enum { PIPA_RAW_NAME = 128 };

#define PIPA_RAW_MISSING PIPA_COUNTER_MISSING /* the file of this kernel lacks the field */

struct pipa_raw_row {
	char name[PIPA_RAW_NAME];
	uint64_t seen;	    /* number of the last reading that contained this row */
	bool known;	    /* an earlier reading contained the row, so a delta exists */
	size_t ticks;	    /* number of readings in the sum */
	unsigned char mark; /* for use by the caller; 0 in a new row */
};

struct pipa_raw {
	size_t fields;
	struct pipa_raw_row *rows;
	uint64_t *now, *previous; /* fields x rows each */
	uint64_t *grown;	  /* delta from previous to now */
	uint64_t *total;	  /* sum of all deltas: correct if a counter wraps or is reset */
	double *sum;		  /* sum of all readings except the first, for pipa_raw_mean() */
	size_t n, cap;
	size_t next;   /* index at which the next pipa_raw_put() looks first */
	uint64_t tick; /* number of the current reading */
	/*
	 * Rows are CPUs. The row of a CPU that goes offline is kept; its deltas continue when the
	 * CPU comes online again. Row 0, "all", is the sum of the deltas of the online CPUs.
	 */
	bool cpus;
	bool older; /* a new row can have a nonzero start value: its first reading has no delta */
	/* Compute the deltas of a row; NULL: pipa_counter_delta() for each field. */
	void (*grow)(const uint64_t *previous, const uint64_t *now, uint64_t *grown);
	int status; /* 0, or -ENOMEM: rows of this reading are missing */
};

void pipa_raw_init(struct pipa_raw *raw, size_t fields);
void pipa_raw_done(struct pipa_raw *raw);

/* Begin a reading: the current values become the previous ones. */
void pipa_raw_begin(struct pipa_raw *raw);

/*
 * Find or add a row and return its fields, which the caller fills in. The first call for a row in
 * a reading sets all fields to PIPA_RAW_MISSING. NULL on allocation failure. Valid until the next
 * call.
 */
uint64_t *pipa_raw_put(struct pipa_raw *raw, const char *name, size_t len);

/* End a reading: compute deltas, and remove rows that the reading did not contain. */
void pipa_raw_end(struct pipa_raw *raw);

/* Does the current reading contain the row? False for a CPU that is offline. */
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
 * Return the deltas of a row's fields in this interval; for a row that appeared after the first
 * reading, the values themselves.
 */
static inline const uint64_t *pipa_raw_delta(const struct pipa_raw *raw, size_t row)
{
	return &raw->grown[row * raw->fields];
}

/*
 * Return the deltas since the first reading. A field that was missing in any interval is
 * PIPA_RAW_MISSING.
 */
static inline const uint64_t *pipa_raw_total(const struct pipa_raw *raw, size_t row)
{
	return &raw->total[row * raw->fields];
}

/* Compute the rounded means of a row's fields over all readings except the first. */
void pipa_raw_mean(const struct pipa_raw *raw, size_t row, uint64_t *ret);

#endif
