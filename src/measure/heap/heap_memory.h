/* Search the memory of a process that waits at its exit for pointers to its blocks, and read their pages. */
#ifndef PIPA_MEASURE_HEAP_HEAP_MEMORY_H
#define PIPA_MEASURE_HEAP_HEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_error;
struct pipa_heaps_block;

/*
 * Search the memory of a process for pointers to its blocks, and set their `reach`. With `all_known` the
 * blocks are all that were allocated, and no other memory of the heap, such as that of freed blocks, is
 * searched. Mappings with `ignored` in their path, those of the library, are not searched. 0 or a negative
 * errno, after which `reach` is unknown.
 */
int pipa_heap_find_leaks(uint32_t pid, struct pipa_heaps_block *blocks, size_t n, bool all_known,
			 const char *ignored, struct pipa_error *err);

/* Read from /proc/PID/pagemap which bytes of each block are resident, swapped or were never written. */
int pipa_heap_read_pages(uint32_t pid, struct pipa_heaps_block *blocks, size_t n,
			 struct pipa_error *err);

#endif
