/* Name filters that matched nothing, with the nearest names, for empty tables. */
#ifndef PIPA_JOB_VIEW_FILTER_NOTES_H
#define PIPA_JOB_VIEW_FILTER_NOTES_H

#include <stdbool.h>

#include "job/view/choose_event.h"

struct pipa_filter_names {
	const char *comms, *objects, *symbols; /* comma-separated; NULL: not given */
	bool time;			       /* a time range was given */
	const char *comm_option;	       /* name of the option; NULL: --comms */
};

/*
 * Note each name that does not occur in the profile, with the nearest one, or that no sample
 * matches all filters. For an empty result; without filters there is no note.
 */
void pipa_note_filters(const struct pipa_profile *profile, const struct pipa_filter_names *names,
		       const struct pipa_log *log);

#endif
