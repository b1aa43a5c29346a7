/*
 * DWARF expressions, as far as call frame information uses them: a stack machine that computes an
 * address or a value from registers and memory. PLT stubs, signal frames and functions that realign
 * their stack have them.
 *
 * At most PIPA_CFI_EXPR_STEPS operations and PIPA_CFI_EXPR_DEPTH values: what is hostile ends, too.
 * Operations that are malformed here (pieces, calls, entry values, thread-local storage) are
 * refused.
 */
#ifndef PIPA_UNWIND_EXPR_H
#define PIPA_UNWIND_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_unwind_regs;

enum { PIPA_CFI_EXPR_STEPS = 1000, PIPA_CFI_EXPR_DEPTH = 64 };

struct pipa_cfi_expr {
	const struct pipa_unwind_regs *regs;
	uint64_t bias; /* offset to be added to linked addresses */
	bool swapped;  /* constants are of the other byte order */
	/* `size` bytes (1, 2, 4 or 8) of memory as a number; 0 or a negative errno */
	int (*read)(void *ctx, uint64_t addr, unsigned int size, uint64_t *ret);
	void *ctx;
};

/*
 * Evaluate with *initial on the stack (or nothing, if NULL), and return the top. -EBADMSG if it is
 * malformed or refused, -ENODATA for an unknown register, or the result of read.
 */
int pipa_cfi_expr_eval(const struct pipa_cfi_expr *context, struct pipa_span code,
		       const uint64_t *initial, uint64_t *ret);

#endif
