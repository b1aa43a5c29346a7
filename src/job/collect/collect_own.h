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
	struct pipa_collection self; /* names of the collection */
	char hostname[256];

	char *work;    /* directory in which it is built */
	char *session; /* attach_session in it */
	char *archive;
	struct pipa_outfile *log;
	int reserve_fd; /* file that reserves disk space for the end, -1: none */

	/* events that can be counted; its text is NULL if there are none */
	struct pipa_event_arg events;
	struct pipa_buf event_text;
	bool begun, interrupted;
};

PIPA_PRINTF(3, 4)
void pipa_collect_log(struct pipa_collect_job *c, enum pipa_log_level level, const char *fmt, ...);

/*
 * Make the working directory with a log and a file that reserves disk space. Removes the directory
 * of a killed collection.
 */
int pipa_collect_make_work(struct pipa_collect_job *c);
void pipa_collect_release_reserve(struct pipa_collect_job *c);
void pipa_collect_remove_work(struct pipa_collect_job *c);

/* Note at the start what this user may not collect. */
void pipa_collect_note_permissions(struct pipa_collect_job *c);

/* Check the requested events, before anything is created. */
int pipa_collect_check_events(struct pipa_collect_job *c, const char *events);

/*
 * Choose the default events of this architecture or the requested ones, without those that the
 * machine lacks.
 */
int pipa_collect_choose_events(struct pipa_collect_job *c);

/* Count, sample, or both, until the time is over or a signal arrives. */
int pipa_collect_phase(struct pipa_collect_job *c, bool count, bool sample);

/* Return "PATH/NAME", which the caller frees; NULL on allocation failure. */
char *pipa_collect_path(const char *dir, const char *name);

#endif
