#include "symbol/table/layout.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/str.h"
#include "elf/elf.h"

static bool is_module_text(const struct pipa_elf_section *section)
{
	return (section->flags & SHF_ALLOC) && (section->flags & SHF_EXECINSTR) &&
	       !pipa_str_starts(section->name,
				".init"); /* allocated separately and freed after initialization */
}

int pipa_layout_init(struct pipa_layout *ret, const struct pipa_elf *elf)
{
	struct pipa_elf_section section;
	uint64_t end = 0, *starts;
	uint32_t i;

	starts = malloc(((size_t)elf->n_sections + 1) * sizeof(*starts));
	if (!starts)
		return -ENOMEM;
	for (i = 0; i < elf->n_sections; i++) {
		starts[i] = PIPA_NOT_LOADED;
		if (!pipa_elf_section(elf, i, &section) || !is_module_text(&section) ||
		    section.size > elf->file.size)
			continue;
		if (section.align > 1 && !(section.align & (section.align - 1)) &&
		    section.align <= elf->file.size)
			end = (end + section.align - 1) & ~(section.align - 1);
		starts[i] = end;
		end += section.size;
	}
	*ret = (struct pipa_layout){ starts, elf->n_sections };
	return 0;
}

void pipa_layout_done(struct pipa_layout *layout)
{
	free(layout->starts);
	*layout = (struct pipa_layout){ 0 };
}
