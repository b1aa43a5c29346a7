/* State of a collection: shared by the collect_*.c files only. */
#ifndef PIPA_JOB_COLLECT_COLLECT_OWN_H
#define PIPA_JOB_COLLECT_COLLECT_OWN_H

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "job/collect/collect.h"
#include "job/collect/collect_lock.h"
#include "measure/target.h"
#include "store/collection.h"

struct pipa_outfile;

struct pipa_collect_job {
	const struct pipa_collect_options *o;
	struct pipa_error *err;
	const struct pipa_host *host;
	struct pipa_collect_lock lock;
	struct pipa_collection self; /* what it is called */
	char hostname[256];

	char *work;    /* directory in which it is made */
	char *session; /* attach_session in it */
	char *archive;
	struct pipa_outfile *log;
	int room; /* holds bytes of the disk for the end, -1: none */

	struct pipa_event_arg events; /* those that can be counted; the text NULL: none can */
	struct pipa_buf event_text;
	bool begun, interrupted;
};

PIPA_PRINTF(3, 4)
void pipa_collect_log(struct pipa_collect_job *c, enum pipa_log_level level, const char *fmt, ...);

/*
 * The directory in which the collection is made, with a log and some room on the disk that is given
 * back for what is written at the end. What a killed one left is taken away.
 */
int pipa_collect_make_work(struct pipa_collect_job *c);
void pipa_collect_give_room(struct pipa_collect_job *c);
void pipa_collect_remove_work(struct pipa_collect_job *c);

/* What this user may not collect, told at the start. */
void pipa_collect_note_permissions(struct pipa_collect_job *c);

/* Those that were requested: a wrong name is told before anything is made or begun. */
int pipa_collect_check_events(struct pipa_collect_job *c);

/* The events of this architecture, or those that were requested, without what the machine lacks. */
int pipa_collect_choose_events(struct pipa_collect_job *c);

/* Count, sample, or both, until the time is over or somebody interrupts. */
int pipa_collect_phase(struct pipa_collect_job *c, bool count, bool sample);

/* "PATH/NAME", to be freed; NULL on allocation failure. */
char *pipa_collect_path(const char *dir, const char *name);

#endif
