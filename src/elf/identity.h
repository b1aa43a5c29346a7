/*
 * Which image this is, and what it calls its debug file: build id, .gnu_debuglink,
 * .gnu_debugaltlink. All that is returned is borrowed from the image.
 */
#ifndef PIPA_ELF_IDENTITY_H
#define PIPA_ELF_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_elf;

enum { PIPA_ELF_BUILD_ID_MAX = 64 }; /* 20 bytes are usual; longer than this is malformed */

/* Read the build id from the note segments, else the note sections. False if there is none. */
bool pipa_elf_build_id(const struct pipa_elf *elf, struct pipa_span *ret);

/* The same in the content of a note section, such as /sys/kernel/notes or a module's notes. */
bool pipa_notes_build_id(struct pipa_span notes, bool swapped, struct pipa_span *ret);

/* Name of the debug file without a directory, and the checksum of its bytes. */
struct pipa_elf_debuglink {
	const char *name;
	uint32_t crc;
};

bool pipa_elf_debuglink(const struct pipa_elf *elf, struct pipa_elf_debuglink *ret);

/* The checksum that a debuglink means; feed pieces in order, starting with crc 0. */
uint32_t pipa_elf_debuglink_crc(uint32_t crc, struct pipa_span piece);

/* The file with what several debug files share (dwz), and that file's build id. */
struct pipa_elf_altlink {
	const char *name;
	struct pipa_span build_id;
};

bool pipa_elf_altlink(const struct pipa_elf *elf, struct pipa_elf_altlink *ret);

#endif
