/*
 * Series table: a time column and value columns of the same length, each with its column
 * description and labels (section and instance). It is a sink of rows, or is filled by column.
 *
 * Intervals are sorted by their end, which is unique; rows may come in any time order. Appending is
 * cheap, inserting moves all later values. Missing values are NaN in a column of numbers,
 * PIPA_COUNTER_MISSING in a column of counters.
 */
#ifndef PIPA_MODEL_TABLE_H
#define PIPA_MODEL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "model/series.h"

enum pipa_type {
	PIPA_TYPE_NUMBER,  /* double: a state, share or rate of the interval */
	PIPA_TYPE_COUNTER, /* uint64_t: a running total at the end of the interval */
};

struct pipa_table_column {
	const struct pipa_section *section; /* section of the column; borrowed */
	const char *id, *name;		    /* as in struct pipa_column; borrowed */
	enum pipa_unit unit;
	int digits;
	enum pipa_type type;
	char *instance; /* owned; "" for a single instance */

	size_t slot; /* index in the section's columns */
	union {
		double *numbers;
		uint64_t *counters;
	};
};

struct pipa_table {
	struct pipa_series_sink sink; /* receives rows */
	size_t max_ticks; /* limit: then the oldest are dropped, and columns without values; 0: none */
	size_t max_bytes; /* limit of the values' size: -EFBIG beyond it; 0: 1 GiB */

	uint64_t *wall_ns;  /* end of each interval */
	double *interval_s; /* length of each interval, 0: unknown */
	size_t n_ticks, cap_ticks;
	struct pipa_table_column *items;
	size_t n, cap;
	size_t next;	    /* likely first column of the next row */
	uint64_t forgotten; /* number of dropped intervals */
};

/*
 * Initialize an empty table; the caller sets the limits. The table must not move while its sink is
 * in use.
 */
void pipa_table_init(struct pipa_table *table);
void pipa_table_done(struct pipa_table *table);

/*
 * Return the index of the interval that ends at that time, adding it if missing; or a negative
 * errno.
 */
ptrdiff_t pipa_table_add_tick(struct pipa_table *table, uint64_t wall_ns, double interval_s);

/*
 * Add a column like the given one with all values missing; the instance is copied. Returns its
 * index, which is valid until the oldest intervals are dropped, or a negative errno.
 */
ptrdiff_t pipa_table_add_column(struct pipa_table *table, const struct pipa_table_column *like);

/* Find a column by id (or sysstat's name) and instance. Returns its index or -ENOENT. */
ptrdiff_t pipa_table_find(const struct pipa_table *table, const char *id, const char *instance);

/* Return a value as a double; NaN if it is missing. */
double pipa_table_number(const struct pipa_table *table, size_t column, size_t tick);

static inline void pipa_table_done_auto(struct pipa_table *table)
{
	pipa_table_done(table);
}

#endif
