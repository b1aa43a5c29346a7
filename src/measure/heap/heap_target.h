/* Check before its start whether a library can be preloaded into a command. */
#ifndef PIPA_MEASURE_HEAP_HEAP_TARGET_H
#define PIPA_MEASURE_HEAP_HEAP_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_error;

/*
 * Find the file of a command as execvp(3) does, by PATH if the name has no slash. False if there is none
 * that can be executed.
 */
bool pipa_command_find(const char *command, char *path, size_t size);

/*
 * Refuse programs into which the library cannot be preloaded: statically linked, of another machine or
 * C library, or setuid with other privileges than this process; with `malloc_required` also those that
 * define malloc themselves. For a script its interpreter is checked. Returns 0 or -ENOTSUP with err filled;
 * 0 also for a command that cannot be read or executed: its exec reports that.
 */
int pipa_heap_target_check(const char *command, bool malloc_required, struct pipa_error *err);

#endif
