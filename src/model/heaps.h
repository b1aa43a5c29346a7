/*
 * Heaps of processes, as the heap profiler's library has recorded them: what each call stack has
 * allocated, what of it is in use, and the sampled blocks that are still allocated.
 *
 * Allocations are sampled by bytes. Each sample stands for the allocations of its probability, so that the
 * amounts are unbiased estimates; with a rate of 1 every allocation is a sample and amounts are exact.
 * Tables are shared by all processes; rows refer to each other by index.
 */
#ifndef PIPA_MODEL_HEAPS_H
#define PIPA_MODEL_HEAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/file_id.h"
#include "base/strings.h"
#include "model/record.h"
#include "model/stack_end.h"

/*
 * Size class i holds sizes from 2^i to below 2^(i+1), size 0 is in class 0; the last holds all larger
 * ones. Lifetime class 0 holds lifetimes below 1024 ns, class i those from 2^(i+9) to below 2^(i+10) ns.
 */
enum { PIPA_HEAPS_CLASSES = 32 };

/*
 * Addresses of a stack are return addresses. An address with this bit, which is no part of it, is exact:
 * it was interrupted by a signal.
 */
#define PIPA_HEAPS_EXACT (UINT64_C(1) << 63)

/* Number of blocks, and their bytes. */
struct pipa_heaps_amount {
	uint64_t objects, bytes;
};

/* How the recording of a process ended. */
enum pipa_heaps_end {
	PIPA_HEAPS_RUNNING,  /* it was still running */
	PIPA_HEAPS_EXITED,   /* exit(3), _exit(2) or the return of main */
	PIPA_HEAPS_REPLACED, /* execve(2) */
	PIPA_HEAPS_KILLED,   /* by a signal, or its end was not recorded */
	PIPA_HEAPS_END_NR,
};

/* A mapped file with code, while it was mapped. */
struct pipa_heaps_module {
	uint32_t path; /* a string */
	struct pipa_build_id build_id;
	struct pipa_file_id file; /* inode 0: unknown */
	uint64_t start, end, offset;
	/* generations of the process's mappings in which it was there; see the stacks' generation */
	uint32_t first_generation, last_generation;
};

struct pipa_heaps_stack {
	uint32_t number;	   /* in the recording of its process: the same at each time */
	uint32_t frames, n_frames; /* addresses from `frames` on, innermost first */
	enum pipa_stack_end why;   /* it ends */
	uint32_t generation;	   /* of the mappings that its addresses are in */
	uint64_t samples;	   /* sampled allocations */
	struct pipa_heaps_amount alloc, inuse;
	struct pipa_heaps_amount peak;	    /* in use at the peak of the process */
	struct pipa_heaps_amount temporary; /* freed before their thread allocated anything else */
	uint64_t allocator_ns;		    /* time in the allocator */
	bool is_mapping;		    /* mmap(2) or brk(2), not malloc(3) */
};

/* What a conservative scan of the memory at exit has found for a block. */
enum pipa_heaps_reach {
	PIPA_HEAPS_UNKNOWN,	  /* no scan was made */
	PIPA_HEAPS_REACHABLE,	  /* a pointer to its start was found */
	PIPA_HEAPS_INTERIOR,	  /* only pointers into it: possibly lost */
	PIPA_HEAPS_LOST,	  /* no pointer */
	PIPA_HEAPS_LOST_INDIRECT, /* only pointers in lost blocks */
	PIPA_HEAPS_REACH_NR,
};

/* A sampled block that is still allocated. */
struct pipa_heaps_block {
	uint64_t address, size;
	uint64_t time_ns;		 /* of its allocation, monotonic */
	struct pipa_heaps_amount amount; /* that it stands for */
	uint32_t stack;
	uint32_t tid;
	enum pipa_heaps_reach reach : 8;
	bool is_mapping; /* of mmap(2) or brk(2): it may contain blocks of malloc(3) */
	bool has_pages;	 /* the following were read */
	uint64_t resident, swapped, untouched; /* bytes of its size */
};

/* What was not recorded. All but truncated stacks make a report incomplete. */
struct pipa_heaps_losses {
	uint64_t samples; /* sampled allocations that are in no sum */
	uint64_t bytes;	  /* that they stand for */
	uint64_t
		reentries; /* allocations of signal handlers that interrupted the library: in no sum, size unknown */
	uint64_t blocks;   /* allocations that were summed, but whose free is not followed */
	uint64_t modules;  /* mapped files without space in the recording */
	uint64_t children; /* forked processes that were not recorded */
	uint64_t storage;  /* times that the recording could not be enlarged */
	uint64_t threads;  /* without space for their name */
	uint64_t corrupt;  /* malformed entries of the recording */
	uint64_t truncated_stacks; /* samples */
};

struct pipa_heaps_process {
	uint32_t pid, parent;
	uint32_t comm, exe, command; /* strings, "": unknown; command: with its arguments */
	enum pipa_heaps_end end;
	uint64_t start_ns, end_ns; /* monotonic */
	uint64_t start_wall_ns;	   /* since 1970; 0: unknown */
	uint64_t rate;		   /* mean bytes per sample, 1: all */
	uint64_t min_size;
	bool no_frees; /* frees were not recorded: amounts in use and at the peak are unknown, and 0 */
	uint32_t modules, n_modules;
	uint32_t stacks, n_stacks;
	uint32_t blocks, n_blocks;
	bool bypassed; /* the program defines malloc itself: its allocations are not included */
	bool forked;   /* blocks that its parent had allocated are not included */
	bool has_gaps; /* memory of its heap is not included: recording was off, or it is from sbrk(3) */
	struct pipa_heaps_amount peak;		/* largest in use at one time */
	uint64_t peak_ns;			/* when, monotonic */
	uint64_t sizes[PIPA_HEAPS_CLASSES];	/* objects allocated */
	uint64_t lifetimes[PIPA_HEAPS_CLASSES]; /* objects freed */
	struct pipa_heaps_losses losses;
};

struct pipa_heaps {
	struct pipa_strings strings;
	struct {
		uint64_t *items;
		size_t n, cap;
	} frames;
	struct {
		struct pipa_heaps_module *items;
		size_t n, cap;
	} modules;
	struct {
		struct pipa_heaps_stack *items;
		size_t n, cap;
	} stacks;
	struct {
		struct pipa_heaps_block *items;
		size_t n, cap;
	} blocks;
	struct {
		struct pipa_heaps_process *items;
		size_t n, cap;
	} processes;
};

void pipa_heaps_done(struct pipa_heaps *heaps);

/* Return the upper limit of a class in bytes or ns, not included in it; 0: it has none. */
uint64_t pipa_heaps_size_limit(unsigned int class);
uint64_t pipa_heaps_lifetime_limit(unsigned int class);

/*
 * Return the module of a process at an address in a generation of its mappings, NULL: none. The last one
 * that was mapped there counts.
 */
const struct pipa_heaps_module *pipa_heaps_module_at(const struct pipa_heaps *heaps,
						     const struct pipa_heaps_process *process,
						     uint32_t generation, uint64_t address);

/*
 * The most bytes that all processes can have had in use at the same time: the peaks of those that existed at
 * the same time. 0 if there is no process, or no memory.
 */
uint64_t pipa_heaps_peak_at_once(const struct pipa_heaps *heaps);

/* Are amounts in use and at the peak known, of any process? True if there is none. */
bool pipa_heaps_has_frees(const struct pipa_heaps *heaps);

/*
 * Mark a process as a program that exec replaced at a time. Its memory does not exist any more: of its stacks
 * nothing is in use.
 */
void pipa_heaps_replace(struct pipa_heaps *heaps, struct pipa_heaps_process *process,
			uint64_t end_ns);

/* Is anything missing of the process? */
bool pipa_heaps_is_complete(const struct pipa_heaps_process *process);

static inline void pipa_heaps_done_auto(struct pipa_heaps *heaps)
{
	pipa_heaps_done(heaps);
}

#endif
