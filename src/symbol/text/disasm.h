/*
 * Disassemble code by capstone: x86_64 in AT&T syntax as objdump prints it, aarch64, and riscv64
 * from capstone 5 on, on any host.
 */
#ifndef PIPA_SYMBOL_TEXT_DISASM_H
#define PIPA_SYMBOL_TEXT_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_disasm_insn {
	uint64_t addr;
	size_t size;
	const char *name;     /* "mov"; "(bad)" for an invalid instruction */
	const char *operands; /* "" if none */
	uint64_t target;      /* target of a direct jump or call; 0: none */
};

/* Is code of that machine (EM_X86_64...) supported? If not, *why (may be NULL) has the reason. */
bool pipa_disasm_knows(uint16_t machine, const char **why);

/*
 * Disassemble code: call found() for each instruction; a result other than 0 ends the pass. Invalid
 * bytes are passed as "(bad)", in units of the architecture. -EOPNOTSUPP, -ENOMEM, or the result of
 * found().
 */
typedef int (*pipa_disasm_fn)(void *ctx, const struct pipa_disasm_insn *insn);
int pipa_disasm(uint16_t machine, struct pipa_span code, uint64_t addr, pipa_disasm_fn found,
		void *ctx);

#endif
