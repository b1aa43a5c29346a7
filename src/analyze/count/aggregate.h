/*
 * Sum counters to a report: the slots of each event by CPU, core, die, socket, node or thread,
 * event families into one line, with metrics.
 *
 * The layout (rows, and which slots and rows contribute to which) is computed once; an update only
 * adds and allocates nothing.
 */
#ifndef PIPA_ANALYZE_COUNT_AGGREGATE_H
#define PIPA_ANALYZE_COUNT_AGGREGATE_H

#include "model/count.h"
#include "model/event.h"
#include "model/stat.h"

struct pipa_aggr_table;
struct pipa_error;
struct pipa_metric_uses;

/* One event's counters. */
struct pipa_event_counts {
	const struct pipa_slot *slots;
	const struct pipa_count *counts; /* totals since the start */
	size_t n;
	bool supported;
};

struct pipa_aggr_input {
	const struct pipa_events *events;
	const struct pipa_event_counts *banks; /* one per event */
	enum pipa_aggr by;
	/* topology of each CPU; `by` may be anything but a thread */
	const struct pipa_stat_place *cpus;
	size_t n_cpus;
	const struct pipa_stat_place
		*tasks;		    /* tid and comm, in the order of the slots' task index */
	const char *const *cgroups; /* [cgroup index of an event] its name */
	const struct pipa_metric_uses *metrics; /* must outlive the table */
};

struct pipa_times {
	double elapsed_s, user_s, sys_s;
};

int pipa_aggr_new(const struct pipa_aggr_input *input, struct pipa_aggr_table **ret,
		  struct pipa_error *err);
void pipa_aggr_free(struct pipa_aggr_table *table);

/* Return the report, borrowed, which each update refreshes; the caller sets its global fields. */
struct pipa_stat *pipa_aggr_stat(struct pipa_aggr_table *table);

/* Fill the rows with totals or, with delta, the differences since the last update. */
void pipa_aggr_update(struct pipa_aggr_table *table, const struct pipa_event_counts *banks,
		      bool delta, const struct pipa_times *times);

/* Store the rows as one run; after the last run they become mean and spread. */
int pipa_aggr_keep_run(struct pipa_aggr_table *table, struct pipa_error *err);
void pipa_aggr_finish_runs(struct pipa_aggr_table *table);

static inline void pipa_aggr_free_auto(struct pipa_aggr_table **table)
{
	pipa_aggr_free(*table);
}

#endif
