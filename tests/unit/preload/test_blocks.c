/* The table of live blocks: nothing is lost, whatever threads do at once. */
#include <pthread.h>
#include <stdatomic.h>

#include "lib/test.h"
#include "preload/blocks.h"

static void open_table(struct pipa_heap_blocks *table, uint64_t buckets)
{
	*table = (struct pipa_heap_blocks){
		.buckets = calloc(buckets, sizeof(*table->buckets)),
		.blocks = calloc(buckets * PIPA_HEAP_BUCKET, sizeof(*table->blocks)),
		.mask = buckets - 1,
		.shift = 7,
	};
	CHECK(table->buckets && table->blocks);
}

static void close_table(struct pipa_heap_blocks *table)
{
	free(table->buckets);
	free(table->blocks);
}

static bool is_empty(const struct pipa_heap_blocks *table)
{
	uint64_t i, k;

	for (i = 0; i <= table->mask; i++) {
		if (table->buckets[i].elsewhere)
			return false;
		for (k = 0; k < PIPA_HEAP_BUCKET; k++)
			if (table->buckets[i].address[k])
				return false;
	}
	return true;
}

static struct pipa_heap_block block_of(uint64_t address)
{
	return (struct pipa_heap_block){ .size = address ^ 5,
					 .birth_ns = address + 1,
					 .position = address + 2,
					 .weight = address + 3,
					 .stack = (uint32_t)address,
					 .tid = (uint32_t)address + 4 };
}

static bool is_block_of(const struct pipa_heap_block *block, uint64_t address)
{
	struct pipa_heap_block want = block_of(address);

	return memcmp(block, &want, sizeof(want)) == 0;
}

TEST(blocks_are_found_with_their_stored_values)
{
	struct pipa_heap_blocks table;
	struct pipa_heap_block block;
	uint64_t i, n = 0, address;

	open_table(&table, 256);
	for (i = 0; i < 1000; i++) { /* more than home buckets have place for: 16 bytes apart */
		address = 0x7f0000000000 + i * 16;
		block = block_of(address);
		n += pipa_heap_blocks_add(&table, address, &block);
	}
	CHECK_EQ(n, 1000);
	CHECK(!pipa_heap_blocks_remove(&table, 0x7f0000000008, &block));
	for (i = 0; i < 1000; i++) {
		address = 0x7f0000000000 + (i * 7 % 1000) * 16;
		CHECK(pipa_heap_blocks_remove(&table, address, &block));
		CHECK(is_block_of(&block, address));
		CHECK(!pipa_heap_blocks_remove(&table, address, &block));
	}
	CHECK(is_empty(&table));
	close_table(&table);
}

TEST(a_full_table_refuses_and_stays_usable)
{
	struct pipa_heap_blocks table;
	struct pipa_heap_block block = block_of(0);
	uint64_t i, n = 0, removed = 0;

	open_table(&table, 8);
	for (i = 1; i <= 1000; i++)
		n += pipa_heap_blocks_add(&table, i << 12, &block);
	CHECK(n <= 8 * PIPA_HEAP_BUCKET && n >= 40);
	for (i = 1; i <= 1000; i++)
		removed += pipa_heap_blocks_remove(&table, i << 12, &block);
	CHECK_EQ(removed, n);
	CHECK(is_empty(&table));
	close_table(&table);
}

TEST(addresses_that_cannot_be_blocks_are_not_found)
{
	struct pipa_heap_blocks table;
	struct pipa_heap_block block;

	open_table(&table, 8);
	CHECK(!pipa_heap_blocks_remove(&table, 0, &block));
	CHECK(!pipa_heap_blocks_remove(&table, 1, &block));
	close_table(&table);
}

static bool nothing_more(void *at, uint64_t size)
{
	(void)at;
	(void)size;
	return false;
}

TEST(a_file_that_cannot_grow_is_a_refusal)
{
	struct pipa_heap_blocks table;
	struct pipa_heap_block block = block_of(1);
	uint64_t usable = 0;

	open_table(&table, 8);
	table.commit = nothing_more;
	table.usable = &usable;
	CHECK(!pipa_heap_blocks_add(&table, 1 << 20, &block));
	CHECK(!pipa_heap_blocks_remove(&table, 1 << 20, &block));
	CHECK(is_empty(&table));
	close_table(&table);
}

/*
 * Threads add blocks and pass them on to the next thread, which removes them: each address belongs to one
 * thread at a time, as an allocator's addresses do.
 */
enum { THREADS = 4, IN_FLIGHT = 256, PASSES = 20000 };

static struct pipa_heap_blocks shared;
static _Atomic uint64_t passed[THREADS][IN_FLIGHT];
static atomic_ulong n_added, n_removed, n_lost, n_wrong;

static void *pass_blocks(void *arg)
{
	uint64_t self = (uint64_t)(uintptr_t)arg, i, address, other;
	struct pipa_heap_block block;

	for (i = 0; i < PASSES; i++) {
		_Atomic uint64_t *to = &passed[self][i % IN_FLIGHT];
		_Atomic uint64_t *from = &passed[(self + 1) % THREADS][i % IN_FLIGHT];

		if (!atomic_load_explicit(to, memory_order_acquire)) {
			address = 0x10000000 + (self * PASSES + i) * 16;
			block = block_of(address);
			if (pipa_heap_blocks_add(&shared, address, &block)) {
				atomic_fetch_add(&n_added, 1);
				atomic_store_explicit(to, address, memory_order_release);
			}
		}
		other = atomic_exchange(from, 0);
		if (!other)
			continue;
		if (!pipa_heap_blocks_remove(&shared, other, &block))
			atomic_fetch_add(&n_lost, 1);
		else if (!is_block_of(&block, other))
			atomic_fetch_add(&n_wrong, 1);
		else
			atomic_fetch_add(&n_removed, 1);
	}
	return NULL;
}

TEST(no_free_is_lost_while_threads_pass_blocks_to_each_other)
{
	pthread_t threads[THREADS];
	struct pipa_heap_block block;
	uint64_t i, k, left = 0;

	open_table(&shared,
		   256); /* nearly full at times: many blocks are not in their first bucket */
	for (i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, pass_blocks, (void *)(uintptr_t)i));
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < THREADS; i++)
		for (k = 0; k < IN_FLIGHT; k++)
			if (passed[i][k])
				left += pipa_heap_blocks_remove(&shared, passed[i][k], &block);
	CHECK_EQ(n_lost, 0);
	CHECK_EQ(n_wrong, 0);
	CHECK(n_added > 0);
	CHECK_EQ(n_added, n_removed + left);
	CHECK(is_empty(&shared));
	close_table(&shared);
}

TEST(the_filter_separates_neighbours)
{
	unsigned int i;

	for (i = 1; i < 16; i++)
		CHECK(pipa_heap_filter_at(0x5555deadb000) !=
		      pipa_heap_filter_at(0x5555deadb000 + i * 256));
	CHECK(pipa_heap_filter_at(UINT64_MAX) < pipa_heap_filter + PIPA_HEAP_FILTER);
}

TEST(a_full_count_of_the_filter_stays)
{
	const uint64_t address = 0x5555deadb020;
	const uint8_t *at = pipa_heap_filter_at(address);
	int i;

	pipa_heap_filter_count(address + 256, 1);
	for (i = 0; i < PIPA_HEAP_FILTER_FULL - 1; i++)
		pipa_heap_filter_count(address, 1);
	CHECK_EQ(*at, PIPA_HEAP_FILTER_FULL - 1);
	pipa_heap_filter_count(address, -1);
	CHECK_EQ(*at, PIPA_HEAP_FILTER_FULL - 2);
	for (i = 0; i < 10; i++)
		pipa_heap_filter_count(address, 1);
	CHECK_EQ(*at, PIPA_HEAP_FILTER_FULL);
	pipa_heap_filter_count(address, -1);
	CHECK_EQ(*at, PIPA_HEAP_FILTER_FULL);
	CHECK_EQ(at[1], 1);
	CHECK_EQ(at[-1], 0);
}
