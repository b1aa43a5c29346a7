#include "preload/thread.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#include "preload/clock.h"
#include "preload/maps.h"
#include "preload/process.h"
#include "preload/stacks.h"
#include "preload/sys.h"

enum {
	STATES = 1 << 15,
	NEAR = 64 << 10, /* largest distance to an address whose stack was looked up */
	CHECKS = 4, /* states checked when a thread starts, to find one whose thread has ended */
};

__thread struct pipa_heap_local pipa_heap_local
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static struct {
	struct pipa_heap_sampler *states[STATES];
	uint32_t next; /* to be checked */
} threads;

uint32_t pipa_heap_states, pipa_heap_forks;

void pipa_heap_threads_forked(void)
{
	uint32_t i, n = __atomic_load_n(&pipa_heap_states, __ATOMIC_RELAXED);

	pipa_heap_forks++;
	for (i = 0; i < n && i < STATES; i++) {
		if (!threads.states[i])
			continue;
		threads.states[i]->tid = 0;
		threads.states[i]->in_use = 0;
		threads.states[i]->shard = NULL;
	}
}

static bool has_ended(uint32_t tid)
{
	return PIPA_SYS3(tgkill, pipa_heap_process.pid, tid, 0) == -ESRCH;
}

/* Reuse a state whose thread has ended (or whose TID the kernel has given to this one). */
static struct pipa_heap_sampler *reuse_state(uint32_t self)
{
	uint32_t n = __atomic_load_n(&pipa_heap_states, __ATOMIC_ACQUIRE), i, at, tid;
	struct pipa_heap_sampler *state;

	if (n > STATES)
		n = STATES;
	for (i = 0; i < n && i < CHECKS; i++) {
		at = __atomic_fetch_add(&threads.next, 1, __ATOMIC_RELAXED) % n;
		state = __atomic_load_n(&threads.states[at], __ATOMIC_ACQUIRE);
		if (!state)
			continue;
		tid = __atomic_load_n(&state->tid, __ATOMIC_RELAXED);
		if (tid && tid != self && !has_ended(tid))
			continue;
		if (__atomic_compare_exchange_n(&state->tid, &tid, self, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return state;
	}
	return NULL;
}

static struct pipa_heap_sampler *make_state(uint32_t self)
{
	uint32_t number = __atomic_load_n(&pipa_heap_states, __ATOMIC_RELAXED);
	struct pipa_heap_sampler *state;

	do {
		if (number >= STATES)
			return NULL;
	} while (!__atomic_compare_exchange_n(&pipa_heap_states, &number, number + 1, true,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	state = pipa_sys_memory(sizeof(*state));
	if (!state)
		return NULL;
	state->tid = self;
	state->number = number;
	__atomic_store_n(&threads.states[number], state, __ATOMIC_RELEASE);
	return state;
}

/* Enter the thread into the shared table. */
static void note_thread(uint32_t tid)
{
	struct pipa_heap_process *p = &pipa_heap_process;
	uint64_t at = __atomic_fetch_add(&p->status->n_threads, 1, __ATOMIC_RELAXED);
	struct pipa_heap_thread *thread;

	if (at >= p->n_threads || !pipa_heap_process_commit(&p->threads[at], sizeof(*p->threads))) {
		pipa_heap_process_lose(PIPA_HEAP_LOST_THREADS, 1);
		return;
	}
	thread = &p->threads[at];
	thread->first_ns = pipa_heap_clock_ns();
	PIPA_SYS2(prctl, PR_GET_NAME, thread->name);
	__atomic_store_n(&thread->tid, tid, __ATOMIC_RELEASE);
}

/* Use the shard with the number of the state, if there is one: the thread is its only writer. */
static void take_shard(struct pipa_heap_sampler *state)
{
	struct pipa_heap_process *p = &pipa_heap_process;

	state->shard = NULL;
	if (!p->shards || state->number >= p->n_shards ||
	    !pipa_heap_process_commit(&p->shards[state->number], sizeof(*p->shards)))
		return;
	state->shard = &p->shards[state->number];
	__atomic_store_n(&state->shard->tid, state->tid, __ATOMIC_RELAXED);
}

struct pipa_heap_sampler *pipa_heap_thread_start(void)
{
	struct pipa_heap_local *local = &pipa_heap_local;
	uint32_t tid = pipa_sys_tid();
	struct pipa_heap_sampler *state = reuse_state(tid);

	if (!state)
		state = make_state(tid);
	if (!state)
		return NULL;
	state->random ^= ((uint64_t)tid << 32 ^ pipa_heap_clock_ns() ^ (uint64_t)state) *
			 UINT64_C(0x9e3779b97f4a7c15);
	if (!state->random)
		state->random = 1;
	/* after a fork the countdown goes on, and if it is over, this allocation is a sample */
	state->drawn = local->state ? local->countdown + 1 : 0;
	state->n_samples = 0;
	state->updated_ns = 0;
	state->last_sp = 0;
	state->stack = PIPA_HEAP_NO_STACK;
	state->walk.n = 0;
	state->walk.reusable = false;
	state->walk.stack_end = 0;
	memset(state->recent, 0, sizeof(state->recent)); /* a fork has stacks of its own */
	local->state = state;
	local->forks = pipa_heap_forks;
	note_thread(tid);
	take_shard(state);
	return state;
}

void pipa_heap_thread_stack(struct pipa_heap_sampler *state, uint64_t sp)
{
	struct pipa_heap_walk *walk = &state->walk;

	/*
	 * Likely the stack that was looked up. All up to its end is readable unless it was unmapped since, or is another
	 * stack nearby; then walks by frame pointers check it.
	 */
	if (walk->stack_end > sp && sp + NEAR >= state->last_sp) {
		if (sp < state->last_sp)
			state->last_sp = sp;
		return;
	}
	walk->stack_end = pipa_heap_maps_end(sp);
	walk->n = 0;
	state->last_sp = sp;
}
