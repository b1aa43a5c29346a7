/*
 * An ELF image over bytes that are passed in: what it is, its segments and its sections.
 *
 * 32 and 64 bit, both byte orders. Nothing is allocated and nothing is kept but the loan of the
 * bytes, which must outlive the struct and everything returned. Headers are decoded when asked for.
 * Counts and offsets in the file are checked against its size before use: a table that does not fit
 * is cut to what fits (a truncated file, an image out of memory), so a missing section table is "no
 * sections" and not a failure.
 */
#ifndef PIPA_ELF_ELF_H
#define PIPA_ELF_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/span.h"

struct pipa_error;

struct pipa_elf {
	struct pipa_span file;
	bool is64;
	bool swapped;	  /* the other byte order than this machine's */
	uint16_t type;	  /* ET_EXEC, ET_DYN, ET_REL, ET_CORE */
	uint16_t machine; /* EM_X86_64, ... */
	uint64_t entry;
	uint32_t n_segments; /* that are within the file */
	uint32_t n_sections;
	/* where the tables are */
	uint64_t segments_at, sections_at;
	uint32_t segment_size, section_size;
	struct pipa_span section_names; /* ends with a NUL, or is empty */
};

struct pipa_elf_segment {
	uint32_t type;	/* PT_LOAD, ... */
	uint32_t flags; /* PF_X, ... */
	uint64_t offset;
	uint64_t addr;
	uint64_t file_size;
	uint64_t mem_size;
	uint64_t align;
};

struct pipa_elf_section {
	const char *name; /* never NULL */
	uint32_t index;
	uint32_t type;	/* SHT_SYMTAB, ... */
	uint64_t flags; /* SHF_EXECINSTR, ... */
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	uint32_t link;
	uint32_t info;
	uint64_t align;
	uint64_t entry_size;
};

/* -EBADMSG when the bytes are no ELF image. */
int pipa_elf_init(struct pipa_elf *ret, struct pipa_span file, struct pipa_error *err);

/* Return the index-th header; false after the last. */
bool pipa_elf_segment(const struct pipa_elf *elf, uint32_t index, struct pipa_elf_segment *ret);
bool pipa_elf_section(const struct pipa_elf *elf, uint32_t index, struct pipa_elf_section *ret);

/* The first section with this name, or of this type (SHT_*). */
bool pipa_elf_section_named(const struct pipa_elf *elf, const char *name,
			    struct pipa_elf_section *ret);
bool pipa_elf_section_typed(const struct pipa_elf *elf, uint32_t type,
			    struct pipa_elf_section *ret);

/* Return the contents of a section in the file; empty for SHT_NOBITS and outside of the file. */
struct pipa_span pipa_elf_section_bytes(const struct pipa_elf *elf,
					const struct pipa_elf_section *section);

/*
 * The same for a string table: truncated after its last NUL, so that any offset into it is a
 * string.
 */
struct pipa_span pipa_elf_section_strings(const struct pipa_elf *elf,
					  const struct pipa_elf_section *section);

/*
 * From a file offset to the virtual address it is linked at, and back, by the PT_LOAD segments.
 * Executable segments come first where several hold the place. False when none does.
 */
bool pipa_elf_offset_to_addr(const struct pipa_elf *elf, uint64_t offset, uint64_t *ret_addr);
bool pipa_elf_addr_to_offset(const struct pipa_elf *elf, uint64_t addr, uint64_t *ret_offset);

/* A cursor over part of the image in its byte order. */
static inline struct pipa_cursor pipa_elf_cursor(const struct pipa_elf *elf, struct pipa_span bytes)
{
	return pipa_span_cursor(bytes, elf->swapped);
}

/* An address-sized field: 4 or 8 bytes. */
static inline uint64_t pipa_elf_word(const struct pipa_elf *elf, struct pipa_cursor *c)
{
	return elf->is64 ? pipa_get_u64(c) : pipa_get_u32(c);
}

#endif
