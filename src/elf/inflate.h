/*
 * Decompress sections: SHF_COMPRESSED with zlib or zstd, and the older .zdebug_*. Also .gnu_debugdata,
 * the small symbol table that some distributions leave in stripped files as an xz-compressed ELF image.
 *
 * The size that the file states is compared with `max`, the caller's ceiling, before memory is allocated,
 * and with the decompressed size.
 */
#ifndef PIPA_ELF_INFLATE_H
#define PIPA_ELF_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_elf;
struct pipa_elf_section;
struct pipa_error;

/* Decompressed bytes; the caller frees `data`. */
struct pipa_inflated {
	uint8_t *data;
	size_t size;
};

bool pipa_elf_section_compressed(const struct pipa_elf *elf,
				 const struct pipa_elf_section *section);

/*
 * Decompress a section. -EFBIG past max, -EBADMSG if it is corrupt, -ENOTSUP for an unknown compression
 * type, -ENOMEM.
 */
int pipa_elf_section_inflate(const struct pipa_elf *elf, const struct pipa_elf_section *section,
			     size_t max, struct pipa_inflated *ret, struct pipa_error *err);

/* Decompress the image in .gnu_debugdata; -ENOENT if there is no such section, else as above. */
int pipa_elf_minidebug(const struct pipa_elf *elf, size_t max, struct pipa_inflated *ret,
		       struct pipa_error *err);

#endif
