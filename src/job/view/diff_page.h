/* Write a comparison as a page: a differential flame graph and the rows beside it. */
#ifndef PIPA_JOB_VIEW_DIFF_PAGE_H
#define PIPA_JOB_VIEW_DIFF_PAGE_H

#include "export/table/diff.h"
#include "load/load.h"

struct pipa_buf;

/* An event in both recordings. */
struct pipa_diff_pair {
	uint32_t base, now;
};

/*
 * Write the page. The reports are of the same two recordings and of these events; the first is
 * shown first. 0 or -ENOMEM; a full buffer is in its status.
 */
int pipa_diff_page_write(const struct pipa_diff_report *reports, const struct pipa_diff_pair *pairs,
			 size_t n, const struct pipa_loaded *base, const struct pipa_loaded *now,
			 struct pipa_buf *out);

#endif
