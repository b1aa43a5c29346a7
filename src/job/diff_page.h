/* A comparison for the browser: the flame graph of both recordings, and the rows beside it. */
#ifndef PIPA_JOB_DIFF_PAGE_H
#define PIPA_JOB_DIFF_PAGE_H

#include "export/diff.h"
#include "job/load.h"

struct pipa_buf;

/* A recording and its event. */
struct pipa_diff_side {
	struct pipa_loaded loaded;
	uint32_t event;
	bool is_loaded;
};

/* The report is of the same two. 0 or -ENOMEM; what the buffer has no room for is in its status. */
int pipa_diff_page_write(const struct pipa_diff_report *report, const struct pipa_diff_side *base,
			 const struct pipa_diff_side *now, struct pipa_buf *out);

#endif
