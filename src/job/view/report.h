/* Report a file of any kind as a table of commands, objects and symbols, or print its header. */
#ifndef PIPA_JOB_VIEW_REPORT_H
#define PIPA_JOB_VIEW_REPORT_H

#include <stdbool.h>

#include "analyze/profile/top.h"
#include "export/table/report.h"
#include "job/view/selection.h"
#include "load/load.h"

struct pipa_buf;
struct pipa_error;

struct pipa_report_options {
	struct pipa_load_options load;
	struct pipa_profile_selection selection;
	struct pipa_top_options top;
	const char *parent; /* regular expression of the parent key, or NULL */
	enum pipa_report_form form;
	double percent_limit;		  /* of rows */
	double branch_limit;		  /* of the branches of their trees */
	struct pipa_report_fields fields; /* columns of the text; none: as perf has them */
	bool samples;			  /* add the number of samples to the default columns */
	bool verbose;			  /* text: paths of DSOs, addresses of symbols */
	bool full_names;		  /* text: do not shorten symbols to the column */
	size_t columns;			  /* of the terminal; 0: there is none */
	bool tree, callees;		  /* callers of each row, or its callees */
	enum pipa_report_branch branch;	  /* value at each branch of the tree */
	bool fractal;			  /* as a percentage of the branch above */
	size_t max_branch;		  /* maximum lines of a tree; 0: no limit */
	size_t max_depth;		  /* levels below each row; 0: PIPA_REPORT_DEPTH */
	enum pipa_lines inlined;	  /* expand inlined functions, if frames are shown */
	bool stats;			  /* records by type instead of the table */
	bool header, header_only;
	bool no_group; /* text: a table for each event instead of columns */
	/* Write and empty the buffer when it is large. NULL: the caller writes it at the end. */
	int (*flush)(struct pipa_buf *out);
};

enum { PIPA_REPORT_DEPTH = 128 }; /* the kernel's default limit is 127 frames */

/* Load what the table needs; free it with pipa_loaded_done(). */
int pipa_report_load(const struct pipa_report_options *options, struct pipa_loaded *ret,
		     struct pipa_error *err);

/* Write the complete report to out. */
int pipa_report_run(const struct pipa_report_options *options, struct pipa_buf *out,
		    struct pipa_error *err);

#endif
