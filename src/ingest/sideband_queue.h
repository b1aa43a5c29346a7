/*
 * Queue of side-band records (mmap, comm, fork, exit, ksymbol), applied in time order to spaces,
 * threads and JIT ranges before samples are processed.
 *
 * Records of the same time come from several CPUs, each with an order of its own.
 */
#ifndef PIPA_INGEST_SIDEBAND_QUEUE_H
#define PIPA_INGEST_SIDEBAND_QUEUE_H

#include <stddef.h>

#include "model/profile.h"
#include "model/record.h"

struct pipa_sideband_update;
struct pipa_ingest_code;
struct pipa_jit_ranges;
struct pipa_spaces;
struct pipa_threads;

/* A zeroed one is empty. */
struct pipa_sideband_queue {
	struct pipa_sideband_update *items;
	size_t n, cap;
};

void pipa_sideband_queue_done(struct pipa_sideband_queue *changes);

/*
 * Each returns 0 or -ENOMEM; names go to the profile at once. A mapping is within all addresses;
 * `code` is for a jitdump, else NULL.
 */
int pipa_sideband_queue_map(struct pipa_sideband_queue *changes, struct pipa_profile *profile,
			    const struct pipa_rec_id *id, const struct pipa_rec_map *map,
			    const struct pipa_ingest_code *code);
int pipa_sideband_queue_ksymbol(struct pipa_sideband_queue *changes, struct pipa_profile *profile,
				const struct pipa_rec_id *id,
				const struct pipa_rec_ksymbol *symbol);
int pipa_sideband_queue_comm(struct pipa_sideband_queue *changes, struct pipa_profile *profile,
			     const struct pipa_rec_id *id, const struct pipa_rec_comm *comm);
int pipa_sideband_queue_fork(struct pipa_sideband_queue *changes, const struct pipa_rec_id *id,
			     const struct pipa_rec_task *task);

/* All of them in the order of their time; none is left. 0 or -ENOMEM. */
int pipa_sideband_queue_apply(struct pipa_sideband_queue *changes, struct pipa_spaces *spaces,
			      struct pipa_threads *threads, struct pipa_jit_ranges *jits);

#endif
