/* Name filters that matched nothing, with the nearest names, for empty tables. */
#ifndef PIPA_JOB_VIEW_FILTER_NOTES_H
#define PIPA_JOB_VIEW_FILTER_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "job/view/choose_event.h"

struct pipa_filter_names {
	const char *comms, *objects, *symbols; /* comma-separated; NULL: not given */
	bool time;			       /* a time range was given */
	const char *comm_option;	       /* name of the option; NULL: --comms */
	bool pids, tids, cpus, trace_id;       /* the option was given */
	bool frames;			       /* so was --focus or another filter of frames */
	const char *const *labels;	       /* the expressions of --label */
	size_t n_labels;
};

/* The names of the filters, and whether they occur in the profiles of one or more files. */
struct pipa_filter_notes {
	struct pipa_filter_names names;
	struct pipa_filter_name *items;
	size_t n;
};

/* Borrows the names. 0 or -ENOMEM; a zeroed struct is empty. */
int pipa_filter_notes_init(struct pipa_filter_notes *notes, const struct pipa_filter_names *names);
void pipa_filter_notes_done(struct pipa_filter_notes *notes);

/* Search the names in a profile, which need not live on. */
void pipa_filter_notes_add(struct pipa_filter_notes *notes, const struct pipa_profile *profile);

/* Note each name that no profile has, with the nearest one; else the filters that match nothing. */
void pipa_filter_notes_write(const struct pipa_filter_notes *notes, const struct pipa_log *log);

/*
 * The same for one profile. A time range that has no samples is noted, and then no name. For an empty
 * result; without filters there is no note.
 */
void pipa_note_filters(const struct pipa_profile *profile, const struct pipa_filter_names *names,
		       const struct pipa_log *log);

#endif
