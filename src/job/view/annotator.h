/* List the code of single functions of a loaded profile, for reports that name functions themselves. */
#ifndef PIPA_JOB_VIEW_ANNOTATOR_H
#define PIPA_JOB_VIEW_ANNOTATOR_H

#include <stddef.h>
#include <stdint.h>

struct pipa_annotator;
struct pipa_listing;
struct pipa_profile;
struct pipa_symbolizer;

/* Sum the samples of an event. Borrows the profile and its symbolizer. 0 or -ENOMEM. */
int pipa_annotator_new(const struct pipa_profile *profile, uint32_t event,
		       struct pipa_symbolizer *symbolizer, struct pipa_annotator **ret);
void pipa_annotator_free(struct pipa_annotator *annotator);

/*
 * List the code of a function with the samples of its instructions. Object and symbol are those of
 * rows of `pipa report`: "mix (inlined)" is the code of mix in the function that it is inlined into.
 * Returns 1, 0 if no sampled code has that name, or -ENOMEM. Strings of the listing are valid as long
 * as the annotator; call pipa_listing_done() in any case.
 */
int pipa_annotator_list(struct pipa_annotator *annotator, const char *object, const char *symbol,
			struct pipa_listing *ret);

/* Return a line of a source file without its end, borrowed, or NULL: struct pipa_annotate_format.line. */
const char *pipa_annotator_line(void *annotator, const char *file, uint32_t number,
				size_t *ret_len);

static inline void pipa_annotator_free_auto(struct pipa_annotator **annotator)
{
	pipa_annotator_free(*annotator);
}

#endif
