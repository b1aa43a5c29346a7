/*
 * Completes truncated stacks with the outer frames of an earlier sample of the same thread.
 *
 * A stack dump holds the inner part of a stack. If it ends too early, the outer part may still be
 * known: the bytes of the thread's last complete stack are stored. If the outermost bytes of the
 * new dump equal the stored ones, the frames in them have not returned since, and the memory above
 * them is unchanged. The dump is then extended by the stored bytes and unwound again. Such a stack
 * is called joined.
 *
 * Equal bytes are no proof: a thread that returned and called again may have written the same
 * bytes. Therefore
 *
 * - the equal bytes must contain a minimum of frames and bytes (PIPA_JOIN_*),
 * - the frames in them must be those of the stored stack: the same stack pointers and return
 *   addresses, none missing,
 * - complete stacks test the rule: each is compared with the stored one and with a deeper one from
 *   before frames returned. A thread is trusted only after PIPA_JOIN_TRUSTED of them agreed. The
 *   first one that has equal bytes below different callers ends joining for its thread,
 * - after lost records nothing is joined until the next complete stack of the thread: returns may
 *   have been lost,
 * - a stack that is not one range of addresses (signal handlers on another stack) is never joined.
 *
 * Not detected is a thread that returns and calls again from elsewhere between two samples, at a
 * depth at which no complete stack has had both callers. Joined stacks are marked.
 *
 * Costs nothing until a stack takes more than half of its dump. pipa_stack_join_new() is the only
 * function that allocates.
 */
#ifndef PIPA_INGEST_STACK_JOIN_H
#define PIPA_INGEST_STACK_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_stack_join;

enum {
	PIPA_JOIN_FRAMES = 8,	/* minimum of frames in the equal bytes for joining, */
	PIPA_JOIN_BYTES = 2048, /* and minimum of equal bytes */
	PIPA_JOIN_TRUSTED = 32, /* agreeing complete stacks after which a thread is trusted */
	PIPA_DOUBT_FRAMES = 4, /* frames of equal bytes below different callers that end joining, */
	PIPA_DOUBT_BYTES = 256, /* and bytes: lower limits than those for joining */
};

/* A stack dump and the frames that were unwound from it. */
struct pipa_join_walk {
	uint64_t thread; /* unique number of the thread */
	uint64_t space;	 /* unique number of the address space's generation */
	uint64_t sp;	 /* address of the first byte of the dump */
	const uint8_t *stack;
	size_t stack_len;
	const uint64_t *addrs, *lows; /* of its frames: see struct pipa_unwind_frames */
	size_t n;
};

/*
 * Create the state of all threads: up to 19 MiB of address space, of which only used pages become
 * resident. NULL on allocation failure.
 */
struct pipa_stack_join *pipa_stack_join_new(void);
void pipa_stack_join_free(struct pipa_stack_join *join);

/* Store a complete stack and test the rule with it. */
void pipa_stack_join_complete(struct pipa_stack_join *join, const struct pipa_join_walk *walk);

/*
 * Extend a truncated stack. Returns true and the longer dump, which is valid until the next call;
 * the caller unwinds it and passes the result to pipa_stack_join_accept(). False: no stored stack
 * matches.
 */
bool pipa_stack_join_extend(struct pipa_stack_join *join, const struct pipa_join_walk *walk,
			    const uint8_t **ret_stack, size_t *ret_len);

/*
 * Decide whether an extended stack is used. `walk` is of the extended dump, `n` the number of
 * frames found without the extension, `complete` whether the outermost frame was reached. False:
 * use only the first n frames.
 */
bool pipa_stack_join_accept(struct pipa_stack_join *join, const struct pipa_join_walk *walk,
			    size_t n, bool complete);

/* Report lost samples: nothing is joined with earlier stacks. */
void pipa_stack_join_lost(struct pipa_stack_join *join);

/*
 * Return the number of bytes from the stack pointer on that a dump needs to be complete; 0:
 * unknown.
 */
uint64_t pipa_stack_join_needed(const struct pipa_stack_join *join,
				const struct pipa_join_walk *walk);

#endif
