/*
 * Make the call chain of a sample from its registers and stack dump: the kernel part of the
 * recorded chain, then the frames that unwind/ finds.
 *
 * The result is encoded as a kernel call chain, so that every reader of call chains takes it. If
 * the dump ends but the recorded user chain agrees with all frames found so far, the recorded
 * chain continues it. Additions to the kernel's encoding:
 *
 * - An address after a marker was interrupted and is exact (signal handlers).
 * - Two PIPA_CHAIN_USER before an address begin or end frames found by the frame-pointer fallback.
 * - PIPA_CHAIN_USER at the end, n times: the stack is truncated for reason n of enum
 *   pipa_stack_end. One is what the kernel writes when its buffer is full. PIPA_STACK_END_NR more:
 *   some frames are fallback frames. Twice PIPA_STACK_END_NR more: the outer frames are joined
 *   from an earlier sample.
 */
#ifndef PIPA_INGEST_SAMPLE_UNWIND_H
#define PIPA_INGEST_SAMPLE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/record.h"

struct pipa_space;
struct pipa_unwind_arch;
struct pipa_unwind_function;
struct pipa_unwind_table;
struct pipa_sample_unwind;

/* Whoever has the files. What it hands out is a loan for as long as it is asked. */
struct pipa_unwind_source {
	/* What the machine was, asked with the first sample; NULL: none that is known. */
	const struct pipa_unwind_arch *(*arch)(void *ctx);
	/*
	 * What the object's file says about unwinding, the same at every time, and the address as
	 * linked of what is at that offset of it. NULL: it says nothing.
	 */
	const struct pipa_unwind_table *(*table)(void *ctx, uint32_t object, uint64_t offset,
						 uint64_t *ret_linked);
	/* 0, or -ENOMEM when a table is missing for lack of memory. May be NULL. */
	int (*status)(void *ctx);
	/*
	 * The function of the object at an address (as linked, or as mapped where there is no file), for code
	 * without call frame information. False: not known. May be NULL.
	 */
	bool (*function)(void *ctx, uint32_t object, uint64_t addr,
			 struct pipa_unwind_function *ret);
	/* Bytes of code that is in no file; how many there are. May be NULL. */
	size_t (*code)(void *ctx, uint32_t object, uint64_t addr, void *to, size_t size);
	void *ctx;
	bool join; /* complete truncated stacks from earlier samples, for samples in the order of time */
};

struct pipa_unwound_chain {
	const uint64_t *words; /* a loan until the next chain */
	size_t n;
	enum pipa_stack_end end;
	uint32_t object; /* where it ended, as the space numbers it; PIPA_NONE: nowhere known */
	size_t guessed;	 /* frames */
	bool joined;	 /* the outer frames are those of an earlier sample: see stack_join.h */
	uint64_t needed; /* bytes of stack that a truncated one would have needed; 0: not known */
	bool recorded;	 /* it is the sample's own, with the caller of a leaf that it lacked */
};

/* The source's struct is copied. NULL without memory. */
struct pipa_sample_unwind *pipa_sample_unwind_new(const struct pipa_unwind_source *source);
void pipa_sample_unwind_free(struct pipa_sample_unwind *unwound);

/*
 * Machines that call through a link register: a leaf has made no frame for frame pointers to lead by, or
 * not yet, and its caller is in that register alone. A sample that has it gets its own chain with that
 * caller put in.
 *
 * 1 and the chain, of which the first words are in the sample's mode; 0 for a sample that has no user's
 * registers or stack; -ENOMEM. The space is the process's at that time, NULL: nothing is known of it.
 */
int pipa_unwound_chain(struct pipa_sample_unwind *unwound, const struct pipa_space *space,
		       const struct pipa_rec_id *id, const struct pipa_rec_sample *sample,
		       struct pipa_unwound_chain *ret);

/* What the marks behind the last address say. */
struct pipa_chain_tail {
	size_t marks;
	enum pipa_stack_end end;
	bool guessed, joined;
};

struct pipa_chain_tail pipa_chain_tail(const uint64_t *words, size_t n);

/* How the chain ended. */
enum pipa_stack_end pipa_chain_end(const uint64_t *words, size_t n);

#endif
