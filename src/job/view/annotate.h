/* Annotate functions of a recording: instructions and source lines with their samples. */
#ifndef PIPA_JOB_VIEW_ANNOTATE_H
#define PIPA_JOB_VIEW_ANNOTATE_H

#include <stdbool.h>

#include "job/view/selection.h"
#include "load/load.h"

struct pipa_buf;
struct pipa_error;

struct pipa_annotate_options {
	struct pipa_load_options load;
	struct pipa_profile_selection selection; /* its all_values is set by the job */
	const char *symbol;			 /* only this function; NULL: the hottest ones */
	const char *event;			 /* NULL: the first that has samples */
	double percent_limit;			 /* of the event, for the hottest functions */
	bool code, source;			 /* what is shown */
	bool summary; /* text: the source lines first, most samples first */
	bool json, color;
};

/*
 * Annotate functions of a loaded profile, or of a part that shares its objects. Uses the files of
 * its symbolizer; `load` of the options is not used.
 */
int pipa_annotate_profile(const struct pipa_annotate_options *options,
			  const struct pipa_profile *profile, struct pipa_symbolizer *symbolizer,
			  struct pipa_buf *out, struct pipa_error *err);

/*
 * Does an argument name a recording, or a symbol of perf.data? A recording is a file that exists and is
 * not a program, a path with a slash, or "-". Without a perf.data all arguments are recordings.
 */
bool pipa_annotate_is_recording(const char *word);

/* Load a recording and annotate its functions. */
int pipa_annotate_run(const struct pipa_annotate_options *options, struct pipa_buf *out,
		      struct pipa_error *err);

#endif
