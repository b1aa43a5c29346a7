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
	PIPA_NOT_COUNTED,   /* it never got a counter, or the task never ran */
	PIPA_NOT_SUPPORTED, /* this machine lacks it */
};

/* Where a row's count comes from: everything, or one CPU, core, package, node or thread. */
struct pipa_stat_place {
	enum pipa_aggr by;
	int cpu, core, die, socket, node; /* those that `by` does not reach are -1 */
	pid_t tid;
	char comm[16];
};

/* How a sample of runs is spread. Everything but n is NaN where n does not allow it. */
struct pipa_spread {
	size_t n;
	double mean, sd; /* sd of the sample, n - 1 */
	double min, max, median;
	double low, high; /* 95 % interval of the mean, Student's t */
};

/* A number made of others: "1.83 insn per cycle". */
enum pipa_style {
	PIPA_STYLE_PLAIN,   /* as it is */
	PIPA_STYLE_PERCENT, /* has a % sign */
	PIPA_STYLE_RATE,    /* per second, shown with K, M or G */
};

struct pipa_derived {
	const char *name; /* the metric's name, borrowed: "ipc" */
	const char *unit; /* "insn per cycle" */
	enum pipa_style style;
	int digits;   /* after the point */
	bool extra;   /* beyond what perf shows: not in the CSV unless requested */
	double value; /* NaN: could not be computed */
};

struct pipa_stat_row {
	const char *name; /* as shown, borrowed from the event */
	const char *unit;
	const char *cgroup; /* NULL without */
	double scale;
	size_t event;	/* index of the event, the first of its family for a sum */
	size_t place;	/* index of the place */
	size_t members; /* CPUs or threads summed into it */
	bool is_sum;	/* of a family whose parts have rows of their own */
	bool user_only;
	enum pipa_count_state state;
	double value; /* in the unit; scaled up where it was multiplexed; the mean over runs */
	uint64_t enabled_ns, running_ns;
	struct pipa_spread spread; /* n is 0 without repeats */
	struct pipa_derived *derived;
	size_t n_derived;
};

/* An earlier report's row, read back to be compared with. */
struct pipa_base_row {
	char *name;
	char *where;		   /* cgroup and place as one text, "" for everything */
	struct pipa_spread spread; /* n is 1 and only mean is known without repeats */
};

struct pipa_base {
	struct pipa_base_row *items;
	size_t n, cap;
};

void pipa_base_done(struct pipa_base *base);

/* What became of one number. */
struct pipa_change {
	const char *name, *unit; /* borrowed */
	double scale;
	double before, after;
	double percent;	     /* NaN when before was 0 */
	const char *verdict; /* "higher", "lower", "within noise", "unknown" */
};

struct pipa_stat {
	enum pipa_aggr by;
	struct pipa_stat_place *places;
	size_t n_places;
	struct pipa_stat_row *rows; /* by event, then by place; by place first when not global */
	size_t n_rows;

	const char *target;   /* "'sleep 1'", "system wide", borrowed */
	double elapsed_s;     /* of this run or interval; the mean over runs */
	double user_s, sys_s; /* of the command; NaN when there was none */
	struct pipa_spread elapsed, user, sys;
	unsigned int runs;
	bool asked; /* the metrics were chosen: none is left out */

	bool hide_idle;	    /* rows that counted nothing are too many to show */
	bool interval;	    /* one tick of several */
	bool summary;	    /* the whole after the ticks */
	double time_s;	    /* its end, since the start */
	uint64_t late;	    /* ticks that came too late and were skipped so far */
	const char **notes; /* sentences for the reader, borrowed */
	size_t n_notes;
	const struct pipa_change *changes; /* against the baseline, borrowed */
	size_t n_changes;
};

/* Is the row to be shown? */
static inline bool pipa_stat_shows(const struct pipa_stat *stat, const struct pipa_stat_row *row)
{
	return !stat->hide_idle || (row->state == PIPA_COUNTED && row->value != 0);
}

/* Is it the first row of its event and cgroup, whatever its place: the head of a column? */
bool pipa_stat_is_head(const struct pipa_stat *stat, size_t row);

/* What the head's column has at a place: a number of that metric, or NULL. */
const struct pipa_derived *pipa_stat_metric_at(const struct pipa_stat *stat, size_t head,
					       size_t metric, size_t place);

/* The text a row's cgroup and place are matched by between reports; returns text. */
const char *pipa_stat_where(const char *cgroup, const struct pipa_stat_place *place, char *text,
			    size_t size);

static inline void pipa_base_done_auto(struct pipa_base *base)
{
	pipa_base_done(base);
}

#endif
