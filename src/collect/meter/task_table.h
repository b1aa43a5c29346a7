/*
 * Two readings of the tasks, and totals of each task. Tasks are sorted, so that two readings are
 * matched in one pass; a reused PID is detected by its start time.
 */
#ifndef PIPA_COLLECT_METER_TASK_TABLE_H
#define PIPA_COLLECT_METER_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/process/task_stat.h"

enum { TASK_GROWTHS = TASK_FIELDS - TASK_GROWING };

struct pipa_task_history {
	uint64_t first[TASK_GROWTHS]; /* zero if the task started after the first reading */
	double sum[TASK_GROWING];     /* over all readings but the first */
	size_t ticks;		      /* readings in the sum */
	uint32_t next_free;
};

struct pipa_task_table {
	struct pipa_task_stats now, previous;
	struct {
		struct pipa_task_history *items;
		size_t n, cap;
	} histories;
	uint32_t free; /* first unused history */
	bool started;
};

void pipa_task_table_init(struct pipa_task_table *table);
void pipa_task_table_done(struct pipa_task_table *table);

/* Begin a reading: `now` becomes `previous`. */
void pipa_task_table_begin(struct pipa_task_table *table);

/* End a reading after table->now was filled: match the tasks. 0 or -ENOMEM. */
int pipa_task_table_end(struct pipa_task_table *table);

/*
 * Return the delta of a field since the last reading or, `whole`, since the first; NaN if unknown.
 */
double pipa_task_growth(const struct pipa_task_table *table, const struct pipa_task_stat *task,
			enum pipa_task_field field, bool whole);

/* Return the field or, `whole`, its mean over all readings but the first; NaN if unknown. */
double pipa_task_state_of(const struct pipa_task_table *table, const struct pipa_task_stat *task,
			  enum pipa_task_field field, bool whole);

/* Are all counters of the task unchanged? */
bool pipa_task_is_idle(const struct pipa_task_table *table, const struct pipa_task_stat *task,
		       bool whole);

#endif
