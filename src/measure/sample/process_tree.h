/*
 * Keep only the records of a command and its descendants when whole CPUs are sampled.
 *
 * Per-CPU events cost nothing at a context switch; events of tasks are switched with every task.
 * The tree follows fork records.
 */
#ifndef PIPA_MEASURE_SAMPLE_PROCESS_TREE_H
#define PIPA_MEASURE_SAMPLE_PROCESS_TREE_H

#include <stdint.h>
#include <sys/types.h>

#include "perf/split.h"

struct pipa_process_tree;

/*
 * What is theirs goes to fn. The command is held still: its samples count from its exec on. 0 or -ENOMEM.
 */
int pipa_process_tree_new(pid_t command, pipa_perf_record_fn fn, void *ctx,
			  struct pipa_process_tree **ret);
void pipa_process_tree_free(struct pipa_process_tree *tree);

/*
 * The records of one emptying of the rings, in its order: what is told of processes, CPU by CPU, and then
 * samples. The former are kept until the first sample comes, or pipa_process_tree_end(): a child's
 * may stand before its parent's. They have the ids that record's side event has. Returns 0, what fn
 * returned, or -ENOMEM.
 */
int pipa_process_tree_put(struct pipa_process_tree *tree, const struct pipa_perf_raw *raw);
int pipa_process_tree_end(struct pipa_process_tree *tree);

/* Samples of others, which went nowhere. */
uint64_t pipa_process_tree_left_out(const struct pipa_process_tree *tree);

#endif
