/* Compare recordings of any kind: what changed, and whether it is significant. */
#ifndef PIPA_JOB_VIEW_DIFF_H
#define PIPA_JOB_VIEW_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/profile/diff.h"
#include "export/table/diff.h"
#include "load/load.h"

struct pipa_buf;
struct pipa_error;

struct pipa_diff_job {
	struct pipa_load_options load; /* for each of them; its path is not looked at */
	struct pipa_diff_options diff; /* its n_base and n_now say how many there are */
	const char *const *paths;      /* those of the base first */
	/* The events to compare, each of which all must have; NULL: those that all have. */
	const char *const *events;
	size_t n_events;
	enum pipa_lines inlined; /* frames of what was inlined, where frames are looked at */
	enum pipa_diff_form form;
	bool html; /* instead: a page for the browser, of one base and one other */
	double percent_limit;
	size_t limit;
	bool color;
	size_t columns;
	double fail_above; /* NaN: nothing is asked */
};

/*
 * The comparison, complete, into out: a table for each event. 0, or 1 when something grew by more
 * than fail_above, which crossed then tells: a row by that many points of its share beyond noise,
 * or, with absolute weights, the whole by that many percent, noise or not where that is not known.
 */
int pipa_diff_run(const struct pipa_diff_job *job, struct pipa_buf *out, struct pipa_buf *crossed,
		  struct pipa_error *err);

#endif
