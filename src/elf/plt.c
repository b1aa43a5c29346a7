#include "elf/plt.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/str.h"
#include "base/vec.h"
#include "elf/elf.h"

enum {
	RELA_SIZE = 24,
	X86_STUB_MAX = 16,
	INSN = 4,      /* bytes of an instruction of aarch64, and of the riscv ones used in stubs */
	STUB = 16,     /* four of them */
	BTI_STUB = 24, /* with a landing pad, and a filler at the end */
};

/* What a slot is filled with: one relocation. */
struct slot {
	uint64_t addr;
	uint64_t target;
	uint32_t symbol;
};

struct slots {
	struct slot *items;
	size_t n, cap;
};

struct stubs {
	struct pipa_elf_stub *items;
	size_t n, cap;
};

/* The relocation types that fill slots: lazily bound, bound at start, chosen at start. */
struct machine {
	uint16_t machine;
	uint32_t jump_slot, glob_dat, irelative;
	int (*read)(const struct pipa_elf_section *section, struct pipa_span code,
		    const struct slots *slots, struct stubs *out);
};

static int by_addr(const void *a, const void *b)
{
	uint64_t x = ((const struct slot *)a)->addr, y = ((const struct slot *)b)->addr;

	return (x > y) - (x < y);
}

static int add_stub(struct stubs *out, const struct slots *slots, uint64_t slot_addr, uint64_t addr,
		    size_t size)
{
	struct slot key = { .addr = slot_addr };
	const struct slot *slot = bsearch(&key, slots->items, slots->n, sizeof(key), by_addr);
	struct pipa_elf_stub *stub;

	if (!slot)
		return 0; /* the head of the table, or no stub at all */
	stub = PIPA_VEC_ADD(out);
	if (!stub)
		return -ENOMEM;
	*stub = (struct pipa_elf_stub){
		.addr = addr, .size = (uint32_t)size, .symbol = slot->symbol, .target = slot->target
	};
	return 0;
}

/* [endbr64] [bnd] jmp *disp32(%rip), in steps of the entry size. */
static int read_x86_64(const struct pipa_elf_section *section, struct pipa_span code,
		       const struct slots *slots, struct stubs *out)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t step = section->entry_size == 8 ? 8 : X86_STUB_MAX, at;
	int rc = 0;

	for (at = 0; rc == 0 && code.size - at >= step; at += step) {
		const uint8_t *insn = code.data + at;
		size_t i = 0;
		int32_t disp;

		if (memcmp(insn, endbr, sizeof(endbr)) == 0)
			i = sizeof(endbr);
		if (insn[i] == 0xf2)
			i++;
		if (insn[i] != 0xff || insn[i + 1] != 0x25 || i + 6 > step)
			continue;
		memcpy(&disp, insn + i + 2, sizeof(disp));
		disp = (int32_t)le32toh((uint32_t)disp);
		rc = add_stub(out, slots, section->addr + at + i + 6 + (uint64_t)(int64_t)disp,
			      section->addr + at, step);
	}
	return rc;
}

static uint32_t insn_at(struct pipa_span code, size_t at)
{
	uint32_t insn;

	memcpy(&insn, code.data + at, sizeof(insn));
	return le32toh(insn); /* instructions are little-endian whatever the data is */
}

static int64_t sign_extend(uint64_t value, unsigned int bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* [bti c]  adrp x16, page  ldr x17, [x16, #low]  add …  br x17 */
static int read_aarch64(const struct pipa_elf_section *section, struct pipa_span code,
			const struct slots *slots, struct stubs *out)
{
	int rc = 0;
	size_t at;

	for (at = 0; rc == 0 && at + STUB <= code.size; at += INSN) {
		uint32_t adrp = insn_at(code, at), ldr = insn_at(code, at + INSN);
		bool bti = at >= INSN && insn_at(code, at - INSN) == 0xd503245f;
		uint64_t page;

		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		page = (uint64_t)sign_extend((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3), 21)
		       << 12;
		page += (section->addr + at) & ~UINT64_C(0xfff);
		rc = add_stub(out, slots, page + ((uint64_t)(ldr >> 10 & 0xfff) << 3),
			      section->addr + at - (bti ? INSN : 0), bti ? BTI_STUB : STUB);
	}
	return rc;
}

/* auipc t3, high  ld t3, low(t3)  jalr t1, t3  nop */
static int read_riscv64(const struct pipa_elf_section *section, struct pipa_span code,
			const struct slots *slots, struct stubs *out)
{
	int rc = 0;
	size_t at;

	for (at = 0; rc == 0 && at + STUB <= code.size; at += INSN) {
		uint32_t auipc = insn_at(code, at), ld = insn_at(code, at + INSN);

		if ((auipc & 0xfff) != 0xe17 || (ld & 0xfffff) != 0xe3e03)
			continue;
		rc = add_stub(out, slots,
			      section->addr + at + (uint64_t)sign_extend(auipc & 0xfffff000, 32) +
				      (uint64_t)sign_extend(ld >> 20, 12),
			      section->addr + at, STUB);
	}
	return rc;
}

static const struct machine machines[] = {
	{ EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE, read_x86_64 },
	{ EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE, read_aarch64 },
	{ EM_RISCV, R_RISCV_JUMP_SLOT, R_RISCV_64, R_RISCV_IRELATIVE, read_riscv64 },
};

static int add_slots(const struct pipa_elf *elf, const struct machine *machine,
		     const struct pipa_elf_section *section, struct slots *out)
{
	struct pipa_cursor c = pipa_elf_cursor(elf, pipa_elf_section_bytes(elf, section));

	while (c.end - c.pos >= RELA_SIZE) {
		uint64_t addr = pipa_get_u64(&c);
		uint64_t info = pipa_get_u64(&c);
		uint64_t addend = pipa_get_u64(&c);
		uint32_t type = (uint32_t)info;
		struct slot *slot;

		if (type != machine->jump_slot && type != machine->glob_dat &&
		    type != machine->irelative)
			continue;
		slot = PIPA_VEC_ADD(out);
		if (!slot)
			return -ENOMEM;
		slot->addr = addr;
		slot->symbol = (uint32_t)(info >> 32);
		slot->target = type == machine->irelative ? addend : 0;
	}
	return 0;
}

/* .rela.plt always; the long .rela.dyn only for a .plt.got, whose slots are there. */
static int read_slots(const struct pipa_elf *elf, const struct machine *machine, struct slots *out)
{
	struct pipa_elf_section section;
	int rc = 0;

	if (pipa_elf_section_named(elf, ".rela.plt", &section))
		rc = add_slots(elf, machine, &section, out);
	if (rc == 0 && pipa_elf_section_named(elf, ".plt.got", &section) &&
	    pipa_elf_section_named(elf, ".rela.dyn", &section))
		rc = add_slots(elf, machine, &section, out);
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items), by_addr);
	return rc;
}

static int by_stub_addr(const void *a, const void *b)
{
	uint64_t x = ((const struct pipa_elf_stub *)a)->addr;
	uint64_t y = ((const struct pipa_elf_stub *)b)->addr;

	return (x > y) - (x < y);
}

static bool is_stub_section(const char *name)
{
	return strcmp(name, ".plt") == 0 || pipa_str_starts(name, ".plt.") ||
	       strcmp(name, ".iplt") == 0;
}

static int read_stubs(const struct pipa_elf *elf, const struct machine *machine,
		      const struct slots *slots, struct stubs *out)
{
	size_t left = elf->file.size; /* sections of one file do not share bytes */
	struct pipa_elf_section section;
	struct pipa_span code;
	uint32_t i;
	int rc = 0;

	for (i = 0; rc == 0 && pipa_elf_section(elf, i, &section); i++) {
		if (!(section.flags & SHF_EXECINSTR) || !is_stub_section(section.name))
			continue;
		code = pipa_elf_section_bytes(elf, &section);
		if (code.size > left)
			break;
		left -= code.size;
		rc = machine->read(&section, code, slots, out);
	}
	return rc;
}

int pipa_elf_stubs(const struct pipa_elf *elf, struct pipa_elf_stub **ret, size_t *ret_n)
{
	const struct machine *machine = NULL;
	struct slots slots = { 0 };
	struct stubs stubs = { 0 };
	size_t i;
	int rc = 0;

	for (i = 0; i < PIPA_COUNT(machines); i++)
		if (machines[i].machine == elf->machine && elf->is64)
			machine = &machines[i];
	if (machine)
		rc = read_slots(elf, machine, &slots);
	if (rc == 0 && slots.n)
		rc = read_stubs(elf, machine, &slots, &stubs);
	free(slots.items);
	if (rc < 0) {
		free(stubs.items);
		return rc;
	}
	if (stubs.n)
		qsort(stubs.items, stubs.n, sizeof(*stubs.items), by_stub_addr);
	*ret = stubs.items;
	*ret_n = stubs.n;
	return 0;
}
