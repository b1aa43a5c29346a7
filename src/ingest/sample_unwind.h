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

/* Source of unwind data. Results are borrowed and stay valid as long as the source. */
struct pipa_unwind_source {
	/* Return the architecture of the recording, called with the first sample; NULL: unknown. */
	const struct pipa_unwind_arch *(*arch)(void *ctx);
	/*
	 * Return the unwind table of an object and the linked address of an offset in it. NULL:
	 * none.
	 */
	const struct pipa_unwind_table *(*table)(void *ctx, uint32_t object, uint64_t offset,
						 uint64_t *ret_linked);
	/*
	 * Return 0, or -ENOMEM if a table is missing because of an allocation failure. May be NULL.
	 */
	int (*status)(void *ctx);
	/*
	 * Find the function of an object at an address (link-time address, or mapped address
	 * without a file), for code without CFI. False: unknown. May be NULL.
	 */
	bool (*function)(void *ctx, uint32_t object, uint64_t addr,
			 struct pipa_unwind_function *ret);
	/* Copy bytes of code that is in no file; returns the number of bytes. May be NULL. */
	size_t (*code)(void *ctx, uint32_t object, uint64_t addr, void *to, size_t size);
	void *ctx;
	bool join; /* complete truncated stacks from earlier samples; samples must come in time order */
};

struct pipa_unwound_chain {
	const uint64_t *words; /* valid until the next chain */
	size_t n;
	enum pipa_stack_end end;
	/* object of the last frame, as numbered by the space; PIPA_NONE: unknown */
	uint32_t object;
	size_t fp_fallback; /* number of frames found by the frame-pointer fallback */
	bool joined;	    /* the outer frames come from an earlier sample: see stack_join.h */
	/* bytes of stack dump that a truncated stack needs to be complete; 0: unknown */
	uint64_t needed;
	bool recorded; /* this is the recorded chain, with the missing caller of a leaf inserted */
};

/* Create an unwinder of samples; *source is copied. NULL on allocation failure. */
struct pipa_sample_unwind *pipa_sample_unwind_new(const struct pipa_unwind_source *source);
void pipa_sample_unwind_free(struct pipa_sample_unwind *unwind);

/*
 * Unwind a sample. On link-register architectures a leaf function may have no frame record, and its
 * caller is only in the link register: a sample with a recorded chain and that register gets the
 * chain with the caller inserted.
 *
 * Returns 1 and the chain, whose first words are in the sample's mode; 0 for a sample without user
 * registers or stack dump; -ENOMEM. `space` is the address space of the process at that time, or
 * NULL.
 */
int pipa_unwound_chain(struct pipa_sample_unwind *unwind, const struct pipa_space *space,
		       const struct pipa_rec_id *id, const struct pipa_rec_sample *sample,
		       struct pipa_unwound_chain *ret);

/* Report lost samples: see pipa_stack_join_lost(). */
void pipa_sample_unwind_lost(struct pipa_sample_unwind *unwound);

/* The context markers after the last address of a chain, decoded. */
struct pipa_chain_tail {
	size_t marks;
	enum pipa_stack_end end;
	bool fp_fallback, joined;
};

struct pipa_chain_tail pipa_chain_tail(const uint64_t *words, size_t n);

/* Return the reason for which a chain ended. Inline: most chains end with an address. */
static inline enum pipa_stack_end pipa_chain_end(const uint64_t *words, size_t n)
{
	return n && words[n - 1] == PIPA_CHAIN_USER ? pipa_chain_tail(words, n).end :
						      PIPA_STACK_COMPLETE;
}

#endif
