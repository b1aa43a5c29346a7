/* Interning of stacks and their sums, by one and by many threads. */
#include <pthread.h>

#include "lib/test.h"
#include "preload/stacks.h"

static void open_table(struct pipa_heap_stacks *table, uint64_t stacks, uint64_t frames)
{
	uint64_t index = 1;

	while (index < stacks * 2)
		index <<= 1;
	*table = (struct pipa_heap_stacks){
		.status = calloc(1, sizeof(*table->status)),
		.stacks = calloc(stacks, sizeof(*table->stacks)),
		.n_stacks = stacks,
		.frames = calloc(frames, sizeof(*table->frames)),
		.n_frames = frames,
		.index = calloc(index, sizeof(*table->index)),
		.index_mask = index - 1,
	};
	CHECK(table->status && table->stacks && table->frames && table->index);
}

static void close_table(struct pipa_heap_stacks *table)
{
	free(table->status);
	free(table->stacks);
	free(table->frames);
	free(table->index);
}

static uint32_t add(struct pipa_heap_stacks *table, const uint64_t *frames, uint32_t n,
		    uint64_t hash)
{
	struct pipa_heap_chain chain = {
		.frames = frames, .n = n, .hash = hash, .maps_generation = 3
	};

	return pipa_heap_stacks_add(table, &chain, 99);
}

static const uint64_t abc[] = { 0xa, 0xb, 0xc };

TEST(equal_stacks_have_one_number_and_frames_innermost_first)
{
	struct pipa_heap_stacks table;
	uint32_t first, second;

	open_table(&table, 16, 100);
	first = add(&table, abc, 3, 1);
	second = add(&table, abc, 2, 2);
	CHECK(first != second);
	CHECK_EQ(add(&table, abc, 3, 1), first);
	CHECK_EQ(table.status->n_stacks, 2);
	CHECK_EQ(table.stacks[first].state, PIPA_HEAP_STACK_READY);
	CHECK_EQ(table.stacks[first].n_frames, 3);
	CHECK_EQ(table.stacks[first].maps_generation, 3);
	CHECK_EQ(table.frames[table.stacks[first].frames_at], 0xc);
	CHECK_EQ(table.frames[table.stacks[first].frames_at + 2], 0xa);
	close_table(&table);
}

TEST(full_tables_are_counted_losses)
{
	struct pipa_heap_stacks table;

	open_table(&table, 2, 100);
	CHECK(add(&table, abc, 3, 1) != PIPA_HEAP_NO_STACK);
	CHECK(add(&table, abc, 3, 2) != PIPA_HEAP_NO_STACK);
	CHECK_EQ(add(&table, abc, 3, 3), PIPA_HEAP_NO_STACK);
	CHECK_EQ(table.status->lost[PIPA_HEAP_LOST_STACKS], 1);
	CHECK(add(&table, abc, 3, 2) != PIPA_HEAP_NO_STACK);
	close_table(&table);
	open_table(&table, 16, 5);
	CHECK(add(&table, abc, 3, 1) != PIPA_HEAP_NO_STACK);
	CHECK_EQ(add(&table, abc, 3, 2), PIPA_HEAP_NO_STACK);
	CHECK_EQ(table.status->lost[PIPA_HEAP_LOST_FRAMES], 1);
	close_table(&table);
}

TEST(numbers_that_were_overwritten_do_not_lead_outside_of_the_tables)
{
	struct pipa_heap_stacks table;
	struct pipa_heap_sample sample = { .size = 1, .weight = 1 };

	open_table(&table, 16, 100);
	table.status->n_stacks = UINT64_MAX;
	table.status->n_frames = UINT64_MAX - 1;
	CHECK_EQ(add(&table, abc, 3, 1), PIPA_HEAP_NO_STACK);
	table.status->n_frames = 0;
	CHECK_EQ(add(&table, abc, 3, 1), PIPA_HEAP_NO_STACK);
	pipa_heap_stacks_sum(&table, NULL, 1 << 30, &sample);
	table.index[0] = UINT32_MAX;
	CHECK_EQ(add(&table, abc, 3, 0), PIPA_HEAP_NO_STACK);
	close_table(&table);
}

TEST(classes_are_powers_of_two)
{
	CHECK_EQ(pipa_heap_class(0, 0), 0);
	CHECK_EQ(pipa_heap_class(1, 0), 0);
	CHECK_EQ(pipa_heap_class(2, 0), 1);
	CHECK_EQ(pipa_heap_class(1023, 0), 9);
	CHECK_EQ(pipa_heap_class(1024, 0), 10);
	CHECK_EQ(pipa_heap_class(UINT64_MAX, 0), PIPA_HEAP_CLASSES - 1);
	CHECK_EQ(pipa_heap_class(1023, 10), 0);
	CHECK_EQ(pipa_heap_class(1024, 10), 1);
	CHECK_EQ(pipa_heap_class(2047, 10), 1);
	CHECK_EQ(pipa_heap_class(UINT64_MAX, 10), PIPA_HEAP_CLASSES - 1);
}

/* Allocate or free at a stack, as preload/track.c does it. */
static void change(struct pipa_heap_stacks *table, struct pipa_heap_shard *shard, uint32_t stack,
		   int64_t size)
{
	struct pipa_heap_sample sample = { .size = (uint64_t)(size < 0 ? -size : size),
					   .weight = 1 << PIPA_HEAP_FRACTION,
					   .freed = size < 0 };

	pipa_heap_stacks_sum(table, shard, stack, &sample);
	pipa_heap_stacks_in_use(table, size, 0);
}

/* Read one part of a stack's sums as documented in abc.h. */
static int64_t in_peak(const struct pipa_heap_stacks *table, const struct pipa_heap_sums *sums)
{
	if (sums->peak_epoch == table->status->peak_epoch)
		return sums->peak_bytes_scaled;
	return (int64_t)(sums->alloc_bytes_scaled - sums->free_bytes_scaled);
}

TEST(parts_of_the_peak_are_those_at_its_moment)
{
	struct pipa_heap_stacks table;
	uint32_t a, b;

	open_table(&table, 16, 100);
	a = add(&table, abc, 3, 1);
	b = add(&table, abc, 2, 2);
	change(&table, NULL, a, 100);
	change(&table, NULL, b, 50);
	change(&table, NULL, a, -100);
	change(&table, NULL, b, 70); /* 120: below the peak of 150 */
	CHECK_EQ(table.status->peak_bytes, 150);
	CHECK_EQ(in_peak(&table, &table.stacks[a].sums), 100);
	CHECK_EQ(in_peak(&table, &table.stacks[b].sums), 50);
	change(&table, NULL, b, 40); /* 160: a new one, without a */
	change(&table, NULL, b, -160);
	CHECK_EQ(table.status->peak_bytes, 160);
	CHECK_EQ(in_peak(&table, &table.stacks[a].sums), 0);
	CHECK_EQ(in_peak(&table, &table.stacks[b].sums), 160);
	close_table(&table);
}

TEST(a_part_of_a_block_that_was_in_the_peak_is_subtracted)
{
	struct pipa_heap_stacks table;
	struct pipa_heap_sums *sums;
	uint32_t a;

	open_table(&table, 16, 100);
	a = add(&table, abc, 3, 1);
	sums = &table.stacks[a].sums;
	change(&table, NULL, a, 100);
	pipa_heap_stacks_cut(&table, a, 30, 30, 0);
	CHECK_EQ(sums->alloc_bytes_scaled - sums->free_bytes_scaled, 70);
	CHECK_EQ(sums->alloc_count_scaled, 1 << PIPA_HEAP_FRACTION);
	CHECK_EQ(in_peak(&table, sums), 100);
	pipa_heap_stacks_cut(&table, a, 20, 20, 1 << PIPA_HEAP_FRACTION);
	CHECK_EQ(sums->alloc_bytes_scaled - sums->free_bytes_scaled, 50);
	CHECK_EQ(sums->alloc_count_scaled, 2 << PIPA_HEAP_FRACTION);
	CHECK_EQ(sums->alloc_bytes, 100);
	CHECK_EQ(sums->frees, 0);
	pipa_heap_stacks_cut(&table, 1 << 30, 1, 1, 1);
	close_table(&table);
}

TEST(sums_of_shards_move_to_the_stack_with_their_part_of_the_peak)
{
	struct pipa_heap_shard *shard = calloc(1, sizeof(*shard));
	struct pipa_heap_stacks table;
	uint64_t i;
	uint32_t a;

	open_table(&table, 4 * PIPA_HEAP_SHARD_SUMS, 4 * PIPA_HEAP_SHARD_SUMS);
	a = add(&table, abc, 1, 1);
	for (i = 1; i < 2 * PIPA_HEAP_SHARD_SUMS; i++)
		add(&table, abc, 1, i + 1);
	change(&table, shard, a, 500);
	change(&table, NULL, a, 30);
	change(&table, shard, a, -500);
	CHECK_EQ(table.stacks[a].sums.allocs, 1);
	CHECK_EQ(in_peak(&table, &shard->slots[a].sums), 500);
	change(&table, shard, a + PIPA_HEAP_SHARD_SUMS, 1); /* wants the same slot */
	CHECK_EQ(table.stacks[a].sums.allocs, 2);
	CHECK_EQ(table.stacks[a].sums.frees, 1);
	CHECK_EQ(table.stacks[a].sums.sizes[8], 1 << PIPA_HEAP_FRACTION);
	CHECK_EQ(in_peak(&table, &table.stacks[a].sums), 530);
	CHECK_EQ(shard->slots[a].sums.allocs, 1);
	CHECK_EQ(shard->slots[a].moving, 0);
	free(shard);
	close_table(&table);
}

enum { THREADS = 4, ROUNDS = 3000, DISTINCT = 200 };

static struct pipa_heap_stacks shared;

static void *add_and_sum(void *arg)
{
	struct pipa_heap_shard *shard = arg;
	uint64_t i, frames[2];
	uint32_t number;

	for (i = 0; i < ROUNDS; i++) {
		frames[0] = 1;
		frames[1] = i % DISTINCT;
		number = add(&shared, frames, 2, (i % DISTINCT + 1) * UINT64_C(0x9e3779b97f4a7c15));
		if (number == PIPA_HEAP_NO_STACK || shared.stacks[number].n_frames != 2 ||
		    shared.frames[shared.stacks[number].frames_at] != i % DISTINCT)
			return arg ? arg : (void *)&shared;
		change(&shared, shard, number, 10);
	}
	return NULL;
}

TEST(threads_add_the_same_stacks_at_once_and_no_sample_is_lost)
{
	struct pipa_heap_shard *shard = calloc(1, sizeof(*shard));
	pthread_t threads[THREADS];
	uint64_t i, ready = 0, allocs = 0;
	void *wrong;

	open_table(&shared, DISTINCT * THREADS, DISTINCT * THREADS * 2);
	for (i = 0; i < THREADS; i++) /* one with a shard, the others without */
		CHECK(!pthread_create(&threads[i], NULL, add_and_sum, i ? NULL : shard));
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &wrong);
		CHECK(!wrong);
	}
	for (i = 0; i < shared.status->n_stacks; i++)
		if (shared.stacks[i].state == PIPA_HEAP_STACK_READY) {
			ready++;
			allocs += shared.stacks[i].sums.allocs;
		}
	for (i = 0; i < PIPA_HEAP_SHARD_SUMS; i++)
		allocs += shard->slots[i].sums.allocs;
	CHECK_EQ(ready, DISTINCT);
	CHECK_EQ(allocs, THREADS * ROUNDS);
	CHECK_EQ(shared.status->in_use_bytes, THREADS * ROUNDS * 10);
	CHECK_EQ(shared.status->peak_bytes, THREADS * ROUNDS * 10);
	free(shard);
	close_table(&shared);
}
