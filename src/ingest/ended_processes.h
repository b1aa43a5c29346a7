/*
 * Processes that have exited while samples of them may still be in other rings: each is kept for one more
 * round of emptying the rings before its mappings are dropped.
 */
#ifndef PIPA_INGEST_ENDED_PROCESSES_H
#define PIPA_INGEST_ENDED_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

struct pipa_ended_process {
	uint32_t pid;
	uint64_t order; /* of its exit record */
};

struct pipa_ended_processes {
	struct pipa_ended_process *items;
	size_t n, cap;
	size_t old; /* those before it exited in earlier rounds */
};

void pipa_ended_processes_done(struct pipa_ended_processes *ended);

/* Add a process. 0 or -ENOMEM. */
int pipa_ended_processes_add(struct pipa_ended_processes *ended, uint32_t pid, uint64_t order);

/* End a round: remove the processes that exited before it and pass each to the callback. */
void pipa_ended_processes_end_round(struct pipa_ended_processes *ended,
				    void (*drop)(void *ctx,
						 const struct pipa_ended_process *process),
				    void *ctx);

#endif
