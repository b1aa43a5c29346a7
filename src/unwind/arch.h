/*
 * What the unwinder must know of an architecture: how registers are numbered in call frame
 * information (DWARF's numbers, which are used everywhere here) and in perf's samples, what a frame
 * pointer's frame looks like, and how to tell the stub through which a signal handler returns.
 *
 * x86_64, aarch64 and riscv64, whatever the machine is that this runs on.
 */
#ifndef PIPA_UNWIND_ARCH_H
#define PIPA_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_insn;
struct pipa_rec_regs;

enum {
	PIPA_UNWIND_REGS = 36, /* that are followed from frame to frame, at most */
	PIPA_UNWIND_RA = 35,   /* the slot of a return address column that is none of them */
	PIPA_UNWIND_NO_REG = 0xff,
	PIPA_UNWIND_CODE_MAX = 16, /* bytes of code to look at */
};

/* Registers by DWARF number; those without their bit in `known` hold nothing. */
struct pipa_unwind_regs {
	uint64_t known;
	uint64_t pc;
	uint64_t r[PIPA_UNWIND_REGS];
};

/* What rt_sigreturn will load, as offsets from the stack pointer at the stub. */
struct pipa_unwind_sigframe {
	uint8_t code[PIPA_UNWIND_CODE_MAX]; /* the stub's instructions */
	uint8_t code_size;
	uint8_t second; /* where the second instruction is, the system call */
	uint16_t pc_at;
	uint8_t n;
	struct {
		uint8_t reg;
		uint16_t at;
	} regs[32];
};

struct pipa_unwind_arch {
	const char *name;
	uint16_t machine; /* EM_* */
	uint8_t n_regs;	  /* registers with numbers from here on are not followed */
	uint8_t sp, fp;
	uint8_t pc;	     /* its number in expressions, or NO_REG */
	uint8_t link;	     /* a call leaves the return address in this register, or NO_REG */
	int8_t fp_saved_at;  /* from the frame pointer: where the caller's is kept */
	int8_t ra_saved_at;  /* and the return address */
	bool fp_tells_sp;    /* the caller's stack pointer can be computed from it: */
	int8_t fp_caller_sp; /* how far above */
	uint64_t pc_mask;    /* of a signed return address, the bits that are one */
	uint8_t sign_state;  /* pseudo register for "signed", or NO_REG */
	uint8_t perf_pc;     /* perf's number of the program counter */
	uint8_t n_perf;
	const uint8_t *perf; /* from perf's numbers to DWARF's; NO_REG: not followed */
	const struct pipa_unwind_sigframe *sigframe;
	/*
	 * On architectures that push return addresses: is this a PLT stub? Then only the return
	 * address is on the stack. NULL if the link register has it.
	 */
	bool (*is_stub)(const uint8_t *code, size_t size);
	/* The instruction at the start of the bytes (unwind/insn.h). */
	bool (*decode)(const uint8_t *code, size_t size, uint64_t addr, struct pipa_insn *ret);
};

extern const struct pipa_unwind_arch pipa_unwind_x86_64, pipa_unwind_aarch64, pipa_unwind_riscv64;

/* By EM_*; NULL for all others. */
const struct pipa_unwind_arch *pipa_unwind_arch_of(uint16_t machine);
/* By uname -m, as recordings name it: "x86_64", "aarch64", "riscv64". */
const struct pipa_unwind_arch *pipa_unwind_arch_named(const char *name);

/*
 * A sample's registers. False when it has none of a 64-bit process (abi), or neither the program
 * counter nor the stack pointer is among them.
 */
bool pipa_unwind_regs_of(const struct pipa_unwind_arch *arch, const struct pipa_rec_regs *regs,
			 struct pipa_unwind_regs *ret);

static inline bool pipa_unwind_knows(const struct pipa_unwind_regs *regs, unsigned int reg)
{
	return reg < PIPA_UNWIND_REGS && regs->known >> reg & 1;
}

static inline void pipa_unwind_set(struct pipa_unwind_regs *regs, unsigned int reg, uint64_t value)
{
	regs->r[reg] = value;
	regs->known |= UINT64_C(1) << reg;
}

static inline void pipa_unwind_forget(struct pipa_unwind_regs *regs, unsigned int reg)
{
	regs->known &= ~(UINT64_C(1) << reg);
}

#endif
