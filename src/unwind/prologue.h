/*
 * The frame of a function without call frame information, by decoding its code.
 *
 * Two ways, both bounded, by an abstract interpretation of the stack pointer, the frame pointer and the
 * link register:
 *
 *	- from the function's start along its control flow to the address (prologue scan): the stack's
 *	  depth there, and where the return address and the caller's frame pointer were saved;
 *	- from the address along the control flow to a return (epilogue scan): what would be loaded and
 *	  popped on the way is where the caller's registers are. Needs no start.
 *
 * Calls leave the stack pointer as it was. Pure; nothing is allocated.
 */
#ifndef PIPA_UNWIND_PROLOGUE_H
#define PIPA_UNWIND_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_row;
struct pipa_unwind_arch;

enum {
	PIPA_PROLOGUE_BEFORE = 64 << 10, /* the most bytes that are decoded before the address */
	PIPA_PROLOGUE_AFTER = 16 << 10,	 /* and from it on */
};

/* Code bytes, and the function's limits where they are known. */
struct pipa_prologue_code {
	const uint8_t *bytes;
	size_t size;
	uint64_t addr;	     /* of the first byte */
	uint64_t start, end; /* of the function; equal: unknown */
};

/* State at the address. The CFA is the stack pointer before the call, as in DWARF. */
struct pipa_prologue {
	bool sp_known, fp_known; /* the CFA is sp + sp_offset, fp + fp_offset */
	bool ra_in_link;	 /* the return address is still in the link register */
	bool ra_saved;		 /* it is in memory at CFA + ra_at */
	bool fp_same, fp_saved;	 /* fp is the caller's; the caller's is at CFA + fp_at */
	int32_t sp_offset, fp_offset;
	int32_t ra_at, fp_at;
};

/*
 * Both return false if nothing is found. `exact`: the address was interrupted; else it is a return
 * address, and the state is that of the call before it.
 */
bool pipa_prologue_from_start(const struct pipa_unwind_arch *arch,
			      const struct pipa_prologue_code *code, uint64_t pc, bool exact,
			      struct pipa_prologue *ret);
bool pipa_prologue_to_return(const struct pipa_unwind_arch *arch,
			     const struct pipa_prologue_code *code, uint64_t pc, bool exact,
			     struct pipa_prologue *ret);

/* Return either as a row for the address (unwind/rows.h), without rules for other registers. */
bool pipa_prologue_row(const struct pipa_unwind_arch *arch, const struct pipa_prologue_code *code,
		       uint64_t pc, bool exact, struct pipa_row *ret);

#endif
