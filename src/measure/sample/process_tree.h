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
 * Create a tree that passes the records of the command and its descendants to fn. The command is
 * held before its exec: its samples count from there on. 0 or -ENOMEM.
 */
int pipa_process_tree_new(pid_t command, pipa_perf_record_fn fn, void *ctx,
			  struct pipa_process_tree **ret);
void pipa_process_tree_free(struct pipa_process_tree *tree);

/*
 * Add the records of one drain of the rings, in order: side-band records by CPU, then samples.
 * Side-band records are stored until the first sample or pipa_process_tree_end(), because those of
 * a child can come before those of its parent. They have the ids of record's side-band event.
 * Returns 0, -ENOMEM or the result of fn.
 */
int pipa_process_tree_put(struct pipa_process_tree *tree, const struct pipa_perf_raw *raw);
int pipa_process_tree_end(struct pipa_process_tree *tree);

/* Return the number of dropped samples of other processes. */
uint64_t pipa_process_tree_left_out(const struct pipa_process_tree *tree);

#endif
