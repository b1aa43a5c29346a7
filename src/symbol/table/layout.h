/*
 * Layout of the sections of a relocatable file by the kernel's module loader: executable sections
 * in order from the module's base, each at its alignment. Sections that are freed after
 * initialization (.init*) are allocated separately; data is ignored.
 */
#ifndef PIPA_SYMBOL_TABLE_LAYOUT_H
#define PIPA_SYMBOL_TABLE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct pipa_elf;

#define PIPA_NOT_LOADED UINT64_MAX

struct pipa_layout {
	uint64_t *starts; /* offset of each section from the base, or PIPA_NOT_LOADED */
	uint32_t n;
};

/* Compute the layout. -ENOMEM. The caller frees it with pipa_layout_done(). */
int pipa_layout_init(struct pipa_layout *ret, const struct pipa_elf *elf);
void pipa_layout_done(struct pipa_layout *layout);

static inline uint64_t pipa_layout_start(const struct pipa_layout *layout, uint32_t section)
{
	return section < layout->n ? layout->starts[section] : PIPA_NOT_LOADED;
}

#endif
