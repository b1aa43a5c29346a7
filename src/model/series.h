/*
 * Values over time. A section is a table of columns (cpu: %usr, %sys...); a row has the values of
 * one instance (CPU 3, disk sda) in one interval. Rows are passed to a sink as they come;
 * model/table.h stores them.
 *
 * A missing value is NaN, never zero.
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
	PIPA_UNIT_WORD, /* not a number: a word that describes the instance, such as "bash" */
	PIPA_UNIT_NR,
};

const char *pipa_unit_text(enum pipa_unit unit); /* "%", "/s", "kB", ... */

/* How a value is computed from readings; determines how a mean over a longer time is computed. */
enum pipa_metric_kind {
	PIPA_METRIC_GAUGE,     /* state at the end of the interval */
	PIPA_METRIC_RATE,      /* delta of a counter per second */
	PIPA_METRIC_DELTA,     /* delta of a counter in the interval */
	PIPA_METRIC_SHARE,     /* delta in percent of time or of another delta */
	PIPA_METRIC_MEAN,      /* mean over the interval, of requests or of time */
	PIPA_METRIC_ATTRIBUTE, /* number without a mean: a user id, a CPU number */
	PIPA_METRIC_TEXT,      /* not a number */
};

struct pipa_column {
	const char *id;	  /* canonical id, unique per meaning: "cpu.usr" */
	const char *name; /* sysstat's name: "%usr" */
	enum pipa_unit unit;
	int digits; /* after the decimal point */
	enum pipa_metric_kind kind;
	const char *description; /* in the terms of proc(5) and sysstat */
};

struct pipa_section {
	const char *name;  /* "cpu", also the name of its option */
	const char *label; /* heading of the instance column, "CPU"; NULL: a single instance */
	const char *title; /* for output */
	const struct pipa_column *columns;
	size_t n_columns;
};

/* A restart of the machine or of the collector, which leaves a gap. Only in histories. */
struct pipa_restart {
	enum { PIPA_RESTART_MACHINE, PIPA_RESTART_COLLECTOR } of;
	uint64_t wall_ns;
	uint32_t cpus; /* CPUs of the machine afterwards, 0: unknown */
};

enum { PIPA_HUNDREDTHS_MAX = 1 << 22, PIPA_HUNDREDTHS_COLUMNS = 64 };

/* One interval. */
struct pipa_tick {
	uint64_t wall_ns;   /* end of the interval */
	double interval_s;  /* length by the monotonic clock, without suspended time */
	double suspended_s; /* time in which the machine was suspended */
	uint64_t late;	    /* number of missed intervals before it */
	const struct pipa_restart *restart; /* immediately before it, or NULL; borrowed */
};

struct pipa_series_sink {
	/*
	 * Receive a row. values[] has a number per column of the section, NaN for words. `instance`
	 * is its name; the words follow it in the order of their columns, each terminated by a NUL:
	 * "1234", "S", "bash". Both are borrowed. Returns 0 or a negative errno.
	 */
	int (*row)(struct pipa_series_sink *self, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values);
	/*
	 * Receive a row whose values are all decimals with two digits after the point, as most of sysstat's are: the
	 * same as row() with each value divided by 100. The section has at most PIPA_HUNDREDTHS_COLUMNS columns, the
	 * hundredths are from 0 to PIPA_HUNDREDTHS_MAX. NULL: row() receives them.
	 */
	int (*row_hundredths)(struct pipa_series_sink *self, const struct pipa_section *section,
			      const struct pipa_tick *tick, const char *instance,
			      const int32_t *hundredths);
	/* Receive the end of an interval, after all its rows. NULL: ignored. */
	int (*end)(struct pipa_series_sink *self, const struct pipa_tick *tick);
	bool wants_idle; /* pass rows of idle tasks too */
};

/* Maximum sizes of an instance including NULs: its name, such as a mount point, and at most two words. */
enum {
	PIPA_NAME_MAX = 256,
	PIPA_WORD_MAX = 32,
	PIPA_INSTANCE_MAX = PIPA_NAME_MAX + 2 * PIPA_WORD_MAX
};

/*
 * Does the section describe processes or threads? Then instances are numbers, maybe thousands of
 * them, most of them idle.
 */
bool pipa_section_is_of_tasks(const struct pipa_section *section);

/*
 * Write a name or word of `len` bytes, or up to a NUL, and its NUL to an instance, in at most `room` bytes, which are
 * more than 16. The end of one that does not fit is replaced by a hash of all of it, so that two of them remain two
 * instances. Returns the size written.
 */
size_t pipa_instance_put(char *instance, size_t room, const char *word, size_t len);

/* Return the word after a name or word of an instance; there must be one. */
const char *pipa_instance_next(const char *word);

/* Return the size of an instance: name and words with their NULs. */
size_t pipa_instance_size(const struct pipa_section *section, const char *instance);

#endif
