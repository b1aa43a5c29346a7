#include "preload/stacks.h"

#include <stddef.h>

#include "preload/sampling.h"

static uint64_t load_relaxed(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static void count_loss(struct pipa_heap_stacks *table, enum pipa_heap_loss loss)
{
	__atomic_fetch_add(&table->status->lost[loss], 1, __ATOMIC_RELAXED);
}

/* Reserve n elements at the end of a region. Returns the first, or the capacity if they do not fit. */
static uint64_t reserve_elements(uint64_t *end, uint64_t capacity, uint64_t n)
{
	uint64_t at = load_relaxed(end);

	do {
		if (at > capacity || n > capacity - at)
			return capacity;
	} while (!__atomic_compare_exchange_n(end, &at, at + n, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return at;
}

static bool make_usable(const struct pipa_heap_stacks *table, void *at, uint64_t size)
{
	return !table->commit || table->commit(at, size);
}

/* Write a new stack at the end. Returns its number, or PIPA_HEAP_NO_STACK. */
static uint32_t write_stack(struct pipa_heap_stacks *table, const struct pipa_heap_chain *chain,
			    uint64_t now_ns)
{
	uint64_t number, frames_at;
	struct pipa_heap_stack *stack;
	uint32_t i;

	frames_at = reserve_elements(&table->status->n_frames, table->n_frames, chain->n);
	if (frames_at == table->n_frames ||
	    !make_usable(table, &table->frames[frames_at], chain->n * sizeof(*table->frames))) {
		count_loss(table, PIPA_HEAP_LOST_FRAMES);
		return PIPA_HEAP_NO_STACK;
	}
	number = reserve_elements(&table->status->n_stacks, table->n_stacks, 1);
	if (number == table->n_stacks ||
	    !make_usable(table, &table->stacks[number], sizeof(*table->stacks))) {
		count_loss(table, PIPA_HEAP_LOST_STACKS);
		return PIPA_HEAP_NO_STACK;
	}
	stack = &table->stacks[number];
	for (i = 0; i < chain->n; i++) /* abi.h: innermost first */
		__atomic_store_n(&table->frames[frames_at + i], chain->frames[chain->n - 1 - i],
				 __ATOMIC_RELAXED);
	stack->n_frames = chain->n;
	stack->frames_at = frames_at;
	stack->hash = chain->hash;
	stack->first_ns = now_ns;
	stack->maps_generation = chain->maps_generation;
	stack->kind = chain->kind;
	stack->end = chain->end;
	stack->fp_frames = chain->fp_frames;
	__atomic_store_n(&stack->state, PIPA_HEAP_STACK_READY, __ATOMIC_RELEASE);
	return (uint32_t)number;
}

static bool is_same_stack(const struct pipa_heap_stacks *table, uint32_t number,
			  const struct pipa_heap_chain *chain)
{
	const struct pipa_heap_stack *stack = &table->stacks[number];

	return stack->hash == chain->hash && stack->n_frames == chain->n;
}

uint32_t pipa_heap_stacks_add(struct pipa_heap_stacks *table, const struct pipa_heap_chain *chain,
			      uint64_t now_ns)
{
	uint64_t at = chain->hash & table->index_mask, tries;
	uint32_t number = PIPA_HEAP_NO_STACK, found;

	for (tries = 0; tries <= table->index_mask; tries++, at = (at + 1) & table->index_mask) {
		found = __atomic_load_n(&table->index[at], __ATOMIC_ACQUIRE);
		if (!found) {
			if (number == PIPA_HEAP_NO_STACK)
				number = write_stack(table, chain, now_ns);
			if (number == PIPA_HEAP_NO_STACK)
				return number;
			if (__atomic_compare_exchange_n(&table->index[at], &found, number + 1,
							false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
				return number;
		}
		/* the private capacity: that in the file may be overwritten */
		if (found - 1 < table->n_stacks && is_same_stack(table, found - 1, chain)) {
			if (number != PIPA_HEAP_NO_STACK)
				__atomic_store_n(&table->stacks[number].state,
						 PIPA_HEAP_STACK_UNUSED, __ATOMIC_RELAXED);
			return found - 1;
		}
	}
	count_loss(table, PIPA_HEAP_LOST_STACKS);
	return PIPA_HEAP_NO_STACK;
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

/* Add atomically if there are several writers. With one, readers see the old or the new value. */
static void add_to_sum(uint64_t *to, uint64_t value, bool shared)
{
	if (shared)
		__atomic_fetch_add(to, value, __ATOMIC_RELAXED);
	else
		__atomic_store_n(to, load_relaxed(to) + value, __ATOMIC_RELAXED);
}

/* Save the bytes in use as the stack's part of the peak, if there was a peak since the last change. */
static void keep_peak(struct pipa_heap_sums *sums, uint64_t epoch)
{
	if (load_relaxed(&sums->peak_epoch) == epoch)
		return;
	__atomic_store_n(&sums->peak_count_scaled,
			 (int64_t)(load_relaxed(&sums->alloc_count_scaled) -
				   load_relaxed(&sums->free_count_scaled)),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&sums->peak_bytes_scaled,
			 (int64_t)(load_relaxed(&sums->alloc_bytes_scaled) -
				   load_relaxed(&sums->free_bytes_scaled)),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&sums->peak_epoch, epoch, __ATOMIC_RELAXED);
}

static void add_sample(struct pipa_heap_sums *sums, const struct pipa_heap_sample *sample,
		       bool shared)
{
	uint64_t bytes = pipa_heap_scale(sample->size, sample->weight);

	if (!sample->freed) {
		add_to_sum(&sums->allocs, 1, shared);
		add_to_sum(&sums->alloc_bytes, sample->size, shared);
		add_to_sum(&sums->alloc_count_scaled, sample->weight, shared);
		add_to_sum(&sums->alloc_bytes_scaled, bytes, shared);
		if (sample->ns)
			add_to_sum(&sums->alloc_ns_scaled, sample->ns, shared);
		add_to_sum(&sums->sizes[pipa_heap_class(sample->size, 0)], sample->weight, shared);
		return;
	}
	add_to_sum(&sums->frees, 1, shared);
	add_to_sum(&sums->free_bytes, sample->size, shared);
	add_to_sum(&sums->free_count_scaled, sample->weight, shared);
	add_to_sum(&sums->free_bytes_scaled, bytes, shared);
	if (sample->ns)
		add_to_sum(&sums->free_ns_scaled, sample->ns, shared);
	if (sample->temporary) {
		add_to_sum(&sums->temporary_count_scaled, sample->weight, shared);
		add_to_sum(&sums->temporary_bytes_scaled, bytes, shared);
	}
	add_to_sum(&sums->lifetimes[pipa_heap_class(sample->lifetime_ns, 10)], sample->weight,
		   shared);
}

/* Add the sums of a slot to its stack and empty it. */
static void move_slot(struct pipa_heap_stacks *table, struct pipa_heap_slot *slot, uint64_t epoch)
{
	uint32_t number = slot->stack - 1;
	struct pipa_heap_sums *from = &slot->sums, *to;
	uint64_t *f = (uint64_t *)from, *t, i;

	__atomic_store_n(&slot->moving, 1, __ATOMIC_SEQ_CST);
	if (number < table->n_stacks) {
		to = &table->stacks[number].sums;
		t = (uint64_t *)to;
		keep_peak(from, epoch);
		keep_peak(to, epoch);
		for (i = 0; i < sizeof(*to) / sizeof(*t); i++)
			if (f[i] && &t[i] != &to->peak_epoch)
				__atomic_fetch_add(&t[i], f[i], __ATOMIC_RELAXED);
	}
	for (i = 0; i < sizeof(*from) / sizeof(*f); i++)
		__atomic_store_n(&f[i], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->moving, 0, __ATOMIC_SEQ_CST);
}

void pipa_heap_stacks_sum(struct pipa_heap_stacks *table, struct pipa_heap_shard *shard,
			  uint32_t stack, const struct pipa_heap_sample *sample)
{
	uint64_t epoch = load_relaxed(&table->status->peak_epoch);
	struct pipa_heap_slot *slot;

	if (stack >= table->n_stacks)
		return;
	if (!shard) {
		keep_peak(&table->stacks[stack].sums, epoch);
		add_sample(&table->stacks[stack].sums, sample, true);
		return;
	}
	slot = &shard->slots[stack % PIPA_HEAP_SHARD_SUMS];
	if (slot->stack != stack + 1) {
		if (slot->stack)
			move_slot(table, slot, epoch);
		__atomic_store_n(&slot->stack, stack + 1, __ATOMIC_RELEASE);
	}
	keep_peak(&slot->sums, epoch);
	add_sample(&slot->sums, sample, false);
}

void pipa_heap_stacks_cut(struct pipa_heap_stacks *table, uint32_t stack, uint64_t size,
			  uint64_t scaled, uint64_t weight)
{
	struct pipa_heap_sums *sums;

	if (stack >= table->n_stacks)
		return;
	sums = &table->stacks[stack].sums;
	keep_peak(sums, load_relaxed(&table->status->peak_epoch));
	add_to_sum(&sums->free_bytes, size, true);
	add_to_sum(&sums->free_bytes_scaled, scaled, true);
	if (weight) {
		add_to_sum(&sums->allocs, 1, true);
		add_to_sum(&sums->alloc_count_scaled, weight, true);
	}
}

void pipa_heap_stacks_in_use(struct pipa_heap_stacks *table, int64_t change, uint64_t now_ns)
{
	struct pipa_heap_status *status = table->status;
	int64_t now = __atomic_add_fetch(&status->in_use_bytes, change, __ATOMIC_RELAXED);
	int64_t peak = __atomic_load_n(&status->peak_bytes, __ATOMIC_RELAXED);

	while (now > peak) {
		if (!__atomic_compare_exchange_n(&status->peak_bytes, &peak, now, true,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&status->peak_ns, now_ns, __ATOMIC_RELAXED);
		__atomic_fetch_add(&status->peak_epoch, 1, __ATOMIC_RELAXED);
		break;
	}
}
