/* Write the stacks of a file of any kind as folded stacks. */
#ifndef PIPA_JOB_VIEW_FOLD_H
#define PIPA_JOB_VIEW_FOLD_H

#include <stdbool.h>

#include "base/log.h"
#include "export/exchange/folded.h"
#include "job/view/selection.h"

struct pipa_error;

struct pipa_fold_options {
	const char *path;			 /* NULL or "-": standard input */
	const char *output;			 /* a file; NULL: out_fd */
	const char *event;			 /* only this event; NULL: the first */
	struct pipa_profile_selection selection; /* its all_values is set by the job */
	struct pipa_folded_format format;	 /* .event is found by name */
	bool not_inlined;			 /* omit frames of inlined functions */
	int out_fd;
	struct pipa_log log;
};

/* Fold the stacks. -EINVAL if the input has no stacks, or none of that event. */
int pipa_fold_run(const struct pipa_fold_options *options, struct pipa_error *err);

#endif
