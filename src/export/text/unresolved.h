/* What share of a profile ended in frames without a name, and why they have none. */
#ifndef PIPA_EXPORT_TEXT_UNRESOLVED_H
#define PIPA_EXPORT_TEXT_UNRESOLVED_H

#include "model/profile.h"

struct pipa_buf;
struct pipa_doc;

/* In percent of the weight of the first event that has samples. */
struct pipa_nameless_shares {
	double all, by_reason[PIPA_NAMELESS_NR];
};

void pipa_nameless_find(const struct pipa_profile *profile, struct pipa_nameless_shares *ret);

/* A line of text behind a '#', nothing when all have names; a map "nameless" of a document. */
void pipa_nameless_text(const struct pipa_nameless_shares *shares, struct pipa_buf *out);
void pipa_nameless_doc(const struct pipa_nameless_shares *shares, struct pipa_doc *doc);

#endif
