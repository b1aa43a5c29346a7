/*
 * The symbol tables of an image, .symtab and .dynsym, one symbol at a time.
 *
 * pipa_elf_functions_next() leaves out all that names no code: data, section and file symbols, what
 * is undefined, the mapping symbols $x $d $a $t of arm, aarch64 and riscv, and riscv's local
 * labels. Labels without a type count when they stand in executable sections (assembly), unless
 * hidden (annotations of compilers).
 */
#ifndef PIPA_ELF_SYMTAB_H
#define PIPA_ELF_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_elf;

struct pipa_elf_symtab {
	const struct pipa_elf *elf;
	struct pipa_span entries;
	struct pipa_span strings; /* ends with a NUL, or is empty */
	struct pipa_span wide;	  /* SHT_SYMTAB_SHNDX: section numbers past 0xff00 */
	uint32_t entry_size;
	size_t n;
	uint32_t checked; /* the last section whose flags were requested, and the answer */
	bool executable;
};

struct pipa_elf_symbol {
	uint64_t value; /* an address; in ET_REL an offset into the section */
	uint64_t size;
	uint32_t name;	  /* offset into the strings */
	uint32_t section; /* its number; SHN_UNDEF, SHN_ABS */
	uint8_t type;	  /* STT_* */
	uint8_t binding;  /* STB_* */
	uint8_t visibility;
};

/* type: SHT_SYMTAB or SHT_DYNSYM. False when the image has no such table or it is empty. */
bool pipa_elf_symtab_init(struct pipa_elf_symtab *ret, const struct pipa_elf *elf, uint32_t type);

/* The index-th symbol as it is in the file; false after the last. */
bool pipa_elf_symtab_get(const struct pipa_elf_symtab *tab, size_t index,
			 struct pipa_elf_symbol *ret);

/* The next function at or after *index, which moves on; false if there is none. */
bool pipa_elf_functions_next(struct pipa_elf_symtab *tab, size_t *index,
			     struct pipa_elf_symbol *ret);

/* Its name, never NULL: "" when the offset is out of bounds. */
const char *pipa_elf_symtab_name(const struct pipa_elf_symtab *tab,
				 const struct pipa_elf_symbol *symbol);

#endif
