/*
 * Numbers over time. A section is a table of columns (cpu: %usr, %sys...), a row of it is what one
 * instance (CPU 3, disk sda) did in one tick. Rows are passed to a sink as they come; whoever wants
 * to look back keeps them in a series.
 *
 * A value that is missing is NaN, never zero.
 */
#ifndef PIPA_MODEL_SERIES_H
#define PIPA_MODEL_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pipa_unit {
	PIPA_UNIT_NONE, /* a plain number */
	PIPA_UNIT_PERCENT,
	PIPA_UNIT_PER_SECOND,
	PIPA_UNIT_KB,
	PIPA_UNIT_KB_PER_SECOND,
	PIPA_UNIT_MB,
	PIPA_UNIT_MS,
	PIPA_UNIT_MHZ,
	PIPA_UNIT_CELSIUS,
	PIPA_UNIT_WORD, /* not a number: a word that describes the instance, "bash" */
	PIPA_UNIT_NR,
};

const char *pipa_unit_text(enum pipa_unit unit); /* "%", "/s", "kB", ... */

/* How a value arises from readings, and what its mean over a longer time is made of. */
enum pipa_metric_kind {
	PIPA_METRIC_GAUGE,     /* a state when the interval ended */
	PIPA_METRIC_RATE,      /* the delta of a counter per second */
	PIPA_METRIC_DELTA,     /* the delta of a counter in the interval */
	PIPA_METRIC_SHARE,     /* a delta in percent of time or of another delta */
	PIPA_METRIC_MEAN,      /* a mean over the interval, of requests or of time */
	PIPA_METRIC_ATTRIBUTE, /* a number without a mean: a user id, the number of a CPU */
	PIPA_METRIC_TEXT,      /* not a number */
};

struct pipa_column {
	const char *id;	  /* ours, one for each meaning: "cpu.usr" */
	const char *name; /* sysstat's: "%usr" */
	enum pipa_unit unit;
	int digits; /* after the decimal point, when shown */
	enum pipa_metric_kind kind;
	const char *description; /* in the terms of proc(5) and sysstat */
};

struct pipa_section {
	const char *name;  /* "cpu", also its option */
	const char *label; /* what an instance is called, "CPU"; NULL where there is only one */
	const char *title; /* for people */
	const struct pipa_column *columns;
	size_t n_columns;
};

/* Something began again, so that nothing was seen for a while. Only recordings have it. */
struct pipa_restart {
	enum { PIPA_RESTART_MACHINE, PIPA_RESTART_COLLECTOR } of;
	uint64_t wall_ns;
	uint32_t cpus; /* that the machine has since, 0: not known */
};

/* One moment. */
struct pipa_tick {
	uint64_t wall_ns;   /* when it ended */
	double interval_s;  /* how long it was, by the monotonic clock: sleep does not count */
	double suspended_s; /* the machine slept for so long meanwhile */
	uint64_t late;	    /* ticks before it that were missed */
	const struct pipa_restart *restart; /* just before it, or NULL; borrowed */
};

struct pipa_series_sink {
	/*
	 * values has a number per column of the section, NaN for words. instance is its name; where
	 * columns are words, those follow in their order, a NUL after each: "1234", "S", "bash".
	 * Both are borrowed. Returns 0 or a negative errno.
	 */
	int (*row)(struct pipa_series_sink *self, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values);
	/* all rows of the tick were returned; NULL: not wanted */
	int (*end)(struct pipa_series_sink *self, const struct pipa_tick *tick);
	bool wants_idle; /* rows of tasks that did nothing, too */
};

/* Bytes of an instance, NULs included: its name, and at most two words. */
enum {
	PIPA_NAME_MAX = 64,
	PIPA_WORD_MAX = 32,
	PIPA_INSTANCE_MAX = PIPA_NAME_MAX + 2 * PIPA_WORD_MAX
};

/* Is it about processes or threads? Its instances are numbers then, thousands maybe, most of them idle. */
bool pipa_section_is_of_tasks(const struct pipa_section *section);

/* What follows a name or word of an instance; there must be a word. */
const char *pipa_instance_next(const char *word);

/* Bytes of an instance: name and words with their NULs. */
size_t pipa_instance_size(const struct pipa_section *section, const char *instance);

#endif
