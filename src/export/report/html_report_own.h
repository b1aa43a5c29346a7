/* Page under construction: shared by the files of export/report only. */
#ifndef PIPA_EXPORT_REPORT_HTML_REPORT_OWN_H
#define PIPA_EXPORT_REPORT_HTML_REPORT_OWN_H

#include <stdbool.h>

#include "base/pieces.h"
#include "codec/doc.h"
#include "export/report/html_report.h"
#include "model/rules.h"
#include "model/series_set.h"

/* Segment of a block's text: axis or row. */
struct pipa_html_segment {
	uint64_t offset, len;
};

/* A row of a group in the page. */
struct pipa_html_row {
	size_t row;	 /* index in the group of the set */
	size_t first, n; /* intervals of the axis in the page */
	struct pipa_html_segment at;
};

/* A group of series in the page: block `index`. */
struct pipa_html_group {
	size_t group;	  /* index in the set */
	bool is_evidence; /* selected rows and columns in full resolution beside a reduced group */
	uint64_t columns; /* bit per column: those in the page */
	uint32_t reduced_s; /* length of the reduced intervals; 0: full resolution */
	size_t n;	    /* intervals of the axis in the page */
	struct pipa_html_segment axis;
	struct {
		struct pipa_html_row *items;
		size_t n, cap;
	} rows;
};

/* Series of the page. */
struct pipa_html_series {
	struct pipa_html_group *items;
	size_t n, cap;
	bool is_reduced; /* a group is */
};

struct pipa_html_writer {
	const struct pipa_html_report *page;
	struct pipa_html_series series;
	struct pipa_pieces pieces;
};

/* ---- html_series.c: before the data ---- */

/* Choose the groups and the resolution of the page. */
void pipa_html_series_plan(struct pipa_html_writer *w);
void pipa_html_series_done(struct pipa_html_series *series);

/* Add a column in full resolution if the page has its group reduced. */
void pipa_html_series_keep(struct pipa_html_writer *w, struct pipa_series_ref ref);

/* Write the elements of all blocks and note their segments. */
void pipa_html_put_blocks(struct pipa_html_writer *w);

/*
 * Find a column in the page, in full resolution if there is one: group, index of the row and of the
 * column. False: it is not in the page.
 */
bool pipa_html_series_find(const struct pipa_html_writer *w, struct pipa_series_ref ref,
			   size_t ret[static 3]);

/* ---- entries of the data ---- */

/* Texts of all languages, as an entry {"en", "zh"}. */
void pipa_html_put_words(struct pipa_doc *doc, const char *key,
			 const char *const words[static PIPA_LANGUAGE_NR]);

static inline uint64_t pipa_html_ms(uint64_t ns)
{
	return ns / 1000000;
}

/* Keep the series of all findings in full resolution; before the blocks are written. */
void pipa_html_keep_evidence(struct pipa_html_writer *w);

/* Write verdict, findings, tree and variables. */
void pipa_html_put_findings(struct pipa_html_writer *w, struct pipa_doc *doc);

/* Write the verdict only: html_verdict.c. */
void pipa_html_put_verdict(const struct pipa_html_report *page, struct pipa_doc *doc);

void pipa_html_put_loads(const struct pipa_html_report *page, struct pipa_doc *doc);
void pipa_html_put_quality(const struct pipa_html_report *page, struct pipa_doc *doc);
void pipa_html_put_facts(const struct pipa_html_report *page, struct pipa_doc *doc);
void pipa_html_put_series(const struct pipa_html_writer *w, struct pipa_doc *doc);

#endif
