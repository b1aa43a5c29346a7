/*
 * aarch64. DWARF: x0..x30, 31 is sp, 34 says whether the return address is signed. perf
 * (asm/perf_regs.h): the same up to sp, then pc.
 *
 * The kernel's vdso has no call frame information for the stub after a signal handler, on purpose
 * (it made libgcc fail); every unwinder knows the stub by its two instructions.
 */
#include <elf.h>

#include "unwind/arch.h"
#include "unwind/insn.h"

enum { X29 = 29, X30 = 30, SP = 31, PC = 32, RA_SIGN_STATE = 34, REGS };

static const uint8_t perf_regs[] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

/* mov x8, #139; svc #0. siginfo (128), ucontext up to its registers (184). */
#define REG_AT(i)                                                                                  \
	{                                                                                          \
		(i), 312 + 8 * (i)                                                                 \
	}
static const struct pipa_unwind_sigframe sigframe = {
	.code = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 },
	.code_size = 8,
	.second = 4,
	.pc_at = 312 + 8 * 32,
	.n = 32,
	.regs = {
		REG_AT(0),  REG_AT(1),	REG_AT(2),  REG_AT(3),	REG_AT(4),  REG_AT(5),	REG_AT(6),
		REG_AT(7),  REG_AT(8),	REG_AT(9),  REG_AT(10), REG_AT(11), REG_AT(12), REG_AT(13),
		REG_AT(14), REG_AT(15), REG_AT(16), REG_AT(17), REG_AT(18), REG_AT(19), REG_AT(20),
		REG_AT(21), REG_AT(22), REG_AT(23), REG_AT(24), REG_AT(25), REG_AT(26), REG_AT(27),
		REG_AT(28), REG_AT(29), REG_AT(30), REG_AT(31),
	},
};

const struct pipa_unwind_arch pipa_unwind_aarch64 = {
	.name = "aarch64",
	.machine = EM_AARCH64,
	.n_regs = REGS,
	.sp = SP,
	.fp = X29,
	.pc = PC,
	.link = X30,
	.fp_saved_at = 0,
	.ra_saved_at = 8,
	.fp_tells_sp = false,		    /* the frame record is at the frame's lower end */
	.pc_mask = (UINT64_C(1) << 48) - 1, /* bits 48 to 54 are the signature */
	.sign_state = RA_SIGN_STATE,
	.perf_pc = PC,
	.n_perf = sizeof(perf_regs),
	.perf = perf_regs,
	.sigframe = &sigframe,
	.decode = pipa_insn_aarch64,
};
