/* Run the parts of a task on several threads. */
#ifndef PIPA_BASE_THREAD_PARALLEL_H
#define PIPA_BASE_THREAD_PARALLEL_H

enum { PIPA_PARALLEL_MAX = 8 };

/* Return the number of CPUs in this process's affinity mask, at most PIPA_PARALLEL_MAX. */
unsigned int pipa_parallel_width(void);

/*
 * Call fn(ctx, part) for each part from 0 to n - 1 (n up to PIPA_PARALLEL_MAX) concurrently, and wait for
 * all. The caller runs the last part, and each part whose thread cannot be started.
 */
void pipa_parallel(unsigned int n, void (*fn)(void *ctx, unsigned int part), void *ctx);

#endif
