#include "elf/symtab.h"

#include <elf.h>
#include <string.h>

#include "elf/elf.h"

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

enum { ENTRY_32 = 16, ENTRY_64 = 24 };

/* The table of wide section numbers that belongs to a symbol table. */
static struct pipa_span find_wide(const struct pipa_elf *elf, uint32_t table)
{
	struct pipa_elf_section section;
	uint32_t i;

	for (i = 0; pipa_elf_section(elf, i, &section); i++)
		if (section.type == SHT_SYMTAB_SHNDX && section.link == table)
			return pipa_elf_section_bytes(elf, &section);
	return (struct pipa_span){ NULL, 0 };
}

bool pipa_elf_symtab_init(struct pipa_elf_symtab *ret, const struct pipa_elf *elf, uint32_t type)
{
	uint32_t least = elf->is64 ? ENTRY_64 : ENTRY_32;
	struct pipa_elf_symtab tab = { .elf = elf, .entry_size = least };
	struct pipa_elf_section section, strings;

	if (!pipa_elf_section_typed(elf, type, &section))
		return false;
	if (section.entry_size > least && section.entry_size < UINT16_MAX)
		tab.entry_size = (uint32_t)section.entry_size;
	tab.entries = pipa_elf_section_bytes(elf, &section);
	tab.n = tab.entries.size / tab.entry_size;
	if (pipa_elf_section(elf, section.link, &strings))
		tab.strings = pipa_elf_section_strings(elf, &strings);
	tab.wide = find_wide(elf, section.index);
	*ret = tab;
	return tab.n > 0;
}

static uint32_t wide_section(const struct pipa_elf_symtab *tab, size_t index)
{
	struct pipa_span number;
	struct pipa_cursor c;

	if (!pipa_span_cut(tab->wide, (uint64_t)index * sizeof(uint32_t), sizeof(uint32_t),
			   &number))
		return SHN_UNDEF;
	c = pipa_elf_cursor(tab->elf, number);
	return pipa_get_u32(&c);
}

/* The two layouts; the fields are read in the order in which they stand. */
static void decode(const struct pipa_elf_symtab *tab, const uint8_t *at,
		   struct pipa_elf_symbol *ret)
{
	struct pipa_cursor c = { at, at + tab->entry_size, tab->elf->swapped, 0 };
	uint8_t info, other;

	ret->name = pipa_get_u32(&c);
	if (!tab->elf->is64) {
		ret->value = pipa_get_u32(&c);
		ret->size = pipa_get_u32(&c);
	}
	info = pipa_get_u8(&c);
	other = pipa_get_u8(&c);
	ret->section = pipa_get_u16(&c);
	if (tab->elf->is64) {
		ret->value = pipa_get_u64(&c);
		ret->size = pipa_get_u64(&c);
	}
	ret->type = info & 0xf;
	ret->binding = info >> 4;
	ret->visibility = other & 3;
}

bool pipa_elf_symtab_get(const struct pipa_elf_symtab *tab, size_t index,
			 struct pipa_elf_symbol *ret)
{
	if (index >= tab->n)
		return false;
	decode(tab, tab->entries.data + index * tab->entry_size, ret);
	if (ret->section == SHN_XINDEX)
		ret->section = wide_section(tab, index);
	return true;
}

const char *pipa_elf_symtab_name(const struct pipa_elf_symtab *tab,
				 const struct pipa_elf_symbol *symbol)
{
	return symbol->name < tab->strings.size ? (const char *)tab->strings.data + symbol->name :
						  "";
}

/* Symbols of one section follow each other: the last answer is mostly the next. */
static bool in_code(struct pipa_elf_symtab *tab, uint32_t index)
{
	struct pipa_elf_section section;

	if (index != tab->checked) {
		tab->checked = index;
		tab->executable = pipa_elf_section(tab->elf, index, &section) &&
				  (section.flags & SHF_EXECINSTR);
	}
	return tab->executable;
}

/* $x, $d, $a, $t, alone or with more after: where code and data begin, not what they are. */
static bool is_marker(uint16_t machine, const char *name)
{
	switch (machine) {
	case EM_ARM:
		return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
		       (!name[2] || name[2] == '.');
	case EM_AARCH64:
		return name[0] == '$' && (name[1] == 'x' || name[1] == 'd') &&
		       (!name[2] || name[2] == '.');
	case EM_RISCV: /* $x may name the instruction set: $xrv64i2p1_m2p0 */
		return (name[0] == '$' && (name[1] == 'x' || name[1] == 'd')) ||
		       (name[0] == '.' && name[1] == 'L');
	default: return false;
	}
}

static bool is_function(struct pipa_elf_symtab *tab, struct pipa_elf_symbol *symbol)
{
	switch (symbol->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC: break;
	case STT_NOTYPE:
		if (symbol->visibility == STV_HIDDEN || symbol->visibility == STV_INTERNAL ||
		    symbol->section == SHN_ABS || !in_code(tab, symbol->section))
			return false;
		break;
	default: return false;
	}
	if (symbol->section == SHN_UNDEF || !symbol->name || symbol->name >= tab->strings.size)
		return false;
	if (tab->elf->machine == EM_ARM)
		symbol->value &= ~UINT64_C(1); /* set for Thumb */
	else if (tab->elf->machine != EM_AARCH64 && tab->elf->machine != EM_RISCV)
		return true;
	return symbol->type != STT_NOTYPE ||
	       !is_marker(tab->elf->machine, pipa_elf_symtab_name(tab, symbol));
}

bool pipa_elf_functions_next(struct pipa_elf_symtab *tab, size_t *index,
			     struct pipa_elf_symbol *ret)
{
	while (pipa_elf_symtab_get(tab, *index, ret)) {
		++*index;
		if (is_function(tab, ret))
			return true;
	}
	return false;
}
