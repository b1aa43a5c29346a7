/*
 * From the registers and the stack of a sample to the chain of callers.
 *
 *	struct pipa_unwinder *unwinder = pipa_unwinder_new(&pipa_unwind_x86_64);
 *	struct pipa_unwind_input in = { .stack = ..., .stack_addr = sp, .space = key, .ops = &ops };
 *
 *	pipa_unwind_regs_of(arch, &sample->user_regs, &in.regs);
 *	pipa_unwind(unwinder, &in, &frames, &result);
 *
 * Each frame is unwound by the call frame information of its code. Where there is none (JIT-compiled code,
 * assembly), by the stack's depth that a table has (Go), by decoding the code (unwind/prologue.h), or along
 * the frame pointer; but for the table, that frame's caller is marked as guessed. Nothing is glued over a
 * gap: where the walk cannot go on it ends, and says why and in which object.
 *
 * The walk cannot loop: the stack pointer must rise with every frame, but for a leaf of link-register
 * machines, and for signal frames, which may lead to another stack a few times.
 *
 * An unwinder keeps the rows of the addresses it has met, so the n-th visit costs a hash, a compare
 * and the loads of the saved registers. It is for one thread; tables may be shared. No system calls:
 * code is found and memory is read through the caller's functions.
 */
#ifndef PIPA_UNWIND_UNWIND_H
#define PIPA_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "model/stack_end.h"
#include "unwind/arch.h"

struct pipa_unwind_table;
struct pipa_unwinder;

/* The code at an address. */
struct pipa_unwind_code {
	const struct pipa_unwind_table *table; /* NULL: unknown code */
	uint64_t bias;			       /* address - address as linked */
	uint32_t object;		       /* the caller's own number for it */
};

/* The function of an address, from symbols and other tables. */
struct pipa_unwind_function {
	uint64_t start, end; /* equal: not known where it starts */
	bool has_depth;	     /* a table has the stack's depth (Go's pcsp): */
	uint32_t depth;	     /* bytes from the stack pointer to its value at the start */
	bool outermost;	     /* it has no caller */
};

struct pipa_unwind_ops {
	/* False when no code is mapped there. */
	bool (*find)(void *ctx, uint64_t addr, struct pipa_unwind_code *ret);
	/*
	 * Read `size` bytes of memory outside the dump that never changes, such as read-only parts
	 * of a mapped file. False if there is none. May be NULL: then only the tables' own files
	 * are read.
	 */
	bool (*read)(void *ctx, uint64_t addr, void *to, size_t size);
	/*
	 * The function at an address of code without call frame information; false when it is not known.
	 * May be NULL.
	 */
	bool (*function)(void *ctx, uint64_t addr, const struct pipa_unwind_code *code,
			 struct pipa_unwind_function *ret);
	/*
	 * Up to `size` bytes of code that is in no file, such as JIT-compiled code of a running process.
	 * Returns how many there are. May be NULL.
	 */
	size_t (*code)(void *ctx, uint64_t addr, void *to, size_t size);
};

struct pipa_unwind_input {
	struct pipa_unwind_regs regs;
	const uint8_t *stack; /* bytes of the stack, little-endian */
	size_t stack_len;
	uint64_t stack_addr; /* of the first one: the stack pointer */
	/*
	 * Another number for every address space, and for the same one after a mapping was replaced: what
	 * was found in it is kept by this number and the address.
	 */
	uint64_t space;
	const struct pipa_unwind_ops *ops;
	void *ctx;
};

enum pipa_unwind_flag {
	/*
	 * was interrupted there, or is the signal trampoline, which is entered at its start: look
	 * up the address itself, not address - 1
	 */
	PIPA_FRAME_EXACT = 1,
	/* its code has no call frame information: found by decoding code or by the frame pointer */
	PIPA_FRAME_FP_FALLBACK = 2,
};

struct pipa_unwind_frames {
	uint64_t *addrs; /* innermost first: its program counter, then return addresses */
	uint8_t *flags;	 /* enum pipa_unwind_flag of each; may be NULL */
	size_t max;	 /* room for; the first one always is the program counter */
	uint64_t *lows;	 /* the stack pointer in each; may be NULL */
};

struct pipa_unwind_result {
	size_t n;
	enum pipa_stack_end end;
	size_t fp_fallback; /* frames marked so */
	uint64_t at;	    /* the last frame's address, where the walk ended */
	uint32_t object;    /* of the code there; PIPA_UNWIND_NO_OBJECT when none is known */
};

#define PIPA_UNWIND_NO_OBJECT UINT32_MAX

/* NULL on allocation failure; 0.6 MiB. */
struct pipa_unwinder *pipa_unwinder_new(const struct pipa_unwind_arch *arch);
void pipa_unwinder_free(struct pipa_unwinder *unwinder);
PIPA_DEFINE_AUTO(pipa_unwinder_free, struct pipa_unwinder *)

/* Forget all that was kept: before a table goes away, or a number for a space is used again. */
void pipa_unwinder_reset(struct pipa_unwinder *unwinder);

/*
 * How an address of an unwound or recorded chain keeps its frame; see pipa_unwinder_frame(). The answer is
 * kept by address.
 */
struct pipa_unwind_frame {
	bool known;	 /* else unknown */
	bool in_link;	 /* the return address is still in the link register */
	bool has_record; /* the frame pointer leads to this function's own frame record */
	bool signal;	 /* the stub that returns from a signal handler */
	bool outermost;	 /* it has no caller */
	bool has_caller; /* for certain: it is not the outermost */
};

/* Describe the frame at an address; of `in` only space, ops and ctx are used. */
struct pipa_unwind_frame pipa_unwinder_frame(struct pipa_unwinder *unwinder,
					     const struct pipa_unwind_input *in, uint64_t pc,
					     bool exact);

/* frames->max must not be 0. */
void pipa_unwind(struct pipa_unwinder *unwinder, const struct pipa_unwind_input *in,
		 const struct pipa_unwind_frames *frames, struct pipa_unwind_result *ret);

#endif
