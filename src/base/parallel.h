/* Work that falls into parts, on as many threads. Inside job/ only. */
#ifndef PIPA_BASE_PARALLEL_H
#define PIPA_BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>

enum { PIPA_PARALLEL_MAX = 8 };

/* How many parts are worth it: the CPUs that this process may run on, up to PIPA_PARALLEL_MAX. */
unsigned int pipa_parallel_width(void);

/*
 * Call fn(ctx, part) for each part from 0 to n - 1 (up to PIPA_PARALLEL_MAX), at the same time, and wait
 * for all: the last is the caller's own. Where there can be no thread, the caller does that part too.
 */
void pipa_parallel(unsigned int n, void (*fn)(void *ctx, unsigned int part), void *ctx);

/* One thread for fn(ctx), which no signal disturbs; the caller joins it. False: there can be none. */
bool pipa_parallel_start(pthread_t *ret, void *(*fn)(void *ctx), void *ctx);

#endif
