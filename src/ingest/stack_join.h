/*
 * Completes truncated stacks with the outer frames of an earlier sample of the same thread.
 *
 * A stack dump holds the inner part of a stack. Where the dump ends too early, the outer part may still be
 * known: the memory of the thread's last complete stack is kept, and if the outermost bytes of the new dump are
 * the bytes that were there then, the frames they belong to have not returned since, and the memory above them is
 * unchanged. The dump is then extended by the kept memory and unwound again. Such a stack is called joined.
 *
 * No sample proves that: a thread that returned and called again may have written the same bytes. So
 *
 *	- the equal bytes have to hold several frames and bytes (PIPA_JOIN_*),
 *	- complete stacks are used to test the rule: each is compared with the kept one, and a thread is trusted only
 *	  after PIPA_JOIN_TRUSTED of them agreed. The first one that shows equal bytes below different callers ends
 *	  joining for its thread.
 *
 * Costs nothing until a stack takes more than half of its dump. Nothing is allocated after pipa_stack_join_new().
 */
#ifndef PIPA_INGEST_STACK_JOIN_H
#define PIPA_INGEST_STACK_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_stack_join;

enum {
	PIPA_JOIN_FRAMES = 8,	/* that equal bytes have to hold, at least, */
	PIPA_JOIN_BYTES = 2048, /* and how many bytes */
	PIPA_JOIN_TRUSTED = 32, /* complete stacks of a thread that have to agree before */
	PIPA_DOUBT_FRAMES = 4,	/* that equal bytes below different callers have to hold */
	PIPA_DOUBT_BYTES = 256, /* to end joining: less than is needed to join */
};

/* A stack as it was unwound. */
struct pipa_join_walk {
	uint64_t thread;	      /* a number for each */
	uint64_t space;		      /* a number for each state of an address space */
	uint64_t sp;		      /* address of the first byte of the dump */
	const uint8_t *stack;	      /* the dump */
	size_t stack_len;	      /* its bytes */
	const uint64_t *addrs, *lows; /* of its frames: see struct pipa_unwind_frames */
	size_t n;
};

/*
 * NULL on allocation failure. Takes up to 9 MiB of address space; only used pages become resident.
 */
struct pipa_stack_join *pipa_stack_join_new(void);
void pipa_stack_join_free(struct pipa_stack_join *join);

/* Learn from a complete stack. */
void pipa_stack_join_complete(struct pipa_stack_join *join, const struct pipa_join_walk *walk);

/*
 * Extend a truncated stack: true and the longer dump, which is valid until the next call. The
 * caller unwinds it and passes the result to pipa_stack_join_accept(). False: no kept stack fits.
 */
bool pipa_stack_join_extend(struct pipa_stack_join *join, const struct pipa_join_walk *walk,
			    const uint8_t **ret_stack, size_t *ret_len);

/*
 * Decide on an extended stack that was unwound to its outermost frame (`complete`) or not. `walk` is of the
 * extended dump, `n` the frames that were found without it. False: use only those.
 */
bool pipa_stack_join_accept(struct pipa_stack_join *join, const struct pipa_join_walk *walk,
			    size_t n, bool complete);

/* How many bytes from the stack pointer on a dump needs to be complete; 0: not known. */
uint64_t pipa_stack_join_needed(const struct pipa_stack_join *join,
				const struct pipa_join_walk *walk);

#endif
