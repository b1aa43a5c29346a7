/*
 * Sections that are kept compressed: SHF_COMPRESSED with zlib or zstd, and the older .zdebug_*.
 * Also .gnu_debugdata, the small symbol table that some distributions leave in stripped files as an
 * xz-compressed ELF image of its own.
 *
 * Sizes that the file claims are compared with `max`, the caller's ceiling, before memory is asked
 * for, and with what came out afterwards.
 */
#ifndef PIPA_ELF_INFLATE_H
#define PIPA_ELF_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_elf;
struct pipa_elf_section;
struct pipa_error;

/* Bytes of our own: the caller frees `data`. */
struct pipa_inflated {
	uint8_t *data;
	size_t size;
};

bool pipa_elf_section_compressed(const struct pipa_elf *elf,
				 const struct pipa_elf_section *section);

/*
 * The plain content of a compressed section. -EFBIG past max, -EBADMSG when it is damaged,
 * -ENOTSUP for a method nobody here knows.
 */
int pipa_elf_section_inflate(const struct pipa_elf *elf, const struct pipa_elf_section *section,
			     size_t max, struct pipa_inflated *ret, struct pipa_error *err);

/* The image in .gnu_debugdata; -ENOENT when there is no such section, else as above. */
int pipa_elf_minidebug(const struct pipa_elf *elf, size_t max, struct pipa_inflated *ret,
		       struct pipa_error *err);

#endif
