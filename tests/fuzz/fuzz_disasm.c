/* Any bytes as code of any machine: instructions follow each other without a gap up to the end. */
#include <elf.h>

#include "fuzz.h"
#include "symbol/table/code.h"
#include "symbol/text/disasm.h"

static int on_insn(void *ctx, const struct pipa_disasm_insn *insn)
{
	uint64_t *next = ctx;

	MUST(insn->addr == *next && insn->size > 0 && insn->name[0]);
	MUST(strlen(insn->operands) < 1000);
	*next += insn->size;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64, EM_RISCV };
	struct pipa_span code = { data, size };
	struct pipa_code found;
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		uint64_t next = 0x7ff0;

		if (!pipa_disasm_knows(machines[i], NULL))
			continue;
		MUST(pipa_disasm(machines[i], code, next, on_insn, &next) == 0);
		MUST(next == 0x7ff0 + size);
	}
	if (pipa_code_find(code, 0x1000, 64, &found))
		MUST(found.bytes.size == 64 && found.bytes.data >= data &&
		     found.bytes.data + 64 <= data + size);
	return 0;
}
