#include "symbol/table/code.h"

#include <elf.h>

#include "elf/elf.h"
#include "symbol/table/layout.h"

/* Return the bytes of a relocatable file's section at an address, not relocated. */
static bool find_in_sections(const struct pipa_elf *elf, uint64_t addr, uint64_t size,
			     struct pipa_span *ret)
{
	struct pipa_elf_section section;
	struct pipa_layout layout;
	bool found = false;
	uint32_t i;

	if (pipa_layout_init(&layout, elf) < 0)
		return false;
	for (i = 0; !found && pipa_elf_section(elf, i, &section); i++) {
		uint64_t start = pipa_layout_start(&layout, i);

		found = start != PIPA_NOT_LOADED && addr >= start && addr - start < section.size &&
			pipa_span_cut(pipa_elf_section_bytes(elf, &section), addr - start, size,
				      ret);
	}
	pipa_layout_done(&layout);
	return found;
}

bool pipa_code_find(struct pipa_span file, uint64_t addr, uint64_t size, struct pipa_code *ret)
{
	struct pipa_elf elf;
	uint64_t offset;

	if (pipa_elf_init(&elf, file, NULL) < 0)
		return false;
	ret->machine = elf.machine;
	ret->relocatable = elf.type == ET_REL;
	if (ret->relocatable)
		return find_in_sections(&elf, addr, size, &ret->bytes);
	return pipa_elf_addr_to_offset(&elf, addr, &offset) &&
	       pipa_span_cut(file, offset, size, &ret->bytes);
}
