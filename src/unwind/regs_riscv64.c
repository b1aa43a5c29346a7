/*
 * riscv64. DWARF: x0..x31. perf (asm/perf_regs.h): the same, but with the program counter in the
 * place of x0, which is always zero.
 *
 * The kernel's vdso says "signal frame" of the stub after a handler, and nothing of where the
 * registers are; every unwinder knows the stub by its two instructions.
 */
#include <elf.h>

#include "unwind/arch.h"
#include "unwind/insn.h"

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

enum { RA = 1, SP = 2, S0 = 8, REGS = 32 };

static const uint8_t perf_regs[] = {
	PIPA_UNWIND_NO_REG,
	1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	9,
	10,
	11,
	12,
	13,
	14,
	15,
	16,
	17,
	18,
	19,
	20,
	21,
	22,
	23,
	24,
	25,
	26,
	27,
	28,
	29,
	30,
	31,
};

/* li a7, 139; ecall. siginfo (128), ucontext up to its registers (176), pc in the place of x0. */
#define REG_AT(i)                                                                                  \
	{                                                                                          \
		(i), 304 + 8 * (i)                                                                 \
	}
static const struct pipa_unwind_sigframe sigframe = {
	.code = { 0x93, 0x08, 0xb0, 0x08, 0x73, 0x00, 0x00, 0x00 },
	.code_size = 8,
	.second = 4,
	.pc_at = 304,
	.n = 31,
	.regs = {
		REG_AT(1),  REG_AT(2),	REG_AT(3),  REG_AT(4),	REG_AT(5),  REG_AT(6),	REG_AT(7),
		REG_AT(8),  REG_AT(9),	REG_AT(10), REG_AT(11), REG_AT(12), REG_AT(13), REG_AT(14),
		REG_AT(15), REG_AT(16), REG_AT(17), REG_AT(18), REG_AT(19), REG_AT(20), REG_AT(21),
		REG_AT(22), REG_AT(23), REG_AT(24), REG_AT(25), REG_AT(26), REG_AT(27), REG_AT(28),
		REG_AT(29), REG_AT(30), REG_AT(31),
	},
};

const struct pipa_unwind_arch pipa_unwind_riscv64 = {
	.name = "riscv64",
	.machine = EM_RISCV,
	.n_regs = REGS,
	.sp = SP,
	.fp = S0,
	.pc = PIPA_UNWIND_NO_REG,
	.link = RA,
	.fp_saved_at = -16,
	.ra_saved_at = -8,
	.fp_tells_sp = true,
	.fp_caller_sp = 0,
	.pc_mask = UINT64_MAX,
	.sign_state = PIPA_UNWIND_NO_REG,
	.perf_pc = 0,
	.n_perf = sizeof(perf_regs),
	.perf = perf_regs,
	.sigframe = &sigframe,
	.decode = pipa_insn_riscv64,
};
