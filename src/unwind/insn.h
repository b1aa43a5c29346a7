/*
 * Instructions as far as stack frames depend on them: how the stack pointer, the frame pointer and the
 * link register move, what is saved to and restored from the stack, and where control goes.
 *
 * One decoder per architecture, pure and total: any bytes decode to something or to nothing. Registers
 * are DWARF's numbers. An instruction whose effect on a register is not modelled loses that register.
 */
#ifndef PIPA_UNWIND_INSN_H
#define PIPA_UNWIND_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pipa_insn_flow {
	PIPA_FLOW_NEXT,
	PIPA_FLOW_CALL,
	PIPA_FLOW_BRANCH, /* to the target or on */
	PIPA_FLOW_JUMP,	  /* to the target */
	PIPA_FLOW_INDIRECT,
	PIPA_FLOW_RETURN,
	PIPA_FLOW_STOP, /* traps */
};

enum pipa_effect_kind {
	PIPA_EFFECT_SET,      /* reg = src + value */
	PIPA_EFFECT_CONST,    /* reg = value */
	PIPA_EFFECT_INSERT,   /* reg's 16 bits at bit `src` = value (movk) */
	PIPA_EFFECT_ADD,      /* reg = src + value * src2 */
	PIPA_EFFECT_LOST,     /* reg = anything */
	PIPA_EFFECT_STORE,    /* word at src + value = reg */
	PIPA_EFFECT_LOAD,     /* reg = word at src + value */
	PIPA_EFFECT_COMPARED, /* the flags hold the comparison of reg and src */
};

struct pipa_effect {
	uint8_t kind, reg, src, src2;
	int32_t value;
};

enum { PIPA_INSN_EFFECTS = 4 };

struct pipa_insn {
	uint8_t size;
	uint8_t flow;
	uint8_t n;	  /* effects, in order */
	bool until_equal; /* a BRANCH that is not taken if the COMPARED values are equal */
	uint64_t target;  /* of BRANCH, JUMP and direct CALLs; else 0 */
	struct pipa_effect effects[PIPA_INSN_EFFECTS];
};

/* False when the bytes end within the instruction or are not one. */
bool pipa_insn_x86_64(const uint8_t *code, size_t size, uint64_t addr, struct pipa_insn *ret);
bool pipa_insn_aarch64(const uint8_t *code, size_t size, uint64_t addr, struct pipa_insn *ret);
bool pipa_insn_riscv64(const uint8_t *code, size_t size, uint64_t addr, struct pipa_insn *ret);

static inline void pipa_insn_add(struct pipa_insn *insn, enum pipa_effect_kind kind, uint8_t reg,
				 uint8_t src, int64_t value)
{
	bool fits = value == (int32_t)value;

	if (!fits && kind != PIPA_EFFECT_STORE)
		kind = PIPA_EFFECT_LOST;
	if (insn->n < PIPA_INSN_EFFECTS && (fits || kind == PIPA_EFFECT_LOST))
		insn->effects[insn->n++] = (struct pipa_effect){ (uint8_t)kind, reg, src, 0,
								 (int32_t)value };
}

#endif
