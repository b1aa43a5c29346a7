/*
 * Select series of a set by metric and instance, and compute the ones that are not stored: cpi, ipc
 * and cpu.busy, and the counts of an event by its name.
 */
#ifndef PIPA_ANALYZE_SERIES_METRIC_SELECT_H
#define PIPA_ANALYZE_SERIES_METRIC_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/series_set.h"

struct pipa_hardware;
struct pipa_nearest;
struct pipa_time_grid;

enum pipa_metric_formula {
	PIPA_FORMULA_COLUMN,	/* a */
	PIPA_FORMULA_RATIO,	/* a / b */
	PIPA_FORMULA_REMAINDER, /* 100 - a */
};

struct pipa_metric_series {
	const char *metric; /* id of the column, or name of the computed metric; borrowed */
	char *instance;	    /* "" for a section with a single one; owned */
	enum pipa_unit unit;
	enum pipa_metric_formula formula;
	struct pipa_series_ref a, b;
};

struct pipa_metric_list {
	struct pipa_metric_series *items;
	size_t n, cap;
};

/* Which instances of a section to select if no list is given. */
enum pipa_metric_instances {
	PIPA_INSTANCES_ALL,
	PIPA_INSTANCES_TOTAL, /* the sum of all CPUs where there is one, else all */
	PIPA_INSTANCES_EACH,  /* all but the sum */
};

struct pipa_metric_choice {
	const char *instances; /* list of instance_filter.h, or NULL */
	enum pipa_metric_instances otherwise;
	const struct pipa_hardware *hardware; /* with the NUMA nodes, or NULL */
};

/*
 * Append the series that a name selects: an id of a column or a glob of it, sysstat's name, an alias, a
 * computed metric, or an event. In a group they are ordered by instance. Returns the number of columns
 * and formulas that have the name, whatever their instances, or -ENOMEM. The metric of an event is the
 * name itself.
 */
ptrdiff_t pipa_metric_select(const struct pipa_series_set *set, const char *name,
			     const struct pipa_metric_choice *choice,
			     struct pipa_metric_list *list);
void pipa_metric_list_done(struct pipa_metric_list *list);

/* Offer the names of all metrics of the set. */
void pipa_metric_offer(const struct pipa_series_set *set, struct pipa_nearest *near);

/* Return the axis of a series. */
const struct pipa_series_axis *pipa_metric_axis(const struct pipa_series_set *set,
						const struct pipa_metric_series *series);

/* Read n values from interval `from` on, impossible ones as NaN. 0 or -ENOMEM. */
int pipa_metric_read(const struct pipa_series_set *set, const struct pipa_metric_series *series,
		     size_t from, size_t n, double *ret);

/* Read the series onto a grid (align.h). 0 or -ENOMEM. */
int pipa_metric_align(const struct pipa_series_set *set, const struct pipa_metric_series *series,
		      const struct pipa_time_grid *grid, double *ret);

static inline void pipa_metric_list_done_auto(struct pipa_metric_list *list)
{
	pipa_metric_list_done(list);
}

#endif
