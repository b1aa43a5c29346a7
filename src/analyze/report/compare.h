/*
 * Compare two analyzed measurements, baseline A and target B: metrics, variables of rules and series with
 * their significance, findings that appeared or vanished, and differences of the machines.
 *
 * Values of a series are those of the steady phase. Its test is Welch's on the effective number of independent
 * values (analyze/series/steady_spread.h), corrected over the rows of each table by Holm's procedure. It tests
 * whether the two measurements differ by more than the values of each vary. The difference between runs of the
 * same workload is known only from several runs.
 */
#ifndef PIPA_ANALYZE_REPORT_COMPARE_H
#define PIPA_ANALYZE_REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/rules/evaluate.h"
#include "analyze/series/phases.h"
#include "base/arena.h"
#include "model/series_set.h"

struct pipa_context;
struct pipa_facts;
struct pipa_rules;
struct pipa_run;

enum { PIPA_SIDE_A, PIPA_SIDE_B, PIPA_SIDES };

/* One of the measurements; everything is borrowed and must outlive the comparison. */
struct pipa_compare_side {
	const struct pipa_series_set *series; /* finished */
	const struct pipa_phases *phases;
	const struct pipa_run *run;
	const struct pipa_context *context;
	const struct pipa_rules *rules; /* the same files on both sides */
	const struct pipa_findings *findings;
	const struct pipa_facts *facts; /* NULL: no description of the machine */
};

enum pipa_compare_verdict {
	PIPA_COMPARE_UNCLEAR, /* not tested: a single value, or too few independent ones */
	PIPA_COMPARE_SAME,    /* no significant change */
	PIPA_COMPARE_LOWER,   /* significant; neither direction is better */
	PIPA_COMPARE_HIGHER,
	PIPA_COMPARE_BETTER,
	PIPA_COMPARE_WORSE,
	PIPA_COMPARE_VERDICTS,
};

const char *pipa_compare_verdict_name(enum pipa_compare_verdict verdict); /* "better" */

/* A value on one side. */
struct pipa_compare_value {
	double value;	  /* NaN: unknown */
	double sd;	  /* of the values of the series; NaN: a single value */
	size_t n;	  /* values of the series */
	size_t effective; /* independent ones among them */
	const char *text; /* of a variable that is not a number; NULL: a number */
};

struct pipa_compare_row {
	const char *key;      /* "IPC", "avg_iowait", "cpu.usr" */
	const char *title;    /* "instructions per cycle"; "" if there is none */
	const char *section;  /* of a series; "" for others */
	const char *instance; /* "sda"; "" */
	const char *unit;     /* "" for a plain number */
	int digits;	      /* after the decimal point */
	int better;	      /* 1: higher is better, -1: lower is better, 0: neither */
	struct pipa_compare_value sides[PIPA_SIDES];
	double difference;
	double percent; /* NaN if A is zero or rounds to zero */
	double p;	/* of the test, not corrected; NaN: not tested */
	enum pipa_compare_verdict verdict;
	bool has_series; /* the series below are those of the row */
	struct pipa_series_ref series[PIPA_SIDES];
};

enum pipa_compare_table_id {
	PIPA_COMPARE_SUMMARY,	/* the rows of PIPA's compare */
	PIPA_COMPARE_METRICS,	/* those of `pipa run` */
	PIPA_COMPARE_VARIABLES, /* of rules, without thresholds */
	PIPA_COMPARE_SERIES,	/* every series that both have, without those of tasks */
	PIPA_COMPARE_TABLES,
};

const char *pipa_compare_table_name(enum pipa_compare_table_id table); /* "metrics" */

struct pipa_compare_table {
	struct pipa_compare_row *items; /* significant series first; other tables in their order */
	size_t n, cap;
	size_t tested, significant; /* numbers of rows */
};

/* A finding of at least one side. */
struct pipa_compare_finding {
	size_t rule; /* index in the rules */
	enum { PIPA_FINDING_APPEARED, PIPA_FINDING_VANISHED, PIPA_FINDING_STAYED } change;
	enum pipa_rule_state states[PIPA_SIDES]; /* unknown: the data that decides is missing */
};

/* A fact of the machines that differs. */
struct pipa_compare_fact {
	const char *section, *key;
	const char *sides[PIPA_SIDES]; /* "" if it is missing */
	bool is_machine; /* part of the identity of the machine: results are hardly comparable */
};

enum pipa_compare_warning {
	PIPA_WARNING_MACHINE,	/* facts with is_machine differ */
	PIPA_WARNING_NO_FACTS,	/* a side has no description of the machine */
	PIPA_WARNING_DURATION,	/* the steady phases differ by more than a quarter */
	PIPA_WARNING_SHORT,	/* a steady phase has fewer than 30 intervals */
	PIPA_WARNING_NO_STEADY, /* no steady phase was found on a side: all of it is used */
	PIPA_WARNING_INTERVAL,	/* the intervals of the statistics have different lengths */
	PIPA_WARNING_WORKLOAD,	/* different workloads */
	PIPA_WARNING_NO_COMMON, /* no series is on both sides */
	PIPA_WARNING_ONE_RUN,	/* one run on each side: the spread between runs is unknown */
	PIPA_WARNINGS,
};

struct pipa_comparison {
	struct pipa_compare_table tables[PIPA_COMPARE_TABLES];
	struct {
		struct pipa_compare_finding *items;
		size_t n, cap;
	} findings; /* appeared, then vanished, then stayed */
	struct {
		struct pipa_compare_fact *items;
		size_t n, cap;
	} facts;
	bool warnings[PIPA_WARNINGS];
	double steady_s[PIPA_SIDES];   /* lengths of the steady phases; 0: unknown */
	double interval_s[PIPA_SIDES]; /* median interval of the CPU statistics; 0: unknown */
	size_t only[PIPA_SIDES];       /* series that only this side has */
	struct pipa_arena arena;       /* of strings that are not borrowed */
};

/* Compare. `ret` must be empty and be freed. 0 or -ENOMEM. */
int pipa_compare(const struct pipa_compare_side sides[static PIPA_SIDES],
		 struct pipa_comparison *ret);
void pipa_comparison_done(struct pipa_comparison *comparison);

/* Find differing facts of two machines, without those that change in use (free memory, addresses). */
int pipa_compare_facts(const struct pipa_facts *a, const struct pipa_facts *b,
		       struct pipa_comparison *ret);

/* Set the lengths of both sides and the warnings, after the facts were compared. */
void pipa_compare_warn(const struct pipa_compare_side sides[static PIPA_SIDES],
		       struct pipa_comparison *ret);

/* Return the direction of a column or variable that is better: 1, -1, or 0 for neither. */
int pipa_compare_better(const char *id);

/* Return the name of a warning for keys: "machine"; and its sentence in a language. */
const char *pipa_compare_warning_name(enum pipa_compare_warning warning);
const char *pipa_compare_warning_text(enum pipa_compare_warning warning,
				      enum pipa_language language);

static inline void pipa_comparison_done_auto(struct pipa_comparison *comparison)
{
	pipa_comparison_done(comparison);
}

#endif
