/*
 * Report the share of unwound stacks that is complete, why and in which object the others end, and
 * what to do.
 */
#ifndef PIPA_EXPORT_TEXT_STACK_ENDS_H
#define PIPA_EXPORT_TEXT_STACK_ENDS_H

#include "model/profile.h"

struct pipa_buf;
struct pipa_doc;

/*
 * Write lines after a '#', or a map "stacks" of a document. If no stack was unwound, write only the number of truncated
 * stacks, unless it is 0.
 */
void pipa_stack_ends_text(const struct pipa_profile *profile, struct pipa_buf *out);
void pipa_stack_ends_doc(const struct pipa_profile *profile, struct pipa_doc *doc);

#endif
