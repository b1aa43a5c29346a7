/* Write the table of a profile as text, CSV or JSON. */
#ifndef PIPA_EXPORT_TABLE_REPORT_H
#define PIPA_EXPORT_TABLE_REPORT_H

#include <stdbool.h>

#include "analyze/profile/calltree.h"
#include "analyze/profile/top.h"
#include "model/recording.h"

struct pipa_buf;

enum pipa_report_form { PIPA_REPORT_TEXT, PIPA_REPORT_CSV, PIPA_REPORT_JSON };

/* Columns of the text, with the names of perf report -F. */
enum pipa_report_value {
	PIPA_REPORT_OVERHEAD,	  /* share of self */
	PIPA_REPORT_OVERHEAD_SYS, /* of self in the kernel */
	PIPA_REPORT_OVERHEAD_US,  /* of self outside of it */
	PIPA_REPORT_OVERHEAD_CHILDREN,
	PIPA_REPORT_SAMPLE, /* number of self samples */
	PIPA_REPORT_PERIOD, /* sum of their periods */
	PIPA_REPORT_KEY,    /* a key of the row */
};

enum { PIPA_REPORT_FIELDS_MAX = PIPA_REPORT_KEY + PIPA_KEY_NR };

struct pipa_report_field {
	enum pipa_report_value value;
	enum pipa_key key; /* of PIPA_REPORT_KEY; one of the table's keys */
};

struct pipa_report_fields {
	struct pipa_report_field items[PIPA_REPORT_FIELDS_MAX];
	size_t n; /* 0: children and self, or overhead, then the keys */
};

/* Find a value by perf's name, "overhead", "sample"; PIPA_REPORT_KEY if it is none. */
enum pipa_report_value pipa_report_value_find(const char *name, size_t len);

/* Add a field unless it is there. */
void pipa_report_fields_add(struct pipa_report_fields *fields, enum pipa_report_value value,
			    enum pipa_key key);
bool pipa_report_fields_has(const struct pipa_report_fields *fields, enum pipa_report_value value);

/* Add the columns of a table without -F; samples: with the number of samples. */
void pipa_report_fields_default(struct pipa_report_fields *fields,
				const struct pipa_top_options *top, bool samples);

/* Number at each branch of a tree: its share, the sum of its periods or its samples. */
enum pipa_report_branch { PIPA_BRANCH_PERCENT, PIPA_BRANCH_PERIOD, PIPA_BRANCH_COUNT };

struct pipa_report {
	const struct pipa_profile *profile;
	const struct pipa_recording *recording;
	const struct pipa_top *top;
	struct pipa_report_fields fields; /* of the text */
	bool verbose;	 /* text: paths of DSOs, addresses and full names of symbols */
	bool full_names; /* text: do not shorten symbols */
	size_t columns;	 /* of the terminal; 0: there is none */
	const struct pipa_calltree *tree; /* call tree below each row, or NULL */
	enum pipa_report_branch branch;
	bool fractal;	      /* shares of branches are those of the branch above */
	size_t max_branch;    /* lines of a tree; 0: no limit */
	double percent_limit; /* omit rows below it */
	double branch_limit;  /* omit branches of the tree below it */
	uint64_t *deeper; /* counts branches of the tree that continue below its depth, or NULL */
};

/* Return how many rows of the table reach the limit. */
size_t pipa_report_rows(const struct pipa_top *top, double percent_limit);

void pipa_report_write(const struct pipa_report *report, enum pipa_report_form form,
		       struct pipa_buf *out);

/*
 * Write the text in parts, for tables that are too large for memory: what is above the rows, then
 * rows from `first` to before `end`, of which the report has the tree.
 */
struct pipa_report_widths {
	size_t rows, columns[PIPA_REPORT_FIELDS_MAX];
	size_t symbol; /* most columns of a symbol */
};

void pipa_report_head(const struct pipa_report *report, struct pipa_report_widths *ret,
		      struct pipa_buf *out);
void pipa_report_row(const struct pipa_report *report, const struct pipa_report_widths *widths,
		     size_t row, struct pipa_buf *out);

/* Records by type and samples by event, as `perf report --stats`. */
void pipa_report_stats(const struct pipa_profile *profile, const struct pipa_recording *recording,
		       const char *(*record_name)(uint32_t type, char buf[static 24]),
		       enum pipa_report_form form, struct pipa_buf *out);

/* Write the header of the recording, a line per fact. */
void pipa_report_header(const struct pipa_recording *recording, struct pipa_buf *out);

#endif
