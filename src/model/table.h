/*
 * Series table: a time column and value columns of the same length, each with meaning, unit and
 * labels (section and instance). It is a sink of rows, or is filled by column.
 *
 * Intervals are sorted by their end, which is unique; rows may come in any time order. Appending
 * is cheap, inserting moves what follows. Missing values are NaN in a column of numbers,
 * PIPA_COUNTER_MISSING in one of totals.
 */
#ifndef PIPA_MODEL_TABLE_H
#define PIPA_MODEL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "model/series.h"

enum pipa_type {
	PIPA_TYPE_NUMBER,  /* double: a state, a share, a rate of the tick */
	PIPA_TYPE_COUNTER, /* uint64_t: a running total at the tick's end */
};

struct pipa_table_column {
	const struct pipa_section *section; /* whose column it is; borrowed */
	const char *id, *name;		    /* as in struct pipa_column; borrowed */
	enum pipa_unit unit;
	int digits;
	enum pipa_type type;
	char *instance; /* owned; "" where there is only one */

	size_t slot; /* which of its section's columns */
	union {
		double *numbers;
		uint64_t *counters;
	};
};

struct pipa_table {
	struct pipa_series_sink sink; /* rows go here */
	size_t max_ticks;	      /* beyond it the oldest are forgotten, columns with nothing
					 left too; 0: all are kept */
	size_t max_bytes;	      /* of values: -EFBIG instead of more; 0: 1 GiB */

	uint64_t *wall_ns;  /* when each tick ended */
	double *interval_s; /* and how long it was, 0 when unknown */
	size_t n_ticks, cap_ticks;
	struct pipa_table_column *items;
	size_t n, cap;
	size_t next;	    /* column at which the next row's probably start */
	uint64_t forgotten; /* ticks */
};

/* Empty; the caller sets the bounds. The table must not move while its sink is in use. */
void pipa_table_init(struct pipa_table *table);
void pipa_table_done(struct pipa_table *table);

/* The tick that ends then, made if it is not there: its index or a negative errno. */
ptrdiff_t pipa_table_add_tick(struct pipa_table *table, uint64_t wall_ns, double interval_s);

/*
 * A column like the given one, with a copy of its instance and without its values: all missing. Its
 * index or a negative errno. Columns keep their index until the oldest ticks are forgotten.
 */
ptrdiff_t pipa_table_add_column(struct pipa_table *table, const struct pipa_table_column *like);

/* The column with this id (or sysstat's name) of that instance, -ENOENT if there is none. */
ptrdiff_t pipa_table_find(const struct pipa_table *table, const char *id, const char *instance);

/* What is there as a number; NaN when it is missing. */
double pipa_table_number(const struct pipa_table *table, size_t column, size_t tick);

static inline void pipa_table_done_auto(struct pipa_table *table)
{
	pipa_table_done(table);
}

#endif
