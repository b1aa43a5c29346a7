/* Find and control the recording of a running process into which the library was preloaded. */
#ifndef PIPA_MEASURE_HEAP_HEAP_CONTROL_H
#define PIPA_MEASURE_HEAP_HEAP_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct pipa_error;

/*
 * Open the file that a process shares with pipa. Returns the descriptor, -ESRCH if there is no such process,
 * -ENOENT if the library was not preloaded into it, -ECHILD if it was forked and has no recording before its first
 * sample, or -EACCES; err says what to do.
 */
int pipa_heap_control_open(uint32_t pid, struct pipa_error *err);

/* Switch the recording of allocations on or off. 0 or a negative errno. */
int pipa_heap_control_switch(int fd, bool on, struct pipa_error *err);

#endif
