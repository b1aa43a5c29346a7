/*
 * CLOCK_MONOTONIC in nanoseconds, without libc: from the processor's counter where its rate is constant and
 * known, corrected by the kernel's clock once per second.
 */
#ifndef PIPA_PRELOAD_CLOCK_H
#define PIPA_PRELOAD_CLOCK_H

#include <stdint.h>

/*
 * Find the vdso's clock and the processor's counter, if the thread may read it. Before this call each reading is a
 * system call.
 */
void pipa_heap_clock_start(void);

/* Read the time by system calls from now on: the counter, which the vdso reads too, is about to be forbidden. */
void pipa_heap_clock_avoid_counter(void);

uint64_t pipa_heap_clock_ns(void);

#endif
