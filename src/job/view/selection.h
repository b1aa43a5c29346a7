/* Load a file, choose its value column and apply filters: options that commands share. */
#ifndef PIPA_JOB_VIEW_SELECTION_H
#define PIPA_JOB_VIEW_SELECTION_H

#include <stdbool.h>

#include "analyze/profile/filter.h"

struct pipa_buf;
struct pipa_error;
struct pipa_load_options;
struct pipa_loaded;
struct pipa_log;
struct pipa_profile;

struct pipa_profile_selection {
	struct pipa_filter_options filter; /* its times are those of the load options */
	const char *value; /* name of a column; NULL: pprof's default of a file with columns */
	bool all_values;   /* without a value: keep all columns */
};

/* Append the value columns: "samples (count), cpu (nanoseconds)", or "no columns". */
void pipa_value_columns_list(const struct pipa_profile *p, struct pipa_buf *out);

/*
 * Like pipa_load(), with only the selected value column and samples. A note names the column if the
 * file has others, and each expression that matched nothing. -EINVAL if the column is unknown, or
 * the file lacks what a filter compares.
 */
int pipa_load_selected(const struct pipa_load_options *o, const struct pipa_profile_selection *s,
		       struct pipa_loaded *ret, struct pipa_error *err);

/* Select only the value column of a loaded profile, likewise. */
int pipa_select_value(struct pipa_loaded *loaded, const struct pipa_profile_selection *selection,
		      const struct pipa_log *log, struct pipa_error *err);

#endif
