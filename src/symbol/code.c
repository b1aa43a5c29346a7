#include "symbol/code.h"

#include "elf/elf.h"

bool pipa_code_find(struct pipa_span file, uint64_t addr, uint64_t size, struct pipa_code *ret)
{
	struct pipa_elf elf;
	uint64_t offset;

	if (pipa_elf_init(&elf, file, NULL) < 0 || !pipa_elf_addr_to_offset(&elf, addr, &offset) ||
	    !pipa_span_cut(file, offset, size, &ret->bytes))
		return false;
	ret->machine = elf.machine;
	return true;
}
