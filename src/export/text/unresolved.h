/* Report the share of a profile in unresolved frames, and the reasons. */
#ifndef PIPA_EXPORT_TEXT_UNRESOLVED_H
#define PIPA_EXPORT_TEXT_UNRESOLVED_H

#include "model/profile.h"

struct pipa_buf;
struct pipa_doc;

/* Return the reason as an identifier, "no_file"; NULL for PIPA_RESOLVED. */
const char *pipa_unresolved_id(enum pipa_unresolved reason);

/* Percentages of the weight of the first event that has samples. */
struct pipa_unresolved_shares {
	double all, by_reason[PIPA_UNRESOLVED_NR];
};

void pipa_unresolved_find(const struct pipa_profile *profile, struct pipa_unresolved_shares *ret);

/* Write a line after a '#', nothing if all are resolved; or a map "unresolved" of a document. */
void pipa_unresolved_text(const struct pipa_unresolved_shares *shares, struct pipa_buf *out);
void pipa_unresolved_doc(const struct pipa_unresolved_shares *shares, struct pipa_doc *doc);

#endif
