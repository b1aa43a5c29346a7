/*
 * Live sampled blocks by address: a hash table that any number of threads and signal handlers use
 * at once, without locks. It lives in the shared file (abi.h).
 *
 * An address is added after the allocator returned it and removed before it is freed, so calls for
 * one address never overlap. That is all that the table needs: a bucket has seven addresses in a
 * cache line and the number of its blocks that are in other buckets, so a search knows when it may
 * end, and a removed block needs no mark. The first bucket of an address is
 * near those of its neighbours, so that the pages touched are few; the others are scattered.
 */
#ifndef PIPA_PRELOAD_BLOCKS_H
#define PIPA_PRELOAD_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/abi.h"

struct pipa_heap_blocks {
	struct pipa_heap_bucket *buckets;
	struct pipa_heap_block *blocks;
	uint64_t mask;	    /* buckets - 1 */
	unsigned int shift; /* addresses per bucket, as a power of two */
	/*
	 * Make memory of the shared file usable. False: the file cannot be enlarged. NULL: all of it is.
	 */
	bool (*commit)(void *at, uint64_t size);
	uint64_t *usable; /* one bit for each PIPA_HEAP_GROUP buckets: they and their blocks are */
};

enum { PIPA_HEAP_PROBES = 12, PIPA_HEAP_GROUP = 64, PIPA_HEAP_BLOCKS_MAX = 1 << 25 };

/* False if the table is full, or the file cannot be enlarged. */
bool pipa_heap_blocks_add(struct pipa_heap_blocks *table, uint64_t address,
			  const struct pipa_heap_block *block);

/* False if the address is not in the table. */
bool pipa_heap_blocks_remove(struct pipa_heap_blocks *table, uint64_t address,
			     struct pipa_heap_block *ret);

/*
 * A filter of addresses before the table: zero for an address that is certainly not in it. A count
 * for each 256 bytes, modulo 4 MiB: small, because every free reads it, and most of them nothing
 * else of the library; and coarse, so that a heap of 1 MiB needs 4 KiB of it in the cache. A count
 * that has become FULL stays so. With high rates all of them are full from the start, because
 * threads that change them would contend for their cache lines.
 */
enum { PIPA_HEAP_FILTER = 1 << 14, PIPA_HEAP_FILTER_FULL = UINT8_MAX };
extern uint8_t pipa_heap_filter[PIPA_HEAP_FILTER]
	__attribute__((visibility("hidden"), aligned(64)));

static inline uint8_t *pipa_heap_filter_at(uint64_t address)
{
	return &pipa_heap_filter[address >> 8 & (PIPA_HEAP_FILTER - 1)];
}

/* Count an address, by 1 or -1. */
void pipa_heap_filter_count(uint64_t address, int by);

#endif
