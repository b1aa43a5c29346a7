/* Add up the profiles of several files. */
#ifndef PIPA_JOB_EXCHANGE_MERGE_H
#define PIPA_JOB_EXCHANGE_MERGE_H

#include <stddef.h>

#include "job/exchange/export.h"

struct pipa_merge_options {
	const char *const *paths; /* one of them may be "-", standard input */
	size_t n;
	struct pipa_export_options out; /* its path is ignored; selections apply to each file */
};

/*
 * Merge as pprof does: weights of equal stacks with equal labels are added, durations, losses and
 * comments as well, and the earliest start and the largest period are used. All files must have the
 * same value columns and period types. Files are loaded one after the other, so memory is
 * proportional to distinct stacks. -EINVAL if the columns differ.
 */
int pipa_merge_run(const struct pipa_merge_options *options, struct pipa_error *err);

#endif
