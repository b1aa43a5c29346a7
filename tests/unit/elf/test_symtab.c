/* Symbol tables and stubs made by hand: what counts as a function, in every layout. */
#include <elf.h>
#include <stdlib.h>

#include "elf/elf.h"
#include "elf/plt.h"
#include "elf/symtab.h"
#include "lib/elf_image.h"
#include "lib/test.h"

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

enum { TEXT = 1, DATA = 2 };

static const uint8_t code[64];

/* An image with .text and .data and these symbols. */
static struct elf_image *make(bool is64, bool big, uint16_t machine,
			      const struct elf_image_symbol *symbols, size_t n)
{
	struct elf_image *image = elf_image_new(is64, big, machine, ET_EXEC);

	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".text",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC | SHF_EXECINSTR,
						       .addr = 0x1000,
						       .bytes = code,
						       .size = sizeof(code) },
			  NULL);
	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".data",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC,
						       .addr = 0x2000,
						       .bytes = code,
						       .size = sizeof(code) },
			  NULL);
	elf_image_symbols(image, SHT_SYMTAB, symbols, n);
	return image;
}

/* The names of the symbols of pipa_elf_functions_next(), with a space after each. */
static void list(struct elf_image *image, char *names, size_t room)
{
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	struct pipa_elf elf;
	size_t i = 0;

	names[0] = '\0';
	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK(pipa_elf_symtab_init(&tab, &elf, SHT_SYMTAB));
	while (pipa_elf_functions_next(&tab, &i, &symbol)) {
		const char *name = pipa_elf_symtab_name(&tab, &symbol);

		CHECK(strlen(names) + strlen(name) + 2 < room);
		memcpy(names + strlen(names), name, strlen(name) + 1);
		memcpy(names + strlen(names), " ", 2);
	}
	elf_image_free(image);
}

static const struct elf_image_symbol mixed[] = {
	{ "file.c", 0, 0, STT_FILE, STB_LOCAL, 0, SHN_ABS },
	{ "func", 0x1000, 8, STT_FUNC, STB_GLOBAL, 0, TEXT },
	{ "object", 0x2000, 8, STT_OBJECT, STB_GLOBAL, 0, DATA },
	{ "undefined", 0, 0, STT_FUNC, STB_GLOBAL, 0, SHN_UNDEF },
	{ "ifunc", 0x1008, 8, STT_GNU_IFUNC, STB_WEAK, 0, TEXT },
	{ "label", 0x1010, 0, STT_NOTYPE, STB_LOCAL, 0, TEXT },
	{ "data_label", 0x2000, 0, STT_NOTYPE, STB_LOCAL, 0, DATA },
	{ "hidden_label", 0x1018, 0, STT_NOTYPE, STB_LOCAL, STV_HIDDEN, TEXT },
	{ "absolute", 0x10, 0, STT_NOTYPE, STB_GLOBAL, 0, SHN_ABS },
	{ "", 0x1020, 8, STT_FUNC, STB_LOCAL, 0, TEXT },
	{ "$x", 0x1020, 0, STT_NOTYPE, STB_LOCAL, 0, TEXT },
	{ "$d.12", 0x1024, 0, STT_NOTYPE, STB_LOCAL, 0, TEXT },
	{ "$xrv64i2p1", 0x1026, 0, STT_NOTYPE, STB_LOCAL, 0, TEXT },
	{ ".L5", 0x1028, 0, STT_NOTYPE, STB_LOCAL, 0, TEXT },
	{ "odd", 0x1031, 8, STT_FUNC, STB_GLOBAL, 0, TEXT },
};

static void check_mixed(bool is64, bool big, uint16_t machine, const char *want)
{
	char names[512];

	list(make(is64, big, machine, mixed, sizeof(mixed) / sizeof(mixed[0])), names,
	     sizeof(names));
	CHECK_STR(names, want);
}

TEST(only_symbols_of_code_are_functions)
{
	check_mixed(true, false, EM_X86_64, "func ifunc label  $x $d.12 $xrv64i2p1 .L5 odd ");
	check_mixed(false, true, EM_PPC, "func ifunc label  $x $d.12 $xrv64i2p1 .L5 odd ");
}

TEST(mapping_symbols_are_not_functions)
{
	check_mixed(true, false, EM_AARCH64, "func ifunc label  $xrv64i2p1 .L5 odd ");
	check_mixed(true, true, EM_AARCH64, "func ifunc label  $xrv64i2p1 .L5 odd ");
	check_mixed(false, false, EM_ARM, "func ifunc label  $xrv64i2p1 .L5 odd ");
	check_mixed(true, false, EM_RISCV, "func ifunc label  odd ");
	check_mixed(false, false, EM_RISCV, "func ifunc label  odd ");
}

static void check_fields(bool is64, bool big)
{
	static const struct elf_image_symbol one[] = {
		{ "one", 0x81234567, 0x456, STT_FUNC, STB_WEAK, STV_PROTECTED, TEXT },
	};
	struct elf_image *image = make(is64, big, EM_MIPS, one, 1);
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	struct pipa_elf elf;

	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK(pipa_elf_symtab_init(&tab, &elf, SHT_SYMTAB));
	CHECK(!pipa_elf_symtab_init(&(struct pipa_elf_symtab){ 0 }, &elf, SHT_DYNSYM));
	CHECK_EQ(tab.n, 2);
	CHECK(pipa_elf_symtab_get(&tab, 1, &symbol));
	CHECK_EQ(symbol.value, 0x81234567);
	CHECK_EQ(symbol.size, 0x456);
	CHECK_EQ(symbol.type, STT_FUNC);
	CHECK_EQ(symbol.binding, STB_WEAK);
	CHECK_EQ(symbol.visibility, STV_PROTECTED);
	CHECK_EQ(symbol.section, TEXT);
	CHECK_STR(pipa_elf_symtab_name(&tab, &symbol), "one");
	CHECK(!pipa_elf_symtab_get(&tab, 2, &symbol));
	elf_image_free(image);
}

TEST(symbols_are_read_in_both_classes_and_byte_orders)
{
	check_fields(true, false);
	check_fields(true, true);
	check_fields(false, false);
	check_fields(false, true);
}

TEST(thumb_functions_start_at_even_addresses)
{
	struct elf_image *image = make(false, false, EM_ARM, mixed, 15);
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	struct pipa_elf elf;
	size_t i = 15;

	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK(pipa_elf_symtab_init(&tab, &elf, SHT_SYMTAB));
	CHECK(pipa_elf_functions_next(&tab, &i, &symbol));
	CHECK_EQ(symbol.value, 0x1030);
	elf_image_free(image);
}

TEST(section_numbers_past_sixteen_bits_are_in_a_table_of_their_own)
{
	static const struct elf_image_symbol one[] = {
		{ "wide", 0x1000, 4, STT_FUNC, STB_GLOBAL, 0, SHN_XINDEX },
	};
	struct elf_image *image = make(true, true, EM_X86_64, one, 1);
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	struct pipa_elf elf;
	uint8_t wide[8] = { 0 };

	elf_image_put(image, wide + 4, 70000, 4);
	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".symtab_shndx",
						       .type = SHT_SYMTAB_SHNDX,
						       .bytes = wide,
						       .size = sizeof(wide),
						       .link = 4 },
			  NULL);
	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK(pipa_elf_symtab_init(&tab, &elf, SHT_SYMTAB));
	CHECK(pipa_elf_symtab_get(&tab, 1, &symbol));
	CHECK_EQ(symbol.section, 70000);
	elf_image_free(image);
}

/* Slots at 0x5000, 0x5008 (in .rela.plt) and 0x5010 (in .rela.dyn) for symbols 1, 2, 3. */
static void add_relocations(struct elf_image *image, uint32_t slot_type, uint32_t dat_type,
			    uint32_t irelative)
{
	uint8_t plt[72], dyn[24], *to = plt;

	to = elf_image_put(image, to, 0x5008, 8);
	to = elf_image_put(image, to, (uint64_t)2 << 32 | slot_type, 8);
	to = elf_image_put(image, to, 0, 8);
	to = elf_image_put(image, to, 0x5000, 8); /* not in the order of the stubs */
	to = elf_image_put(image, to, (uint64_t)1 << 32 | slot_type, 8);
	to = elf_image_put(image, to, 0, 8);
	to = elf_image_put(image, to, 0x5018, 8);
	to = elf_image_put(image, to, irelative, 8);
	elf_image_put(image, to, 0x1234, 8);
	to = elf_image_put(image, dyn, 0x5010, 8);
	to = elf_image_put(image, to, (uint64_t)3 << 32 | dat_type, 8);
	elf_image_put(image, to, 0, 8);
	elf_image_section(
		image,
		&(struct elf_image_section){
			.name = ".rela.plt", .type = SHT_RELA, .bytes = plt, .size = sizeof(plt) },
		NULL);
	elf_image_section(
		image,
		&(struct elf_image_section){
			.name = ".rela.dyn", .type = SHT_RELA, .bytes = dyn, .size = sizeof(dyn) },
		NULL);
}

static void add_code(struct elf_image *image, const char *name, uint64_t addr, const void *bytes,
		     size_t size, uint64_t entry)
{
	elf_image_section(image,
			  &(struct elf_image_section){ .name = name,
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC | SHF_EXECINSTR,
						       .addr = addr,
						       .bytes = bytes,
						       .size = size,
						       .entry_size = entry },
			  NULL);
}

static void put32(uint8_t *to, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static void check_stubs(struct elf_image *image, const struct pipa_elf_stub *want, size_t n)
{
	struct pipa_elf_stub *got = NULL;
	struct pipa_elf elf;
	size_t n_got = 0, i;

	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK_EQ(pipa_elf_stubs(&elf, &got, &n_got), 0);
	CHECK_EQ(n_got, n);
	for (i = 0; i < n; i++) {
		CHECK_EQ(got[i].addr, want[i].addr);
		CHECK_EQ(got[i].size, want[i].size);
		CHECK_EQ(got[i].symbol, want[i].symbol);
		CHECK_EQ(got[i].target, want[i].target);
	}
	free(got);
	elf_image_free(image);
}

/* Head, then a plain stub, one with endbr64 and bnd, one with endbr64; and a short one. */
TEST(stubs_of_x86_64_are_named_by_the_slot_they_jump_through)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	uint8_t plt[64] = { 0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25 }, got[8] = { 0xff, 0x25 };

	memcpy(plt + 16, "\xff\x25", 2);
	put32(plt + 18, 0x5000 - 0x1016);
	memcpy(plt + 32, "\xf3\x0f\x1e\xfa\xf2\xff\x25", 7);
	put32(plt + 39, 0x5008 - 0x102b);
	memcpy(plt + 48, "\xf3\x0f\x1e\xfa\xff\x25", 6);
	put32(plt + 54, 0x5018 - 0x103a);
	put32(got + 2, 0x5010 - 0x2006);
	add_relocations(image, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE);
	add_code(image, ".plt.got", 0x2000, got, sizeof(got), 8);
	add_code(image, ".plt", 0x1000, plt, sizeof(plt), 16);
	check_stubs(image,
		    (const struct pipa_elf_stub[]){ { 0x1010, 16, 1, 0 },
						    { 0x1020, 16, 2, 0 },
						    { 0x1030, 16, 0, 0x1234 },
						    { 0x2000, 8, 3, 0 } },
		    4);
}

static uint32_t adrp_x16(uint64_t from, uint64_t to)
{
	uint32_t pages = (uint32_t)((to >> 12) - (from >> 12));

	return 0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5;
}

static void check_aarch64(bool big)
{
	struct elf_image *image = elf_image_new(true, big, EM_AARCH64, ET_DYN);
	uint8_t plt[80] = { 0 };

	put32(plt + 32, adrp_x16(0x9020, 0x5000)); /* backwards */
	put32(plt + 36, 0xf9400211);
	put32(plt + 48, 0xd503245f); /* bti c */
	put32(plt + 52, adrp_x16(0x9034, 0x5008));
	put32(plt + 56, 0xf9400211 | (8 / 8) << 10);
	add_relocations(image, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE);
	add_code(image, ".plt", 0x9000, plt, sizeof(plt), 0);
	check_stubs(image,
		    (const struct pipa_elf_stub[]){ { 0x9020, 16, 1, 0 }, { 0x9030, 24, 2, 0 } },
		    2);
}

TEST(stubs_of_aarch64_are_named_by_the_slot_they_jump_through)
{
	check_aarch64(false);
	check_aarch64(true); /* data is big-endian, instructions are not */
}

TEST(stubs_of_riscv64_are_named_by_the_slot_they_jump_through)
{
	struct elf_image *image = elf_image_new(true, false, EM_RISCV, ET_DYN);
	uint8_t plt[64] = { 0 };

	put32(plt + 32, 0x00004e17);		    /* auipc t3, 4: 0x1020 + 0x4000 */
	put32(plt + 36, 0x000e3e03 | 0xfe8U << 20); /* ld t3, -24(t3): 0x5008 */
	put32(plt + 48, 0x00004e17);
	put32(plt + 52, 0x000e3e03 | 0xfd0U << 20); /* -48: 0x5000 */
	add_relocations(image, R_RISCV_JUMP_SLOT, R_RISCV_64, R_RISCV_IRELATIVE);
	add_code(image, ".plt", 0x1000, plt, sizeof(plt), 16);
	check_stubs(image,
		    (const struct pipa_elf_stub[]){ { 0x1020, 16, 2, 0 }, { 0x1030, 16, 1, 0 } },
		    2);
}

TEST(machines_without_known_stubs_have_none)
{
	struct elf_image *image = elf_image_new(true, false, EM_PPC64, ET_DYN);

	add_relocations(image, 21, 20, 248);
	add_code(image, ".plt", 0x1000, code, sizeof(code), 16);
	check_stubs(image, NULL, 0);
}
