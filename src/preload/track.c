#include "preload/track.h"

#include <stddef.h>

#include "model/stack_end.h"
#include "preload/clock.h"
#include "preload/maps.h"
#include "preload/probes.h"
#include "preload/process.h"
#include "preload/sampling.h"
#include "preload/stacks.h"
#include "preload/thread.h"

enum {
	OFF_BYTES = 64 << 10, /* allocated by a thread between checks of the switch, while off */
	TIMED = 16,	      /* up to HIGH_RATE one of this many samples is timed */
	HIGH_RATE = 16 << 10,
	UPDATED_NS = 500000, /* shortest time between two updates of updated_ns */
	PEAK_SHIFT = 10,     /* largest change of use that a thread defers: peak >> PEAK_SHIFT */
};

/* What the thread is busy with. */
enum { IN_LIBRARY = 1, IN_ALLOCATOR = 2 };

/* Return how many samples a timed one stands for. */
static uint64_t timed_scale(void)
{
	return pipa_heap_process.config.rate > HIGH_RATE ? 1 : TIMED;
}

/*
 * Is a sample with this number or position timed? By a hash: each 16th would always be of the same call sites in a loop
 * that allocates an even number of times.
 */
static bool is_timed(uint64_t number)
{
	uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return pipa_heap_process.config.rate > HIGH_RATE || hash < UINT64_MAX / TIMED;
}

/* Start the next countdown. Returns the bytes that the thread has allocated, with this allocation. */
static uint64_t next_countdown(struct pipa_heap_sampler *state, uint64_t size)
{
	uint64_t rate = pipa_heap_process.config.rate, position;

	state->n_samples++;
	if (rate <= 1) {
		pipa_heap_local.countdown = 0;
		return state->n_samples;
	}
	position = state->drawn - pipa_heap_local.countdown + size;
	pipa_heap_local.countdown = pipa_heap_draw(&state->random, rate);
	state->drawn = position + pipa_heap_local.countdown;
	return position;
}

/* Is the allocation a sample? A thread's first one only starts the countdown. */
static bool is_sample(struct pipa_heap_sampler *state, uint64_t size, uint64_t *ret_position)
{
	const struct pipa_heap_config *config = &pipa_heap_process.config;

	if (size > INT64_MAX) /* the allocator will refuse it */
		return false;
	if (!state->drawn && config->rate > 1) {
		state->drawn = pipa_heap_draw(&state->random, config->rate);
		pipa_heap_local.countdown = state->drawn;
		if (size < pipa_heap_local.countdown) {
			pipa_heap_local.countdown -= size;
			return false;
		}
	}
	*ret_position = next_countdown(state, size);
	if (!pipa_heap_process_on()) {
		pipa_heap_process_note_gap(PIPA_HEAP_GAP_OFF);
		if (config->rate <= 1)
			pipa_heap_local.countdown = OFF_BYTES;
		return false;
	}
	return size >= config->min_size;
}

bool pipa_heap_track_begin(struct pipa_heap_alloc *alloc, uint64_t size,
			   const struct pipa_heap_frame *caller)
{
	struct pipa_heap_local *local = &pipa_heap_local;
	struct pipa_heap_sampler *state = NULL;

	if (local->busy) {
		if (local->busy == IN_LIBRARY)
			pipa_heap_process_lose(PIPA_HEAP_LOST_REENTRY, 1);
		return false;
	}
	local->busy = IN_LIBRARY;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (pipa_heap_process_ready())
		state = pipa_heap_thread_state();
	else if (__atomic_load_n(&pipa_heap_process.mode, __ATOMIC_RELAXED) == PIPA_HEAP_PASSIVE)
		local->countdown = UINT64_MAX;
	if (!state || !is_sample(state, size, &alloc->position)) {
		local->busy = 0;
		return false;
	}
	alloc->state = state;
	alloc->caller = *caller;
	alloc->size = size;
	alloc->start_ns = is_timed(state->n_samples) ? pipa_heap_clock_ns() : 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	local->busy = IN_ALLOCATOR;
	return true;
}

void pipa_heap_track_may_throw(const struct pipa_heap_alloc *alloc)
{
	(void)alloc;
	pipa_heap_local.busy = 0;
}

/* Find or add the stack of the last walk. Returns its number, or PIPA_HEAP_NO_STACK. */
static uint32_t find_stack(struct pipa_heap_sampler *state, enum pipa_heap_kind kind,
			   uint64_t now_ns)
{
	struct pipa_heap_walk *walk = &state->walk;
	struct pipa_heap_chain chain = {
		.n = walk->n,
		.hash = pipa_heap_walk_hash(walk) + kind * UINT64_C(0x9e3779b97f4a7c15) +
			((uint64_t)walk->generation << 40) + walk->end,
		.maps_generation = walk->generation,
		.kind = (uint8_t)kind,
		.end = walk->end,
		.fp_frames = walk->fp_frames,
	};
	struct pipa_heap_recent *recent = &state->recent[chain.hash % PIPA_HEAP_RECENT];
	uint32_t stack;

	if (recent->hash == chain.hash && recent->frames == chain.n && chain.n)
		return recent->stack;
	chain.frames = pipa_heap_walk_pcs(walk);
	stack = pipa_heap_stacks_add(&pipa_heap_process.stacks, &chain, now_ns);
	if (stack != PIPA_HEAP_NO_STACK)
		*recent = (struct pipa_heap_recent){ chain.hash, stack, chain.n };
	return stack;
}

/* Walk the caller's stack. Returns its number, or PIPA_HEAP_NO_STACK. */
static uint32_t stack_of(struct pipa_heap_sampler *state, const struct pipa_heap_frame *caller,
			 enum pipa_heap_kind kind, uint64_t now_ns)
{
	struct pipa_heap_walk *walk = &state->walk;
	uint32_t depth = pipa_heap_process.config.depth;

	pipa_heap_thread_stack(state, caller->sp);
	if (!walk->stack_end)
		depth = 1; /* the end of the stack is not known */
	if (!pipa_heap_walk_from(walk, caller, depth) || state->stack == PIPA_HEAP_NO_STACK ||
	    state->stack_kind != kind) {
		state->stack = find_stack(state, kind, now_ns);
		state->stack_kind = (uint8_t)kind;
	}
	if (walk->end != PIPA_STACK_COMPLETE)
		__atomic_fetch_add(&pipa_heap_process.status->truncated_stacks, 1,
				   __ATOMIC_RELAXED);
	return state->stack;
}

/* Change the bytes in use. Threads with a shard defer small changes. */
static void change_use(struct pipa_heap_sampler *state, int64_t change, uint64_t now_ns)
{
	struct pipa_heap_stacks *stacks = &pipa_heap_process.stacks;
	int64_t limit = 0;

	if (!state || !state->shard) {
		pipa_heap_stacks_in_use(stacks, change, now_ns);
		return;
	}
	if (pipa_heap_threads_many())
		limit = __atomic_load_n(&stacks->status->peak_bytes, __ATOMIC_RELAXED) >>
			PEAK_SHIFT;
	state->in_use += change;
	if (state->in_use <= limit && state->in_use >= -limit)
		return;
	pipa_heap_stacks_in_use(stacks, state->in_use, now_ns);
	state->in_use = 0;
}

static void remember_block(uint64_t address, const struct pipa_heap_block *block)
{
	pipa_heap_filter_count(address, 1);
	if (pipa_heap_blocks_add(&pipa_heap_process.blocks, address, block))
		return;
	pipa_heap_filter_count(address, -1);
	pipa_heap_process_lose(PIPA_HEAP_LOST_BLOCKS, 1);
}

/* Update the time of the last sample, rarely: threads would contend for its cache line. */
static void note_time(struct pipa_heap_sampler *state, uint64_t now_ns)
{
	if (now_ns - state->updated_ns < UPDATED_NS)
		return;
	state->updated_ns = now_ns;
	__atomic_store_n(&pipa_heap_process.status->updated_ns, now_ns, __ATOMIC_RELAXED);
}

static void record_alloc(struct pipa_heap_alloc *alloc, void *block, enum pipa_heap_kind kind)
{
	struct pipa_heap_process *p = &pipa_heap_process;
	struct pipa_heap_sampler *state = alloc->state;
	uint64_t now_ns = pipa_heap_clock_ns(), weighted;
	struct pipa_heap_sample sample = {
		.size = alloc->size, .weight = pipa_heap_weight(alloc->size, p->config.rate)
	};
	struct pipa_heap_block entry;
	uint32_t stack;

	if (alloc->start_ns)
		sample.ns = pipa_heap_scale(now_ns - alloc->start_ns, sample.weight) *
			    timed_scale();
	weighted = pipa_heap_scale(sample.size, sample.weight);
	stack = stack_of(state, &alloc->caller, kind, now_ns);
	if (stack == PIPA_HEAP_NO_STACK) {
		pipa_heap_process_lose(PIPA_HEAP_LOST_BYTES, weighted);
		return;
	}
	pipa_heap_stacks_sum(&p->stacks, state->shard, stack, &sample);
	note_time(state, now_ns);
	if (p->config.frees) {
		entry = (struct pipa_heap_block){
			.size = sample.size,
			.birth_ns = now_ns,
			.position = alloc->position,
			.weight = sample.weight,
			.stack = stack,
			.tid = state->tid,
		};
		remember_block((uint64_t)block, &entry);
		change_use(state, (int64_t)weighted, now_ns);
	}
	if (kind == PIPA_HEAP_KIND_MALLOC)
		pipa_heap_probe_alloc(block, sample.size, weighted);
}

void pipa_heap_track_alloc(struct pipa_heap_alloc *alloc, void *block, enum pipa_heap_kind kind)
{
	struct pipa_heap_local *local = &pipa_heap_local;

	local->busy = IN_LIBRARY;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (block)
		record_alloc(alloc, block, kind);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	local->busy = 0;
}

/* ---- frees ----------------------------------------------------------------------------------------------- */

bool pipa_heap_track_free(struct pipa_heap_free *ret, void *block)
{
	uint64_t address = (uint64_t)block;

	if (!pipa_heap_process_ready() ||
	    !pipa_heap_blocks_remove(&pipa_heap_process.blocks, address, &ret->block))
		return false;
	pipa_heap_filter_count(address, -1);
	ret->address = address;
	ret->timed = is_timed(ret->block.position);
	ret->start_ns = pipa_heap_clock_ns();
	if (!(address & PIPA_HEAP_MAPPED))
		pipa_heap_probe_free(block);
	return true;
}

void pipa_heap_track_kept(const struct pipa_heap_free *freed)
{
	remember_block(freed->address, &freed->block);
}

/* Has the thread that allocated the block allocated nothing else since? */
static bool is_temporary(const struct pipa_heap_sampler *state, const struct pipa_heap_block *block)
{
	if (!state || state->tid != block->tid)
		return false;
	if (pipa_heap_process.config.rate <= 1)
		return state->n_samples == block->position;
	return state->drawn - pipa_heap_local.countdown == block->position;
}

void pipa_heap_track_freed(const struct pipa_heap_free *freed)
{
	struct pipa_heap_process *p = &pipa_heap_process;
	struct pipa_heap_local *local = &pipa_heap_local;
	const struct pipa_heap_block *block = &freed->block;
	struct pipa_heap_sampler *state = NULL;
	uint32_t busy = local->busy;
	struct pipa_heap_sample sample = { .size = block->size,
					   .weight = block->weight,
					   .freed = true };

	if (freed->timed)
		sample.ns = pipa_heap_scale(pipa_heap_clock_ns() - freed->start_ns, block->weight) *
			    timed_scale();
	if (freed->start_ns > block->birth_ns)
		sample.lifetime_ns = freed->start_ns - block->birth_ns;
	/* a signal handler may have interrupted a change of the thread's sums; the allocator changes none */
	if (busy != IN_LIBRARY) {
		local->busy = IN_LIBRARY;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		state = pipa_heap_thread_state();
	}
	sample.temporary = is_temporary(state, block);
	pipa_heap_stacks_sum(&p->stacks, state ? state->shard : NULL, block->stack, &sample);
	change_use(state, -(int64_t)pipa_heap_scale(block->size, block->weight), freed->start_ns);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	local->busy = busy;
}

void pipa_heap_track_cut(const struct pipa_heap_free *whole, const struct pipa_heap_part *parts,
			 unsigned int n)
{
	struct pipa_heap_block block = whole->block;
	uint64_t size = block.size, scaled = pipa_heap_scale(size, block.weight);
	struct pipa_heap_local *local = &pipa_heap_local;
	uint32_t busy = local->busy;
	unsigned int i;

	local->busy = IN_LIBRARY;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (i = 0; i < n; i++) {
		block.size = parts[i].size;
		size -= block.size;
		scaled -= pipa_heap_scale(block.size, block.weight);
		remember_block(parts[i].address, &block);
	}
	/* differences of scaled sizes: those of the parts, rounded, could be more than that of the whole */
	pipa_heap_stacks_cut(&pipa_heap_process.stacks, block.stack, size, scaled,
			     n > 1 ? block.weight : 0);
	change_use(NULL, -(int64_t)scaled, whole->start_ns);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	local->busy = busy;
}
