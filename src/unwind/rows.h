/*
 * The instructions of an FDE, run: each run of addresses gets a row that says where the caller's
 * registers are.
 *
 * All DW_CFA_* of DWARF 5, GNU's args_size and negative_offset_extended, aarch64's negate_ra_state
 * (both kinds). Expressions are not evaluated here (unwind/expr.h) but pointed to. Registers beyond those
 * that the architecture follows (floating point, vectors) are skipped.
 */
#ifndef PIPA_UNWIND_ROWS_H
#define PIPA_UNWIND_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "unwind/arch.h"

struct pipa_cfi;
struct pipa_fde;

enum pipa_rule_kind {
	PIPA_RULE_NONE, /* unspecified: as SAME, and for the stack pointer: the CFA */
	PIPA_RULE_SAME,
	PIPA_RULE_UNDEFINED, /* lost; of the return address: there is no caller */
	PIPA_RULE_AT,	     /* saved at CFA + offset */
	PIPA_RULE_IS,	     /* is CFA + offset; of the CFA itself: register + offset */
	PIPA_RULE_REGISTER,  /* in another register */
	PIPA_RULE_EXPR_AT,   /* saved at the address of the expression */
	PIPA_RULE_EXPR_IS,   /* value of the expression; also of the CFA */
};

struct pipa_rule {
	uint8_t kind;
	uint8_t reg;   /* REGISTER, and of the CFA; NO_REG for one that is not followed */
	uint32_t size; /* of the expression */
	union {
		int64_t offset;
		const uint8_t *expr;
	};
};

struct pipa_row {
	uint64_t start, end; /* addresses as linked; never empty */
	struct pipa_rule cfa;
	bool signal_frame;
	bool has_record;    /* scanned code: the frame pointer leads to its own frame record */
	bool ra_signed;	    /* strip the signature off the return address */
	uint8_t ra;	    /* the return address's slot in regs */
	uint64_t mentioned; /* bits of the regs that have a rule */
	struct pipa_rule regs[PIPA_UNWIND_REGS];
};

/*
 * Return the row of an address. -EBADMSG if the instructions are malformed, -ENOENT if the address
 * is not in the FDE.
 */
int pipa_row_find(const struct pipa_unwind_arch *arch, const struct pipa_cfi *cfi,
		  const struct pipa_fde *fde, uint64_t addr, struct pipa_row *ret);

/*
 * Call back for all rows of an FDE in order, each borrowed. Ends with the first result that is not
 * 0.
 */
int pipa_rows_each(const struct pipa_unwind_arch *arch, const struct pipa_cfi *cfi,
		   const struct pipa_fde *fde, int (*each)(void *ctx, const struct pipa_row *row),
		   void *ctx);

#endif
