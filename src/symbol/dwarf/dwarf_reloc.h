/* Apply the relocations of a debug section in a relocatable file. */
#ifndef PIPA_SYMBOL_DWARF_DWARF_RELOC_H
#define PIPA_SYMBOL_DWARF_DWARF_RELOC_H

#include <stddef.h>
#include <stdint.h>

struct pipa_elf;
struct pipa_layout;

/*
 * Apply the relocations of the index-th section to a copy of its contents. Addresses in sections
 * that are not loaded become UINT64_MAX. Relocations of other types, and those outside, are
 * ignored.
 */
void pipa_dw_relocate(const struct pipa_elf *elf, const struct pipa_layout *layout, uint32_t index,
		      uint8_t *bytes, size_t size);

#endif
