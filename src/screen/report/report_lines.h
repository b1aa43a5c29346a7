/* Lines of the report screen: shared by the two files of its model only. */
#ifndef PIPA_SCREEN_REPORT_REPORT_LINES_H
#define PIPA_SCREEN_REPORT_REPORT_LINES_H

#include "base/index.h"
#include "screen/report/report_model.h"

/* Expanded lines, by the hash of their path. */
struct pipa_expanded_lines {
	uint64_t *hashes;
	size_t n;
	struct pipa_index index;
};

int pipa_expanded_lines_make(const struct pipa_report_lines *lines,
			     struct pipa_expanded_lines *ret);
void pipa_expanded_lines_done(struct pipa_expanded_lines *expanded);

/* Select rows by filter and limit, and sort them. 0 or -ENOMEM. */
int pipa_report_lines_order(struct pipa_report_model *model);

/*
 * Rebuild all lines: those in `expanded` stay expanded, and the subtree of line `all` (PIPA_NONE:
 * none). 0 or -ENOMEM.
 */
int pipa_report_lines_make(struct pipa_report_model *model,
			   const struct pipa_expanded_lines *expanded, size_t all);

#endif
