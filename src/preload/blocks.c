#include "preload/blocks.h"

#include <stddef.h>

uint8_t pipa_heap_filter[PIPA_HEAP_FILTER];

enum { CLAIMED = 1 }; /* in place of the address while a block is written */

/* Exchanges the word that contains the count: riscv64 has no atomic instructions for bytes. Little-endian only. */
void pipa_heap_filter_count(uint64_t address, int by)
{
	typedef uint32_t __attribute__((may_alias)) word;
	uint64_t i = (uint64_t)(pipa_heap_filter_at(address) - pipa_heap_filter);
	word *at = (word *)&pipa_heap_filter[i & ~UINT64_C(3)];
	uint32_t shift = (uint32_t)(i & 3) * 8, old = __atomic_load_n(at, __ATOMIC_RELAXED), new;
	uint8_t n;

	do {
		n = (uint8_t)(old >> shift);
		if (n == PIPA_HEAP_FILTER_FULL)
			return;
		new = (old & ~(UINT32_C(255) << shift)) | (uint32_t)(uint8_t)(n + by) << shift;
	} while (!__atomic_compare_exchange_n(at, &old, new, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 32;
	return x;
}

/* The bucket to try first, near those of the address's neighbours: regions of 64 MiB are spread. */
static uint64_t home_of(const struct pipa_heap_blocks *table, uint64_t address)
{
	return ((address >> table->shift) + mix(address >> 26)) & table->mask;
}

static uint64_t probe(const struct pipa_heap_blocks *table, uint64_t address, uint64_t home,
		      unsigned int i)
{
	return i ? mix(address + i * UINT64_C(0x9e3779b97f4a7c15)) & table->mask : home;
}

static bool is_usable(const struct pipa_heap_blocks *table, uint64_t bucket)
{
	uint64_t group = bucket / PIPA_HEAP_GROUP;

	return !table->commit ||
	       (__atomic_load_n(&table->usable[group / 64], __ATOMIC_ACQUIRE) >> group % 64 & 1);
}

static __attribute__((noinline)) bool make_usable(struct pipa_heap_blocks *table, uint64_t bucket)
{
	uint64_t group = bucket / PIPA_HEAP_GROUP, first = group * PIPA_HEAP_GROUP;
	uint64_t n = table->mask + 1 - first;

	if (n > PIPA_HEAP_GROUP)
		n = PIPA_HEAP_GROUP;
	if (!table->commit(&table->buckets[first], n * sizeof(*table->buckets)) ||
	    !table->commit(&table->blocks[first * PIPA_HEAP_BUCKET],
			   n * PIPA_HEAP_BUCKET * sizeof(*table->blocks)))
		return false;
	__atomic_fetch_or(&table->usable[group / 64], UINT64_C(1) << group % 64, __ATOMIC_RELEASE);
	return true;
}

static bool add_to(struct pipa_heap_blocks *table, uint64_t bucket, uint64_t address,
		   const struct pipa_heap_block *block)
{
	struct pipa_heap_bucket *b = &table->buckets[bucket];
	struct pipa_heap_block *to;
	uint64_t none;
	unsigned int i;

	for (i = 0; i < PIPA_HEAP_BUCKET; i++) {
		none = 0;
		if (__atomic_load_n(&b->address[i], __ATOMIC_RELAXED) != 0 ||
		    !__atomic_compare_exchange_n(&b->address[i], &none, CLAIMED, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		to = &table->blocks[bucket * PIPA_HEAP_BUCKET + i];
		__atomic_store_n(&to->size, block->size, __ATOMIC_RELAXED);
		__atomic_store_n(&to->birth_ns, block->birth_ns, __ATOMIC_RELAXED);
		__atomic_store_n(&to->position, block->position, __ATOMIC_RELAXED);
		__atomic_store_n(&to->weight, block->weight, __ATOMIC_RELAXED);
		__atomic_store_n(&to->stack, block->stack, __ATOMIC_RELAXED);
		__atomic_store_n(&to->tid, block->tid, __ATOMIC_RELAXED);
		__atomic_store_n(&b->address[i], address, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

bool pipa_heap_blocks_add(struct pipa_heap_blocks *table, uint64_t address,
			  const struct pipa_heap_block *block)
{
	uint64_t home = home_of(table, address), bucket;
	unsigned int i;

	if (!is_usable(table, home) && !make_usable(table, home))
		return false;
	for (i = 0; i < PIPA_HEAP_PROBES; i++) {
		bucket = probe(table, address, home, i);
		if (i == 1) /* before the block is anywhere else, so that no search misses it */
			__atomic_fetch_add(&table->buckets[home].elsewhere, 1, __ATOMIC_RELAXED);
		if (i && !is_usable(table, bucket) && !make_usable(table, bucket))
			break;
		if (add_to(table, bucket, address, block))
			return true;
	}
	if (i)
		__atomic_fetch_sub(&table->buckets[home].elsewhere, 1, __ATOMIC_RELAXED);
	return false;
}

static bool remove_from(struct pipa_heap_blocks *table, uint64_t bucket, uint64_t address,
			struct pipa_heap_block *ret)
{
	struct pipa_heap_bucket *b = &table->buckets[bucket];
	const struct pipa_heap_block *from;
	unsigned int i;

	for (i = 0; i < PIPA_HEAP_BUCKET; i++) {
		if (__atomic_load_n(&b->address[i], __ATOMIC_ACQUIRE) != address)
			continue;
		from = &table->blocks[bucket * PIPA_HEAP_BUCKET + i];
		ret->size = __atomic_load_n(&from->size, __ATOMIC_RELAXED);
		ret->birth_ns = __atomic_load_n(&from->birth_ns, __ATOMIC_RELAXED);
		ret->position = __atomic_load_n(&from->position, __ATOMIC_RELAXED);
		ret->weight = __atomic_load_n(&from->weight, __ATOMIC_RELAXED);
		ret->stack = __atomic_load_n(&from->stack, __ATOMIC_RELAXED);
		ret->tid = __atomic_load_n(&from->tid, __ATOMIC_RELAXED);
		__atomic_store_n(&b->address[i], 0, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

bool pipa_heap_blocks_remove(struct pipa_heap_blocks *table, uint64_t address,
			     struct pipa_heap_block *ret)
{
	uint64_t home = home_of(table, address), bucket;
	unsigned int i;

	if (address < PIPA_HEAP_PAGE)
		return false;
	if (!is_usable(table, home)) /* nothing was added there */
		return false;
	if (remove_from(table, home, address, ret))
		return true;
	if (!__atomic_load_n(&table->buckets[home].elsewhere, __ATOMIC_RELAXED))
		return false;
	for (i = 1; i < PIPA_HEAP_PROBES; i++) {
		bucket = probe(table, address, home, i);
		if (!is_usable(table, bucket) || !remove_from(table, bucket, address, ret))
			continue;
		__atomic_fetch_sub(&table->buckets[home].elsewhere, 1, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}
