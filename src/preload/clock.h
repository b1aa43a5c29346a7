/*
 * CLOCK_MONOTONIC in nanoseconds, without libc. By the processor's counter where its rate is constant and
 * known; it is compared with the kernel's clock about once a second.
 */
#ifndef PIPA_PRELOAD_CLOCK_H
#define PIPA_PRELOAD_CLOCK_H

#include <stdint.h>

/* Find out what clocks there are. Without it each reading is a system call. */
void pipa_heap_clock_start(void);

uint64_t pipa_heap_clock_ns(void);

#endif
