/*
 * State of a thread between its samples. A thread-local pointer leads to it. States of threads that have
 * ended are reused: no destructor is needed, and allocations in destructors of other thread-local objects
 * work.
 */
#ifndef PIPA_PRELOAD_THREAD_H
#define PIPA_PRELOAD_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/abi.h"
#include "preload/walk.h"

enum { PIPA_HEAP_RECENT = 256 };

/* A recent stack of the thread: its hash and number. */
struct pipa_heap_recent {
	uint64_t hash;
	uint32_t stack;
	uint32_t frames; /* 0: empty */
};

struct pipa_heap_sampler {
	uint32_t tid; /* 0: free */
	uint32_t number;
	uint64_t random;
	uint64_t drawn; /* bytes allocated when the countdown will be 0 */
	uint64_t n_samples;
	uint64_t updated_ns;	       /* when it last noted the time in the shared file */
	int64_t in_use;		       /* change that is not in the process's sum yet */
	struct pipa_heap_shard *shard; /* NULL: none */
	uint64_t last_sp;	       /* a part of the stack that is known to be readable */
	uint32_t stack;		       /* of the last walk, or PIPA_HEAP_NO_STACK */
	uint8_t stack_kind;
	struct pipa_heap_walk walk;
	struct pipa_heap_recent recent[PIPA_HEAP_RECENT]; /* by the last bits of the hash */
};

/* The part that is thread-local; initially zero. */
struct pipa_heap_local {
	uint64_t countdown; /* an allocation of at least this size is a sample */
	uint32_t busy;	    /* the library is running: samples of a signal handler are left out */
	uint32_t forks;	    /* pipa_heap_forks when the state was made: else it is the parent's */
	struct pipa_heap_sampler *state;
};

extern __thread struct pipa_heap_local pipa_heap_local
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Numbers of states and of forks. */
extern uint32_t pipa_heap_states __attribute__((visibility("hidden")));
extern uint32_t pipa_heap_forks __attribute__((visibility("hidden")));

struct pipa_heap_sampler *pipa_heap_thread_start(void);

/* Return the state of this thread; NULL on allocation failure. */
static inline struct pipa_heap_sampler *pipa_heap_thread_state(void)
{
	if (__builtin_expect(pipa_heap_local.state && pipa_heap_local.forks == pipa_heap_forks, 1))
		return pipa_heap_local.state;
	return pipa_heap_thread_start();
}

/* Update the end of the calling thread's stack, for a frame at `sp`. */
void pipa_heap_thread_stack(struct pipa_heap_sampler *state, uint64_t sp);

/* Reset the states in a forked child, which has only the calling thread. */
void pipa_heap_threads_forked(void);

/* Are there several threads that take samples? */
static inline bool pipa_heap_threads_many(void)
{
	return __atomic_load_n(&pipa_heap_states, __ATOMIC_RELAXED) > 1;
}

#endif
