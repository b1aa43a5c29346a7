/*
 * Write the comparison of two measurements: as a document of its own ("pipa.compare/1", docs/format/compare.md), or
 * as the entry "compare" of a report's data with the series to overlay (web/README.md).
 */
#ifndef PIPA_EXPORT_REPORT_REPORT_COMPARE_H
#define PIPA_EXPORT_REPORT_REPORT_COMPARE_H

#include <stddef.h>

#include "analyze/report/compare.h"
#include "codec/doc.h"

struct pipa_diff_report;

struct pipa_report_compare {
	const struct pipa_comparison *comparison;
	const struct pipa_compare_side *sides; /* [PIPA_SIDES] that were compared */
	const char *titles[PIPA_SIDES];
	const char *const *inputs[PIPA_SIDES]; /* paths */
	size_t n_inputs[PIPA_SIDES];
	const char *version;		    /* of pipa */
	const struct pipa_diff_report *hot; /* functions; NULL: a side has no samples */
};

/* Limits of the page: rows of the table of series, and series with values to overlay. */
enum { PIPA_COMPARE_PAGE_ROWS = 3000, PIPA_COMPARE_CHARTS = 200, PIPA_COMPARE_POINTS = 600 };

/* Write the document. A failure is in out's status. */
void pipa_report_compare_write(const struct pipa_report_compare *compare,
			       enum pipa_doc_format format, struct pipa_buf *out);

/* Write the entry of the page's data as JSON. 0 or -ENOMEM; other failures are in out's status. */
int pipa_report_put_compare(const struct pipa_report_compare *compare, struct pipa_buf *out);

/* Write the entry "time" of the page's data: times are those since the start of the steady phases. */
void pipa_report_put_compare_time(const struct pipa_report_compare *compare, struct pipa_buf *out);

#endif
