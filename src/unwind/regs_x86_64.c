/*
 * x86_64. DWARF: rax rdx rcx rbx rsi rdi rbp rsp r8..r15, and 16 for the return address, which a call
 * pushes. perf (asm/perf_regs.h) has its own order.
 */
#include <elf.h>
#include <string.h>

#include "base/auto.h"
#include "unwind/arch.h"
#include "unwind/insn.h"

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, RIP, REGS };

#define NONE PIPA_UNWIND_NO_REG

static const uint8_t perf_regs[] = {
	RAX,  RBX,  RCX,  RDX,	RSI,  RDI,  RBP,  RSP, NONE /* ip */,
	NONE, NONE, NONE, NONE, NONE, NONE, NONE, /* flags, segments */
	R8,   R9,   R10,  R11,	R12,  R13,  R14,  R15,
};

/* mov $15, %rax; syscall. The handler has popped its return address: sp is at the ucontext. */
static const struct pipa_unwind_sigframe sigframe = {
	.code = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 },
	.code_size = 9,
	.second = 7,
	.pc_at = 168,
	.n = 16,
	.regs = {
		{ R8, 40 },   { R9, 48 },   { R10, 56 },  { R11, 64 },
		{ R12, 72 },  { R13, 80 },  { R14, 88 },  { R15, 96 },
		{ RDI, 104 }, { RSI, 112 }, { RBP, 120 }, { RBX, 128 },
		{ RDX, 136 }, { RAX, 144 }, { RCX, 152 }, { RSP, 160 },
	},
};

/* endbr64 and bnd may be before jmp *slot(%rip). Static programs have such stubs without CFI. */
static bool is_stub(const uint8_t *code, size_t size)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = size >= sizeof(endbr) && memcmp(code, endbr, sizeof(endbr)) == 0 ? 4 : 0;

	if (at < size && code[at] == 0xf2)
		at++;
	return at + 1 < size && code[at] == 0xff && code[at + 1] == 0x25;
}

const struct pipa_unwind_arch pipa_unwind_x86_64 = {
	.name = "x86_64",
	.machine = EM_X86_64,
	.n_regs = REGS,
	.sp = RSP,
	.fp = RBP,
	.pc = RIP,
	.link = NONE,
	.fp_saved_at = 0,
	.ra_saved_at = 8,
	.fp_tells_sp = true,
	.fp_caller_sp = 16,
	.pc_mask = UINT64_MAX,
	.sign_state = NONE,
	.perf_pc = 8,
	.n_perf = PIPA_COUNT(perf_regs),
	.perf = perf_regs,
	.sigframe = &sigframe,
	.is_stub = is_stub,
	.decode = pipa_insn_x86_64,
};
