/* Name filters that matched nothing, with the nearest names, for empty tables. */
#ifndef PIPA_JOB_VIEW_FILTER_NOTES_H
#define PIPA_JOB_VIEW_FILTER_NOTES_H

#include <stdbool.h>

#include "job/view/choose_event.h"

struct pipa_filter_names {
	const char *comms, *objects, *symbols; /* comma-separated; NULL: not given */
	bool time;			       /* a time range was given */
	const char *comm_option;	       /* what the command calls it; NULL: --comms */
};

/*
 * Note each name that nothing in the profile has, with the nearest names; where all are there, that no sample
 * matches all filters. For the caller that found nothing to show; without filters there is no note.
 */
void pipa_note_filters(const struct pipa_profile *profile, const struct pipa_filter_names *names,
		       const struct pipa_log *log);

#endif
