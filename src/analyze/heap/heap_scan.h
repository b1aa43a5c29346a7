/*
 * Search memory for pointers to blocks, to tell leaked blocks from those that the process can still reach.
 * The search names the memory to read, and the caller reads it. As in valgrind's memcheck, every aligned word
 * that has the address of a block, or one within it, counts as a pointer.
 *
 *	pipa_heap_scan_words() for all roots: stacks, data of programs and libraries
 *	while pipa_heap_scan_next(): read the block, pipa_heap_scan_words()
 *	pipa_heap_scan_lost() and again the loop, until it returns false
 */
#ifndef PIPA_ANALYZE_HEAP_HEAP_SCAN_H
#define PIPA_ANALYZE_HEAP_HEAP_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_heap_scan;
struct pipa_heaps_block;

/* Create a search for n blocks, whose `reach` it sets; borrowed. NULL on allocation failure. */
struct pipa_heap_scan *pipa_heap_scan_new(struct pipa_heaps_block *blocks, size_t n);
void pipa_heap_scan_free(struct pipa_heap_scan *scan);

/*
 * Search bytes of memory, whose address is a multiple of 8: of a root before the first call of
 * pipa_heap_scan_next(), afterwards of the block that it returned. Without `interior` only pointers to
 * the start of a block count.
 */
void pipa_heap_scan_words(struct pipa_heap_scan *scan, struct pipa_span bytes, bool interior);

/* Get the next block whose memory is to be searched; false if there is none. */
bool pipa_heap_scan_next(struct pipa_heap_scan *scan, const struct pipa_heaps_block **ret);

/*
 * After the blocks that roots reach: take the next lost block as the start of further blocks that are
 * lost with it. False after the last: `reach` of all blocks is final.
 */
bool pipa_heap_scan_lost(struct pipa_heap_scan *scan);

/* Find the first part of [*start, end) that no block covers: [*start, *ret_end). False if there is none. */
bool pipa_heap_scan_gap(const struct pipa_heap_scan *scan, uint64_t *start, uint64_t end,
			uint64_t *ret_end);

#endif
