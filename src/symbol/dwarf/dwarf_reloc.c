#include "symbol/dwarf/dwarf_reloc.h"

#include <elf.h>
#include <string.h>

#include "elf/elf.h"
#include "elf/symtab.h"
#include "symbol/table/layout.h"

#ifndef R_RISCV_SET_ULEB128 /* since binutils 2.41 */
#define R_RISCV_SET_ULEB128 60
#define R_RISCV_SUB_ULEB128 61
#endif

enum verb { VERB_NONE, VERB_SET, VERB_ADD, VERB_SUB, VERB_SET_LEB, VERB_SUB_LEB };

struct action {
	uint8_t verb;
	uint8_t bits;
};

/* riscv: the linker relaxes code, so the assembler leaves even differences to relocations. */
static const struct action riscv[] = {
	[R_RISCV_32] = { VERB_SET, 32 },
	[R_RISCV_64] = { VERB_SET, 64 },
	[R_RISCV_ADD8] = { VERB_ADD, 8 },
	[R_RISCV_ADD16] = { VERB_ADD, 16 },
	[R_RISCV_ADD32] = { VERB_ADD, 32 },
	[R_RISCV_ADD64] = { VERB_ADD, 64 },
	[R_RISCV_SUB8] = { VERB_SUB, 8 },
	[R_RISCV_SUB16] = { VERB_SUB, 16 },
	[R_RISCV_SUB32] = { VERB_SUB, 32 },
	[R_RISCV_SUB64] = { VERB_SUB, 64 },
	[R_RISCV_SUB6] = { VERB_SUB, 6 },
	[R_RISCV_SET6] = { VERB_SET, 6 },
	[R_RISCV_SET8] = { VERB_SET, 8 },
	[R_RISCV_SET16] = { VERB_SET, 16 },
	[R_RISCV_SET32] = { VERB_SET, 32 },
	[R_RISCV_SET_ULEB128] = { VERB_SET_LEB, 0 },
	[R_RISCV_SUB_ULEB128] = { VERB_SUB_LEB, 0 },
};

static struct action action_of(uint16_t machine, uint32_t type)
{
	static const struct action none;

	switch (machine) {
	case EM_X86_64:
		if (type == R_X86_64_64)
			return (struct action){ VERB_SET, 64 };
		return type == R_X86_64_32 || type == R_X86_64_32S ?
			       (struct action){ VERB_SET, 32 } :
			       none;
	case EM_AARCH64:
		if (type == R_AARCH64_ABS64)
			return (struct action){ VERB_SET, 64 };
		return type == R_AARCH64_ABS32 ? (struct action){ VERB_SET, 32 } : none;
	case EM_RISCV: return type < sizeof(riscv) / sizeof(riscv[0]) ? riscv[type] : none;
	default: return none;
	}
}

/* All three architectures are little-endian. */
static uint64_t load_le(const uint8_t *at, size_t n)
{
	uint64_t value = 0;

	while (n--)
		value = value << 8 | at[n];
	return value;
}

static void store_le(uint8_t *at, size_t n, uint64_t value)
{
	for (; n--; value >>= 8)
		*at++ = (uint8_t)value;
}

/* Change a ULEB128 number in place: the assembler reserved enough bytes. */
static void change_leb(uint8_t *at, const uint8_t *end, enum verb verb, uint64_t value)
{
	uint64_t old = 0;
	unsigned int shift = 0;
	uint8_t *p;

	for (p = at; p < end && shift < 64; p++, shift += 7) {
		old |= (uint64_t)(*p & 0x7f) << shift;
		if (*p < 0x80)
			break;
	}
	if (p == end || shift >= 64)
		return;
	value = verb == VERB_SUB_LEB ? old - value : value;
	for (; at <= p; at++, value >>= 7)
		*at = (uint8_t)((value & 0x7f) | (at < p ? 0x80 : 0));
}

static void apply_relocation(struct action action, uint8_t *at, size_t left, uint64_t value)
{
	size_t n = (action.bits + 7u) / 8u;
	uint64_t old, keep = action.bits == 6 ? 0xc0 : 0;

	if (action.verb == VERB_SET_LEB || action.verb == VERB_SUB_LEB) {
		change_leb(at, at + left, action.verb, value);
		return;
	}
	if (action.verb == VERB_NONE || left < n)
		return;
	old = load_le(at, n);
	if (action.verb == VERB_ADD)
		value = old + value;
	else if (action.verb == VERB_SUB)
		value = old - value;
	store_le(at, n, keep ? (old & keep) | (value & ~keep) : value);
}

static uint64_t symbol_value(const struct pipa_elf_symtab *tab, const struct pipa_layout *layout,
			     uint32_t number)
{
	struct pipa_elf_symbol symbol;
	uint64_t start;

	if (!number || !pipa_elf_symtab_get(tab, number, &symbol) || symbol.section == SHN_UNDEF)
		return 0;
	if (symbol.section == SHN_ABS)
		return symbol.value;
	start = pipa_layout_start(layout, symbol.section);
	return start == PIPA_NOT_LOADED ? PIPA_NOT_LOADED : start + symbol.value;
}

static void apply_table(const struct pipa_elf_symtab *tab, const struct pipa_layout *layout,
			struct pipa_cursor c, uint8_t *bytes, size_t size)
{
	uint64_t offset, info, addend, value;

	for (;;) {
		offset = pipa_get_u64(&c);
		info = pipa_get_u64(&c);
		addend = pipa_get_u64(&c);
		if (c.status)
			return;
		if (offset >= size)
			continue;
		value = symbol_value(tab, layout, (uint32_t)ELF64_R_SYM(info));
		if (value != PIPA_NOT_LOADED)
			value += addend;
		apply_relocation(action_of(tab->elf->machine, (uint32_t)ELF64_R_TYPE(info)),
				 bytes + offset, size - (size_t)offset, value);
	}
}

void pipa_dw_relocate(const struct pipa_elf *elf, const struct pipa_layout *layout, uint32_t index,
		      uint8_t *bytes, size_t size)
{
	struct pipa_elf_section section;
	struct pipa_elf_symtab tab;
	uint32_t i;

	if (!elf->is64 || elf->swapped || !bytes || !pipa_elf_symtab_init(&tab, elf, SHT_SYMTAB))
		return;
	for (i = 0; pipa_elf_section(elf, i, &section); i++)
		if (section.type == SHT_RELA && section.info == index) {
			apply_table(&tab, layout,
				    pipa_elf_cursor(elf, pipa_elf_section_bytes(elf, &section)),
				    bytes, size);
			return; /* one relocation table per section */
		}
}
