/*
 * ELF images made by hand, of either class and byte order, for tests that need what no compiler
 * here makes. Sections are laid one after the other after the header; the tables come last.
 */
#ifndef PIPA_TESTS_ELF_IMAGE_H
#define PIPA_TESTS_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct elf_image;

struct elf_image_section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	uint64_t addr;
	const void *bytes;
	size_t size;	/* of the bytes */
	uint64_t claim; /* the size to write down, if not 0 */
	uint32_t link, info;
	uint64_t align, entry_size;
};

struct elf_image_symbol {
	const char *name;
	uint64_t value, size;
	uint8_t type, binding, visibility;
	uint16_t section;
};

struct elf_image_segment {
	uint32_t type, flags;
	uint64_t offset, addr, file_size, mem_size, align;
};

/* The caller frees. */
struct elf_image *elf_image_new(bool is64, bool big, uint16_t machine, uint16_t type);
void elf_image_free(struct elf_image *image);

/* Returns the section's number; its place in the file in *ret_offset, NULL allowed. */
uint32_t elf_image_section(struct elf_image *image, const struct elf_image_section *section,
			   uint64_t *ret_offset);
/* A symbol table with its strings: SHT_SYMTAB or SHT_DYNSYM. */
uint32_t elf_image_symbols(struct elf_image *image, uint32_t type,
			   const struct elf_image_symbol *symbols, size_t n);
void elf_image_segment(struct elf_image *image, const struct elf_image_segment *segment);

/* Return the whole image; valid until it is freed. */
struct pipa_span elf_image_finish(struct elf_image *image);

/* Append a number in the image's byte order to some bytes; returns the end. */
uint8_t *elf_image_put(const struct elf_image *image, uint8_t *to, uint64_t value, size_t size);

#endif
