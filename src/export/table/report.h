/* Write the table of a profile as text, CSV or JSON. */
#ifndef PIPA_EXPORT_TABLE_REPORT_H
#define PIPA_EXPORT_TABLE_REPORT_H

#include <stdbool.h>

#include "analyze/profile/calltree.h"
#include "analyze/profile/top.h"
#include "model/recording.h"

struct pipa_buf;

enum pipa_report_form { PIPA_REPORT_TEXT, PIPA_REPORT_CSV, PIPA_REPORT_JSON };

struct pipa_report {
	const struct pipa_profile *profile;
	const struct pipa_recording *recording;
	const struct pipa_top *top;
	const struct pipa_calltree *tree; /* call tree below each row, or NULL */
	double percent_limit;		  /* omit rows below it */
	double branch_limit;		  /* omit branches of the tree below it */
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
	size_t rows, columns[PIPA_KEY_NR];
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
