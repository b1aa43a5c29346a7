/*
 * Report of counts: a row per event and CPU, thread or group of them, with its metrics. Filled by
 * analyze/, written by export/.
 */
#ifndef PIPA_MODEL_STAT_H
#define PIPA_MODEL_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum pipa_aggr {
	PIPA_AGGR_GLOBAL,
	PIPA_AGGR_CPU,
	PIPA_AGGR_CORE,
	PIPA_AGGR_DIE,
	PIPA_AGGR_SOCKET,
	PIPA_AGGR_NODE,
	PIPA_AGGR_THREAD,
	PIPA_AGGR_NR,
};

enum pipa_count_state {
	PIPA_COUNTED,
	PIPA_NOT_COUNTED,   /* never scheduled on a counter, or the task never ran */
	PIPA_NOT_SUPPORTED, /* not supported by the machine */
};

/* Scope of a row's count: everything, or one CPU, core, package, node or thread. */
struct pipa_stat_place {
	enum pipa_aggr by;
	int cpu, core, die, socket, node; /* -1 if not part of `by` */
	pid_t tid;
	char comm[16];
};

/* Spread of a sample of runs. Values other than n are NaN if n is too small for them. */
struct pipa_spread {
	size_t n;
	double mean, sd; /* sd of the sample, n - 1 */
	double min, max, median;
	double low, high; /* 95 % interval of the mean, Student's t */
};

/* Format of a derived value. */
enum pipa_style {
	PIPA_STYLE_PLAIN,   /* plain number */
	PIPA_STYLE_PERCENT, /* with a % sign */
	PIPA_STYLE_RATE,    /* per second, with K, M or G */
};

struct pipa_derived {
	const char *name; /* name of the metric, borrowed: "ipc" */
	const char *unit; /* "insn per cycle" */
	enum pipa_style style;
	int digits;   /* after the decimal point */
	bool extra;   /* not shown by perf: in the CSV only on request */
	double value; /* NaN: cannot be computed */
};

struct pipa_stat_row {
	const char *name; /* displayed name, borrowed from the event */
	const char *unit;
	const char *cgroup; /* NULL: none */
	double scale;
	size_t event;	/* index of the event; for a sum the first of its family */
	size_t place;	/* index in pipa_stat.places */
	size_t members; /* number of CPUs or threads in the sum */
	bool is_sum;	/* sum of a family whose members have rows of their own */
	bool user_only;
	enum pipa_count_state state;
	double value; /* in the unit, scaled if multiplexed; the mean over runs */
	uint64_t enabled_ns, running_ns;
	struct pipa_spread spread; /* n is 0 without -r */
	struct pipa_derived *derived;
	size_t n_derived;
};

/* A row of the baseline, an earlier report. */
struct pipa_base_row {
	char *name;
	char *where;		   /* key of pipa_stat_where(), "" for everything */
	struct pipa_spread spread; /* without repeated runs n is 1 and only the mean is set */
};

struct pipa_base {
	struct pipa_base_row *items;
	size_t n, cap;
};

void pipa_base_done(struct pipa_base *base);

/* Difference of a value from the baseline. */
struct pipa_change {
	const char *name, *unit; /* borrowed */
	double scale;
	double before, after;
	double percent;	     /* NaN if `before` is 0 */
	const char *verdict; /* "higher", "lower", "within noise", "unknown" */
};

struct pipa_stat {
	enum pipa_aggr by;
	struct pipa_stat_place *places;
	size_t n_places;
	/* sorted by event, then place; by place first unless aggregated globally */
	struct pipa_stat_row *rows;
	size_t n_rows;

	const char *target;   /* "'sleep 1'", "system wide", borrowed */
	double elapsed_s;     /* of this run or interval; the mean over runs */
	double user_s, sys_s; /* of the command; NaN without one */
	struct pipa_spread elapsed, user, sys;
	unsigned int runs;
	bool asked; /* metrics were requested: show all */

	bool hide_idle;	    /* omit rows without a count */
	bool interval;	    /* one interval of several */
	bool summary;	    /* summary after the intervals */
	double time_s;	    /* end of the interval, since the start */
	uint64_t late;	    /* number of intervals skipped so far because they were late */
	const char **notes; /* sentences for the user, borrowed */
	size_t n_notes;
	const struct pipa_change *changes; /* against the baseline, borrowed */
	size_t n_changes;
};

/* Is the row shown? */
static inline bool pipa_stat_shows(const struct pipa_stat *stat, const struct pipa_stat_row *row)
{
	return !stat->hide_idle || (row->state == PIPA_COUNTED && row->value != 0);
}

/* Is it the first row of its event and cgroup, so that it is the heading of a column? */
bool pipa_stat_is_head(const struct pipa_stat *stat, size_t row);

/* Return the value of a column's metric at a place, NULL if there is none. */
const struct pipa_derived *pipa_stat_metric_at(const struct pipa_stat *stat, size_t head,
					       size_t metric, size_t place);

/* Format the key by which rows of different reports are matched: cgroup and place. Returns text. */
const char *pipa_stat_where(const char *cgroup, const struct pipa_stat_place *place, char *text,
			    size_t size);

static inline void pipa_base_done_auto(struct pipa_base *base)
{
	pipa_base_done(base);
}

#endif
