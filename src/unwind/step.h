/*
 * One step from a frame to its caller; inside of unwind/ only. unwind.c decides where to go, this
 * computes: memory, rules, frame pointers, signal frames.
 */
#ifndef PIPA_UNWIND_STEP_H
#define PIPA_UNWIND_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "unwind/arch.h"
#include "unwind/unwind.h"

struct pipa_row;

/*
 * A common row in one cache line: CFA = register + offset, registers saved at multiples of 8 from
 * it. Others are kept as complete rows.
 */
enum pipa_hot_kind {
	PIPA_HOT_EMPTY,
	PIPA_HOT_PLAIN,
	PIPA_HOT_OUTERMOST, /* no caller */
	PIPA_HOT_WHOLE,	    /* see the complete row */
	PIPA_HOT_SIGNAL,    /* signal trampoline, recognized by its instructions */
	PIPA_HOT_NO_CFI,
	PIPA_HOT_BAD_CFI,
};

enum { PIPA_HOT_SAVED = 13 };

enum pipa_hot_flag {
	PIPA_HOT_SIGNED = 1, /* the return address is */
	PIPA_HOT_QUICK =
		2,	 /* plain, with the return address at at[0], or the outermost: for it the */
	PIPA_HOT_FP = 4, /* stack and the frame pointer are enough; which is saved at at[1] */
	PIPA_HOT_SCANNED = 8,	  /* by decoding code: other registers are unknown */
	PIPA_HOT_FP_LOST = 16,	  /* nor of the caller's frame pointer */
	PIPA_HOT_DEPTH = 64,	  /* by a table of stack depths, which knows outermost functions */
	PIPA_HOT_HAS_RECORD = 32, /* the frame pointer leads to this function's frame record */
};

struct pipa_row_cache {
	uint64_t key; /* the address and whether it is exact */
	uint64_t space;
	int32_t cfa_offset;
	uint8_t kind;
	uint8_t cfa_reg;
	uint8_t flags;
	uint8_t n_saved : 4;
	uint8_t ra_saved : 4; /* which of saved[] is the return address; else it is in `link` */
	int16_t at[PIPA_HOT_SAVED]; /* words from the CFA; NO_CFI: struct pipa_hot_limits */
	uint8_t reg[PIPA_HOT_SAVED];
};

/* How far the limits of a function are before and after the address; both 0: not known. */
struct pipa_hot_limits {
	uint32_t back, ahead;
};

/* The state of a walk between two frames. */
struct pipa_walk {
	const struct pipa_unwind_arch *arch;
	const struct pipa_unwind_input *in;
	struct pipa_unwind_regs regs;
	uint64_t low;	    /* the frame is at or above this */
	bool exact;	    /* regs.pc was interrupted; it is not a return address */
	bool fp_fallback;   /* regs were guessed */
	bool at_stub;	    /* the step was from the stub of a signal handler */
	unsigned int jumps; /* to other stacks */
};

enum { PIPA_WALK_JUMPS = 4 };

/* Result of a step: this, or the reason why there is no caller (enum pipa_stack_end). */
enum { PIPA_STEP_GO = -1 };

/* Make a cached row of a complete one; false if it does not fit. */
bool pipa_hot_row_make(struct pipa_row_cache *hot, const struct pipa_unwind_arch *arch,
		       const struct pipa_row *row);

/*
 * Make a hot row for code without call frame information; NO_CFI where only frame pointers are left. `room`
 * is for PIPA_PROLOGUE_BEFORE bytes of JIT-compiled code.
 */
void pipa_hot_without_cfi(struct pipa_row_cache *hot, const struct pipa_walk *walk,
			  const struct pipa_unwind_code *code, uint8_t *room);

/* To the caller: walk->regs become its registers, unless a reason is returned. */
int pipa_step_row(struct pipa_walk *walk, const struct pipa_row *row,
		  const struct pipa_unwind_code *code);
int pipa_step_sigframe(struct pipa_walk *walk);
/* [start, end) is the function that holds pc; equal: not known. */
int pipa_step_frame_pointer(struct pipa_walk *walk, uint64_t start, uint64_t end);

/* Is any code mapped at the address? */
bool pipa_walk_is_code(const struct pipa_walk *walk, uint64_t addr);

/* Is the signal trampoline at pc? Or a PLT stub, which has pushed nothing? */
bool pipa_is_sigreturn(const struct pipa_walk *walk, const struct pipa_unwind_code *code);
bool pipa_is_stub(const struct pipa_walk *walk, const struct pipa_unwind_code *code);

/* Is unreadable memory after the end of the dump, or elsewhere? */
enum pipa_stack_end pipa_walk_missing(const struct pipa_walk *walk, uint64_t addr);

/* A word of memory, of the dump or unchanging. */
bool pipa_walk_read(const struct pipa_walk *walk, uint64_t addr, unsigned int size, uint64_t *ret);

/* May the caller's stack pointer be this one? PIPA_STEP_GO, and the walk goes on from there. */
static inline int pipa_walk_rise(struct pipa_walk *walk, uint64_t sp)
{
	if (sp < walk->low || (sp == walk->low && !walk->exact))
		return PIPA_STACK_NO_PROGRESS;
	walk->low = sp;
	return PIPA_STEP_GO;
}

/* A word of the dump. */
static inline bool pipa_walk_word(const struct pipa_unwind_input *in, uint64_t addr, uint64_t *ret)
{
	uint64_t within = addr - in->stack_addr;

	if (in->stack_len < sizeof(*ret) || within > in->stack_len - sizeof(*ret))
		return false;
	memcpy(ret, in->stack + within, sizeof(*ret));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	*ret = __builtin_bswap64(*ret);
#endif
	return true;
}

#endif
