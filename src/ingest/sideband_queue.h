/*
 * Queue of side-band records (mmap, comm, fork, exit, ksymbol), applied in time order to spaces,
 * threads and JIT ranges before samples are processed.
 *
 * Records of the same time may come from several CPUs; they are applied in the order in which they
 * were queued.
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

/* Zeroed: empty. */
struct pipa_sideband_queue {
	struct pipa_sideband_update *items;
	size_t n, cap;
};

void pipa_sideband_queue_done(struct pipa_sideband_queue *queue);

/*
 * Queue a record; strings and objects are added to the profile at once. `map` must not wrap around
 * the end of the address space; `code` is set for a jitdump, else NULL. Each returns 0 or -ENOMEM.
 */
int pipa_sideband_queue_map(struct pipa_sideband_queue *queue, struct pipa_profile *profile,
			    const struct pipa_rec_id *id, const struct pipa_rec_map *map,
			    const struct pipa_ingest_code *code);
int pipa_sideband_queue_ksymbol(struct pipa_sideband_queue *queue, struct pipa_profile *profile,
				const struct pipa_rec_id *id,
				const struct pipa_rec_ksymbol *symbol);
int pipa_sideband_queue_comm(struct pipa_sideband_queue *queue, struct pipa_profile *profile,
			     const struct pipa_rec_id *id, const struct pipa_rec_comm *comm);
int pipa_sideband_queue_fork(struct pipa_sideband_queue *queue, const struct pipa_rec_id *id,
			     const struct pipa_rec_task *task);

/* Apply all queued records in time order and empty the queue. Returns 0 or -ENOMEM. */
int pipa_sideband_queue_apply(struct pipa_sideband_queue *queue, struct pipa_spaces *spaces,
			      struct pipa_threads *threads, struct pipa_jit_ranges *jits);

#endif
