/* Write the stacks of a file of any kind as folded stacks. */
#ifndef PIPA_JOB_VIEW_FOLD_H
#define PIPA_JOB_VIEW_FOLD_H

#include <stdbool.h>

#include "base/log.h"
#include "export/exchange/folded.h"

struct pipa_error;

struct pipa_fold_options {
	const char *path;		/* NULL or "-": standard input */
	const char *output;		/* a file; NULL: out_fd */
	const char *event;		/* only this one; NULL: the first */
	struct pipa_folded_format look; /* .event is found by name */
	bool not_inlined;		/* functions that were inlined are not frames */
	int out_fd;
	struct pipa_log log;
};

/* -EINVAL when the input holds no stacks, or not of that event. */
int pipa_fold_run(const struct pipa_fold_options *options, struct pipa_error *err);

#endif
