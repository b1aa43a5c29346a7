/*
 * Compare profiles: the weight of each row before and after, and whether the difference is
 * significant.
 *
 * Rows are matched by file name without directories and function name, so that another build of a
 * program has the same rows. A program whose file name changed is matched by its functions, see
 * struct pipa_diff_rename. An unresolved address is identified by its offset and build id.
 *
 * With one run on each side only the sampling error is known. The effective sample size of a share
 * is (sum w)^2 / sum w^2; two shares are compared by a test of two proportions at 95 %, corrected
 * over all rows by Holm's procedure. A row with fewer than PIPA_DIFF_MIN effective samples on both
 * sides together is not tested and unknown. With several baseline runs a row has changed only if
 * it also exceeds the spread of the runs (analyze/count/noise.h).
 */
#ifndef PIPA_ANALYZE_PROFILE_DIFF_H
#define PIPA_ANALYZE_PROFILE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/rollup.h"
#include "base/strings.h"
#include "model/profile.h"

enum { PIPA_DIFF_MIN = 10 };

enum pipa_diff_by {
	PIPA_DIFF_BY_SYMBOL,
	PIPA_DIFF_BY_LIBRARY,
	PIPA_DIFF_BY_LINE, /* source file and line */
	PIPA_DIFF_BY_PATH, /* the complete stack */
	PIPA_DIFF_BY_NR,
};

enum pipa_diff_order {
	PIPA_DIFF_ORDER_DELTA,	  /* the largest change of share first */
	PIPA_DIFF_ORDER_ABSOLUTE, /* the largest change of weight */
	PIPA_DIFF_ORDER_BASE,	  /* the heaviest there */
	PIPA_DIFF_ORDER_NOW,
	PIPA_DIFF_ORDER_NR,
};

enum pipa_diff_verdict {
	PIPA_DIFF_UNKNOWN, /* too few samples to decide */
	PIPA_DIFF_SAME,	   /* within noise */
	PIPA_DIFF_MORE,
	PIPA_DIFF_LESS,
	PIPA_DIFF_NEW,	/* more, and absent from the baseline */
	PIPA_DIFF_GONE, /* less, and absent now */
	PIPA_DIFF_VERDICT_NR,
};

struct pipa_diff_options {
	enum pipa_diff_by by;
	enum pipa_diff_order order;
	bool children;	   /* rows include their callees; not by stack */
	bool match_symbol; /* functions of the same name are one row, whatever their object */
	bool match_dso;	   /* only by file name: do not look for files that were renamed */
	bool absolute;	   /* verdicts are on weights, not on shares */
	const char *comms, *objects, *symbols; /* only these, comma-separated; NULL: all */
	/* numbers of runs; with several baseline runs, all others are one side */
	size_t n_base, n_now;
};

/* A profile that was added. */
struct pipa_diff_run {
	uint64_t weight, count; /* of its event, regardless of row filters */
	bool counted;		/* false: the source has only weights */
	double effective;	/* effective sample size */
};

/* Strings of the diff. */
struct pipa_diff_frame {
	uint32_t object, symbol, place; /* symbol and place are "" if rows are not by them */
	uint32_t build;			/* build ID of an unresolved address's object, else "" */
	bool inlined;
	enum pipa_mode mode; /* of its first occurrence */
};

struct pipa_diff_node {
	uint32_t parent; /* PIPA_NONE: outermost */
	uint32_t frame;
};

struct pipa_diff_row {
	uint32_t frame; /* by path: the innermost */
	uint32_t path;	/* a node; PIPA_NONE if rows are not stacks */
};

/* Mean of the runs. */
struct pipa_diff_value {
	double percent, weight;
	double count; /* NaN: unknown, a source has only weights */
};

struct pipa_diff_change {
	struct pipa_diff_value now;
	double points; /* change of the share, in percentage points */
	double weight;
	enum pipa_diff_verdict verdict;
};

/* An object of a run that has another file name in the base; rows have that of the base. */
struct pipa_diff_rename {
	size_t run;
	uint32_t base, now; /* file names */
	size_t common;	    /* functions with samples on both sides */
};

/* A function with samples; symbol 0: unresolved code of the object. */
struct pipa_diff_function {
	uint32_t object, symbol;
	uint64_t weight;
};

struct pipa_diff_functions {
	struct pipa_diff_function *items;
	size_t n, cap;
};

struct pipa_diff {
	struct pipa_diff_options o;
	/* columns: one for each side that is compared with the baseline */
	size_t n_runs, n_columns;
	struct pipa_diff_run *runs;
	struct pipa_strings strings;
	struct pipa_diff_functions functions; /* of the first run */
	struct {
		struct pipa_diff_rename *items;
		size_t n, cap;
	} renames;
	PIPA_TABLE(pipa_diff_frame) frames;
	PIPA_TABLE(pipa_diff_node) nodes;
	PIPA_TABLE(pipa_diff_row) rows;
	struct pipa_weight *cells; /* [row x n_runs + run] */
	size_t cells_cap;	   /* allocated rows */

	/* set by pipa_diff_finish() */
	uint32_t *sorted;		  /* rows in the selected order */
	struct pipa_diff_value *base;	  /* [row] */
	struct pipa_diff_change *changes; /* [row x n_columns + column] */
	struct pipa_diff_value base_all;
	struct pipa_diff_change *all; /* [column] change of the total; its verdict is on weights */
	size_t *moved;		      /* [column] number of significant rows */
};

/* Initialize. 0 or -ENOMEM; call pipa_diff_done() in any case. */
int pipa_diff_init(struct pipa_diff *diff, const struct pipa_diff_options *options);
void pipa_diff_done(struct pipa_diff *diff);

/*
 * Add the weights of a run: those of the baseline come first. The profile may be freed afterwards.
 * 0 or -ENOMEM.
 */
int pipa_diff_add(struct pipa_diff *diff, size_t run, const struct pipa_profile *profile,
		  uint32_t event);

/* Multiply the weights of all runs that were added. 0, or -ERANGE on overflow. */
int pipa_diff_scale(struct pipa_diff *diff, uint32_t factor);

/*
 * Is the file name `base` that of an object with samples in the first run, and `now` its name in the run?
 */
bool pipa_diff_same_object(const struct pipa_diff *diff, size_t run, const char *base,
			   const char *now);

/* Compute all changes after the last run was added; o.absolute and o.order may still be set. 0 or -ENOMEM. */
int pipa_diff_finish(struct pipa_diff *diff);

/* Return the first run of a column; *ret_n is their number. */
size_t pipa_diff_column_runs(const struct pipa_diff *diff, size_t column, size_t *ret_n);

/* Return the frames of a row's stack, outermost first; the caller frees them. 0 or -ENOMEM. */
int pipa_diff_path(const struct pipa_diff *diff, uint32_t row, uint32_t **ret, size_t *ret_n);

/* Parse "symbol", "library"... and perf's names for them; PIPA_DIFF_BY_NR if unknown. */
enum pipa_diff_by pipa_diff_by_find(const char *name);
const char *pipa_diff_by_name(enum pipa_diff_by by);
const char *pipa_diff_verdict_name(enum pipa_diff_verdict verdict);

static inline bool pipa_diff_is_growth(enum pipa_diff_verdict verdict)
{
	return verdict == PIPA_DIFF_MORE || verdict == PIPA_DIFF_NEW;
}

static inline bool pipa_diff_is_move(enum pipa_diff_verdict verdict)
{
	return verdict > PIPA_DIFF_SAME;
}

static inline const char *pipa_diff_text(const struct pipa_diff *diff, uint32_t string)
{
	return pipa_strings_get(&diff->strings, string);
}

static inline void pipa_diff_done_auto(struct pipa_diff *diff)
{
	pipa_diff_done(diff);
}

#endif
