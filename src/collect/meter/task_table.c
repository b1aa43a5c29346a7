#include "collect/meter/task_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define NONE UINT32_MAX

void pipa_task_table_init(struct pipa_task_table *table)
{
	*table = (struct pipa_task_table){ .free = NONE };
}

void pipa_task_table_done(struct pipa_task_table *table)
{
	free(table->now.items);
	free(table->previous.items);
	free(table->histories.items);
	pipa_task_table_init(table);
}

void pipa_task_table_begin(struct pipa_task_table *table)
{
	struct pipa_task_stats last = table->now;

	table->now = table->previous;
	table->now.n = 0;
	table->previous = last;
}

/* ---- who is who ------------------------------------------------------------------------------------ */

static struct pipa_task_history *history_of(const struct pipa_task_table *table,
					    const struct pipa_task_stat *task)
{
	return &table->histories.items[task->slot];
}

static void drop_history(struct pipa_task_table *table, const struct pipa_task_stat *task)
{
	history_of(table, task)->next_free = table->free;
	table->free = task->slot;
}

static int add_history(struct pipa_task_table *table, struct pipa_task_stat *task)
{
	struct pipa_task_history *history;

	if (table->free == NONE) {
		if (!PIPA_VEC_ADD(&table->histories))
			return -ENOMEM;
		task->slot = (uint32_t)(table->histories.n - 1);
	} else {
		task->slot = table->free;
		table->free = history_of(table, task)->next_free;
	}
	history = history_of(table, task);
	*history = (struct pipa_task_history){ 0 };
	if (!table->started)
		memcpy(history->first, &task->fields[TASK_GROWING], sizeof(history->first));
	return 0;
}

/*
 * Keep user and system time monotonic: both are estimated shares of the measured run time, and a
 * share can decrease. Then it stays, and the other is reduced.
 */
static void keep_growing(const uint64_t *before, uint64_t *now)
{
	uint64_t both = now[TASK_USER_NS] + now[TASK_SYSTEM_NS];

	if (now[TASK_USER_NS] == PIPA_RAW_MISSING || now[TASK_SYSTEM_NS] == PIPA_RAW_MISSING ||
	    before[TASK_USER_NS] == PIPA_RAW_MISSING || before[TASK_SYSTEM_NS] == PIPA_RAW_MISSING)
		return;
	if (both < before[TASK_USER_NS] + before[TASK_SYSTEM_NS]) {
		now[TASK_USER_NS] = before[TASK_USER_NS];
		now[TASK_SYSTEM_NS] = before[TASK_SYSTEM_NS];
	} else if (now[TASK_USER_NS] < before[TASK_USER_NS]) {
		now[TASK_USER_NS] = before[TASK_USER_NS];
		now[TASK_SYSTEM_NS] = both - now[TASK_USER_NS];
	} else if (now[TASK_SYSTEM_NS] < before[TASK_SYSTEM_NS]) {
		now[TASK_SYSTEM_NS] = before[TASK_SYSTEM_NS];
		now[TASK_USER_NS] = both - now[TASK_SYSTEM_NS];
	}
}

static void count_in(struct pipa_task_table *table, const struct pipa_task_stat *task)
{
	struct pipa_task_history *history = history_of(table, task);
	size_t i;

	for (i = 0; i < TASK_GROWING; i++)
		history->sum[i] += task->fields[i] == PIPA_RAW_MISSING ? (double)NAN :
									 (double)task->fields[i];
	history->ticks++;
}

static bool is_same(const struct pipa_task_stat *a, const struct pipa_task_stat *b)
{
	return a->tid == b->tid && a->fields[TASK_START_NS] == b->fields[TASK_START_NS];
}

/*
 * Find the task in the previous reading; `old` is the position there, after tasks that have ended.
 */
static int match_task(struct pipa_task_table *table, struct pipa_task_stat *task, size_t *old)
{
	struct pipa_task_stats *previous = &table->previous;

	while (*old < previous->n && previous->items[*old].tid < task->tid)
		drop_history(table, &previous->items[(*old)++]);
	if (*old == previous->n || !is_same(&previous->items[*old], task)) {
		task->before = NONE;
		return add_history(table, task);
	}
	task->before = (uint32_t)*old;
	task->slot = previous->items[*old].slot;
	keep_growing(previous->items[*old].fields, task->fields);
	++*old;
	return 0;
}

int pipa_task_table_end(struct pipa_task_table *table)
{
	size_t i, old = 0;
	int rc = 0;

	for (i = 0; !rc && i < table->now.n; i++) {
		rc = match_task(table, &table->now.items[i], &old);
		if (!rc && table->started)
			count_in(table, &table->now.items[i]);
	}
	if (rc < 0) {
		table->now.n = i - 1;
		return rc;
	}
	while (old < table->previous.n)
		drop_history(table, &table->previous.items[old++]);
	table->started = true;
	return 0;
}

/* ---- what became of it ------------------------------------------------------------------------------ */

static const uint64_t *base_of(const struct pipa_task_table *table,
			       const struct pipa_task_stat *task, bool whole)
{
	static const uint64_t zero[TASK_GROWTHS];

	if (whole)
		return history_of(table, task)->first;
	return task->before == NONE ? zero :
				      &table->previous.items[task->before].fields[TASK_GROWING];
}

double pipa_task_growth(const struct pipa_task_table *table, const struct pipa_task_stat *task,
			enum pipa_task_field field, bool whole)
{
	uint64_t before = base_of(table, task, whole)[field - TASK_GROWING];
	uint64_t now = task->fields[field];

	if (now == PIPA_RAW_MISSING || before == PIPA_RAW_MISSING)
		return (double)NAN;
	return now > before ? (double)(now - before) : 0;
}

double pipa_task_state_of(const struct pipa_task_table *table, const struct pipa_task_stat *task,
			  enum pipa_task_field field, bool whole)
{
	const struct pipa_task_history *history = history_of(table, task);

	if (whole && history->ticks)
		return history->sum[field] / (double)history->ticks;
	return task->fields[field] == PIPA_RAW_MISSING ? (double)NAN : (double)task->fields[field];
}

bool pipa_task_is_idle(const struct pipa_task_table *table, const struct pipa_task_stat *task,
		       bool whole)
{
	return memcmp(base_of(table, task, whole), &task->fields[TASK_GROWING],
		      TASK_GROWTHS * sizeof(uint64_t)) == 0;
}
