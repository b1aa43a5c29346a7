/*
 * Queue of processes that have exited while their samples may still be in other rings. Each stays
 * for one more round of draining the rings before its mappings are dropped.
 */
#ifndef PIPA_INGEST_ENDED_PROCESSES_H
#define PIPA_INGEST_ENDED_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

struct pipa_ended_process {
	uint32_t pid;
	uint64_t order; /* order of its exit record */
};

struct pipa_ended_processes {
	struct pipa_ended_process *items;
	size_t n, cap;
	size_t old; /* number of processes that exited in earlier rounds; they come first */
};

void pipa_ended_processes_done(struct pipa_ended_processes *ended);

/* Add a process. Returns 0 or -ENOMEM. */
int pipa_ended_processes_add(struct pipa_ended_processes *ended, uint32_t pid, uint64_t order);

/* End a round: pass each process that exited before this round to `drop` and remove it. */
void pipa_ended_processes_end_round(struct pipa_ended_processes *ended,
				    void (*drop)(void *ctx,
						 const struct pipa_ended_process *process),
				    void *ctx);

#endif
