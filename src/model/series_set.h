/*
 * Series of any length in little memory: the rows of several sources, by section and instance, as
 * compressed columns (model/series_blocks.h). It is filled through sinks and read by column.
 *
 * A group has the rows of one section of one source. Its axis is the list of interval ends, in
 * ascending order; groups of a source with the same intervals share it. Row values start at the
 * row's first interval and are missing where the instance had none.
 *
 * Blocks have PIPA_BLOCK_VALUES values, except the last one of a row and, in rows that were continued by
 * another source (pipa_series_append()), the last ones before.
 *
 * Rows that are not later than the last interval of their group, or repeat an instance within it,
 * are dropped and counted: the first of equal times is kept.
 */
#ifndef PIPA_MODEL_SERIES_SET_H
#define PIPA_MODEL_SERIES_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"
#include "model/series.h"
#include "model/series_blocks.h"

/* The clock of a source's times. */
enum pipa_series_clock {
	PIPA_CLOCK_UTC,	    /* the machine's wall clock */
	PIPA_CLOCK_ELAPSED, /* seconds since an unknown start, placed at 1970 */
	PIPA_CLOCK_ASSUMED, /* seconds since a start that was derived from another source */
};

struct pipa_series_axis {
	uint64_t *wall_ns; /* end of each interval, ascending */
	float *interval_s; /* length of each interval, 0: unknown */
	size_t n, cap;
};

struct pipa_series_row {
	const char *instance; /* name, then the words of its first row, each with its NUL */
	size_t first;	      /* interval of the first value */
	size_t n;	      /* number of values per column */
	struct pipa_series_blocks {
		struct pipa_block *items;
		size_t n, cap;
	} * columns; /* [n_columns of the section] */
	/*
	 * Values that are not compressed yet, by row: doubles, or hundredths in the first half of the memory. NULL
	 * after finish.
	 */
	void *staged;
	size_t n_staged, cap_staged; /* rows of doubles */
	bool has_hundredths;
	bool is_joined; /* has shorter blocks before the last one */
};

struct pipa_series_group {
	const struct pipa_section *section; /* borrowed */
	size_t source, axis;		    /* indexes in the set */
	size_t n_ticks;			    /* intervals of the axis that the group has */
	struct pipa_series_row *items;
	size_t n, cap;
	struct pipa_index index; /* rows by instance */
	size_t next;		 /* expected row */

	uint64_t duplicates,
		backwards; /* dropped rows: of an interval that has them, of earlier ones */
	uint64_t first_duplicate_ns, first_backward_ns;
	uint64_t suspended; /* intervals in which the machine was suspended */
	uint64_t late;	    /* intervals that the collector missed */
};

struct pipa_series_source {
	char *name; /* owned: path and member */
	enum pipa_series_clock clock;
};

/* A restart in a source. */
struct pipa_series_restart {
	size_t source;
	struct pipa_restart restart;
};

struct pipa_series_set {
	size_t max_bytes; /* limit of the memory: -EFBIG beyond it; 0: 1 GiB */

	struct {
		struct pipa_series_source *items;
		size_t n, cap;
	} sources;
	struct {
		struct pipa_series_axis *items;
		size_t n, cap;
	} axes;
	struct {
		struct pipa_series_group *items;
		size_t n, cap;
	} groups;
	struct {
		struct pipa_series_restart *items;
		size_t n, cap;
	} restarts;
	struct pipa_arena arena; /* blocks and instances */
	size_t bytes;		 /* memory outside of the arena */
	uint64_t values;	 /* number of values, without missing ones */
};

/* One column of one instance. */
struct pipa_series_ref {
	size_t group, row, column;
};

/* A sink that adds rows as those of one source. */
struct pipa_series_feed {
	struct pipa_series_sink sink;
	struct pipa_series_set *set;
	size_t source;
	size_t group;	     /* of the last row */
	uint64_t restart_ns; /* last restart that was noted */
};

void pipa_series_set_done(struct pipa_series_set *set);

/* Add a source; the name is copied. Returns its index or -ENOMEM. */
ptrdiff_t pipa_series_set_add_source(struct pipa_series_set *set, const char *name,
				     enum pipa_series_clock clock);

/* Initialize the sink of a source; it must not move while in use. */
void pipa_series_feed_init(struct pipa_series_feed *feed, struct pipa_series_set *set,
			   size_t source);

/* Return the end of the first and of the last interval of a source; false if it has none. */
bool pipa_series_bounds(const struct pipa_series_set *set, size_t source, uint64_t *ret_first_ns,
			uint64_t *ret_last_ns);

/*
 * Continue a source by the series of another one: the rows of equal sections and instances become one. All
 * intervals of the other one must be later. `from` is another set, or the same one; the source `other` has no
 * groups afterwards. Both are unfinished. 0, -ENOMEM, or -EFBIG beyond the limit of memory.
 */
int pipa_series_append(struct pipa_series_set *set, size_t source, struct pipa_series_set *from,
		       size_t other);

/* Compress the last values and free the memory for adding rows. 0 or -ENOMEM. */
int pipa_series_set_finish(struct pipa_series_set *set);

/* Return the memory in use. */
size_t pipa_series_set_bytes(const struct pipa_series_set *set);

/*
 * Find a column by id ("cpu.usr") and instance ("" for a section with one), of any source, the
 * first that has values. 0 or -ENOENT.
 */
int pipa_series_find(const struct pipa_series_set *set, const char *id, const char *instance,
		     struct pipa_series_ref *ret);

/* Find the row of an instance in a group. Returns its index or -ENOENT. */
ptrdiff_t pipa_series_find_row(const struct pipa_series_group *group, const char *instance);

/*
 * Read the values of n intervals of the axis, from interval `from` on; NaN where the series has
 * none. The set must be finished.
 */
void pipa_series_read(const struct pipa_series_set *set, struct pipa_series_ref ref, size_t from,
		      size_t n, double *ret);

static inline const struct pipa_series_axis *pipa_series_axis_of(
	const struct pipa_series_set *set, const struct pipa_series_group *group)
{
	return &set->axes.items[group->axis];
}

static inline void pipa_series_set_done_auto(struct pipa_series_set *set)
{
	pipa_series_set_done(set);
}

#endif
