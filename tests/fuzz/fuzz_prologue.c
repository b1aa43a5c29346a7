/*
 * Any bytes as a function of any architecture: instructions decode to something of a sensible size, and a
 * scan from the start or to a return ends and finds a frame that makes sense, or none.
 *
 * Input: architecture (1), address within the code (2), exact (1), code.
 */
#include "fuzz.h"
#include "unwind/arch.h"
#include "unwind/insn.h"
#include "unwind/prologue.h"
#include "unwind/rows.h"

enum { BASE = 0x400000, HEAD = 4 };

static void check(const struct pipa_unwind_arch *arch, const struct pipa_prologue *p)
{
	MUST(p->sp_known || p->fp_known);
	MUST(p->ra_in_link || p->ra_saved);
	MUST(!p->sp_known || p->sp_offset >= (arch->link == PIPA_UNWIND_NO_REG ? 8 : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pipa_unwind_arch *const archs[] = { &pipa_unwind_x86_64,
								&pipa_unwind_aarch64,
								&pipa_unwind_riscv64 };
	struct pipa_prologue_code code = { .addr = BASE, .start = BASE };
	const struct pipa_unwind_arch *arch;
	struct pipa_prologue found;
	struct pipa_insn insn;
	struct pipa_row row;
	uint64_t pc;
	size_t at;
	bool exact;

	if (size <= HEAD)
		return 0;
	arch = archs[data[0] % 3];
	pc = BASE + (data[1] | (uint64_t)data[2] << 8);
	exact = data[3] & 1;
	code.bytes = data + HEAD;
	code.size = size - HEAD;
	code.end = data[3] & 2 ? BASE + code.size : BASE;
	for (at = 0; at < code.size; at += insn.size) {
		if (!arch->decode(code.bytes + at, code.size - at, BASE + at, &insn))
			break;
		MUST(insn.size && insn.size <= 15 && insn.size <= code.size - at);
		MUST(insn.n <= PIPA_INSN_EFFECTS);
	}
	if (pipa_prologue_from_start(arch, &code, pc, exact, &found))
		check(arch, &found);
	if (pipa_prologue_to_return(arch, &code, pc, exact, &found))
		check(arch, &found);
	if (pipa_prologue_row(arch, &code, pc, exact, &row))
		MUST(row.cfa.kind == PIPA_RULE_IS);
	return 0;
}
