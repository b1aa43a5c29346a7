/* Notes of a report of counts: multiplexing, missing events, permissions. */
#ifndef PIPA_JOB_STAT_NOTES_H
#define PIPA_JOB_STAT_NOTES_H

#include "base/auto.h"
#include "model/event.h"
#include "model/stat.h"

struct pipa_root;

enum { PIPA_STAT_NOTES = 8 };

struct pipa_stat_notes {
	const char *items[PIPA_STAT_NOTES];
	size_t n;
	char text[PIPA_STAT_NOTES][200];
};

/* Add a note; all after the eighth are dropped. */
void pipa_stat_note(struct pipa_stat_notes *notes, const char *fmt, ...) PIPA_PRINTF(2, 3);

/* Add the notes on a finished report: missing permissions, missing counters, late intervals. */
void pipa_stat_notes_make(struct pipa_stat_notes *notes, const struct pipa_stat *stat,
			  const struct pipa_events *events, struct pipa_root *root);

#endif
