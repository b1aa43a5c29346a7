/* Rows of a table under construction: shared by top.c and top_make.c only. */
#ifndef PIPA_ANALYZE_PROFILE_TOP_ROWS_H
#define PIPA_ANALYZE_PROFILE_TOP_ROWS_H

#include <stdint.h>

#include "analyze/profile/top.h"

/* Set the parts of a row's key that come from a sample, and those that come from a frame. */
void pipa_top_key_of_sample(const struct pipa_top *top, uint32_t sample, uint32_t *key);
void pipa_top_key_of_frame(const struct pipa_top *top, const struct pipa_frame *frame,
			   uint32_t *key);

/* Find the values of the labels that are keys. 0 or -ENOMEM. */
int pipa_top_find_labels(struct pipa_top *top);

/* Append a row without weight, without a duplicate check; PIPA_NONE on allocation failure. */
uint32_t pipa_top_row_add(struct pipa_top *top, const uint32_t *key, uint32_t location);

/* Sort the rows and index them. 0 or -ENOMEM. */
int pipa_top_sort(struct pipa_top *top);

#endif
