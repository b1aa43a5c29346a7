/* Rows of a diff under construction: shared by diff.c and diff_rows.c only. */
#ifndef PIPA_ANALYZE_PROFILE_DIFF_OWN_H
#define PIPA_ANALYZE_PROFILE_DIFF_OWN_H

#include "analyze/profile/diff.h"
#include "analyze/profile/frames.h"

/*
 * Intern: return the index of an equal entry, adding it if missing; PIPA_NONE on allocation
 * failure.
 */
uint32_t pipa_diff_frame(struct pipa_diff *diff, const struct pipa_diff_frame *frame);
uint32_t pipa_diff_node(struct pipa_diff *diff, uint32_t parent, uint32_t frame);

/*
 * Find objects of the run that have another file name in the first run. 0 or -ENOMEM.
 */
int pipa_diff_find_renames(struct pipa_diff *diff, size_t run, const struct pipa_profile *profile,
			   uint32_t event);

/* Return the name in the first run of an object of a run. */
uint32_t pipa_diff_base_name(const struct pipa_diff *diff, size_t run, uint32_t object);

/* Add a weight to a run of the row of a frame (path PIPA_NONE) or stack. 0 or -ENOMEM. */
int pipa_diff_add_weight(struct pipa_diff *diff, const struct pipa_diff_row *row, size_t run,
			 const struct pipa_weight *weight);

#endif
