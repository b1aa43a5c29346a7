/* Lines of the report screen: shared by the two files of its model only. */
#ifndef PIPA_SCREEN_REPORT_REPORT_LINES_H
#define PIPA_SCREEN_REPORT_REPORT_LINES_H

#include "base/index.h"
#include "screen/report/report_model.h"

/* The lines that are open, by the way to them. */
struct pipa_reread_lines {
	uint64_t *hashes;
	size_t n;
	struct pipa_index index;
};

int pipa_reread_lines_make(const struct pipa_report_lines *lines, struct pipa_reread_lines *ret);
void pipa_reread_lines_done(struct pipa_reread_lines *kept);

/* Choose rows by filter and limit and put them in order. */
int pipa_report_lines_order(struct pipa_report_model *model);

/* Rebuild all lines: kept ones stay expanded, and everything below line `all` (PIPA_NONE: none). */
int pipa_report_lines_make(struct pipa_report_model *model, const struct pipa_reread_lines *kept,
			   size_t all);

#endif
