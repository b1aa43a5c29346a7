/*
 * Write a profile as folded stacks: lines "comm;outermost;...;innermost WEIGHT", equal stacks in
 * one line, sorted by the bytes before the weight.
 */
#ifndef PIPA_EXPORT_EXCHANGE_FOLDED_H
#define PIPA_EXPORT_EXCHANGE_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/exchange/fold_name.h"

struct pipa_fold_tree;
struct pipa_profile;

struct pipa_folded_format {
	struct pipa_fold_format names; /* .java is set by the writer for each thread */
	bool pid;		       /* label "comm-PID" */
	bool tid;		       /* label "comm-PID/TID" */
	bool has_labels;	       /* outermost frames are labels: add none */
	uint32_t event; /* PIPA_NONE: all; samples of an unnamed event are always written */
};

/* Make the tree of the stacks, to be freed by pipa_fold_tree_done(). 0 or -ENOMEM. */
int pipa_folded_make(const struct pipa_profile *profile, const struct pipa_folded_format *format,
		     struct pipa_fold_tree *ret);

/*
 * Pass the text to put() in chunks that end anywhere. Returns 0, -ENOMEM, or the first negative
 * result of put(), which ends the writing.
 */
int pipa_folded_write(const struct pipa_profile *profile, const struct pipa_folded_format *format,
		      int (*put)(void *ctx, const char *bytes, size_t len), void *ctx);

#endif
