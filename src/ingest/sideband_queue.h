/*
 * What was learned of processes, waiting to be put in order: records of one moment come from several CPUs, each with
 * its own. Applied, it is where samples look for it: spaces, threads and jits.
 */
#ifndef PIPA_INGEST_SIDEBAND_QUEUE_H
#define PIPA_INGEST_SIDEBAND_QUEUE_H

#include <stddef.h>

#include "model/profile.h"
#include "model/record.h"

struct pipa_sideband_update;
struct pipa_ingest_code;
struct pipa_jits;
struct pipa_spaces;
struct pipa_threads;

/* A zeroed one is empty. */
struct pipa_changes {
	struct pipa_sideband_update *items;
	size_t n, cap;
};

void pipa_changes_done(struct pipa_changes *changes);

/*
 * Each 0 or -ENOMEM; what is named goes to the profile at once. A mapping lies within all addresses; `code` is for one
 * that tells of code made at run time, else NULL.
 */
int pipa_changes_map(struct pipa_changes *changes, struct pipa_profile *profile,
		     const struct pipa_rec_id *id, const struct pipa_rec_map *map,
		     const struct pipa_ingest_code *code);
int pipa_changes_ksymbol(struct pipa_changes *changes, struct pipa_profile *profile,
			 const struct pipa_rec_id *id, const struct pipa_rec_ksymbol *symbol);
int pipa_changes_comm(struct pipa_changes *changes, struct pipa_profile *profile,
		      const struct pipa_rec_id *id, const struct pipa_rec_comm *comm);
int pipa_changes_fork(struct pipa_changes *changes, const struct pipa_rec_id *id,
		      const struct pipa_rec_task *task);

/* All of them in the order of their time; none is left. 0 or -ENOMEM. */
int pipa_changes_apply(struct pipa_changes *changes, struct pipa_spaces *spaces,
		       struct pipa_threads *threads, struct pipa_jits *jits);

#endif
