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

struct pipa_profile;

struct pipa_folded_format {
	struct pipa_fold_format names; /* .java is set for each thread */
	bool pid;		       /* comm-PID */
	bool tid;		       /* comm-PID/TID */
	uint32_t event;		       /* PIPA_NONE: all; samples whose event has no name always */
};

/*
 * Hand the text to put() in pieces that end anywhere; a return below 0 ends it and is returned. Else 0
 * or -ENOMEM.
 */
int pipa_folded_write(const struct pipa_profile *profile, const struct pipa_folded_format *look,
		      int (*put)(void *ctx, const char *bytes, size_t len), void *ctx);

#endif
