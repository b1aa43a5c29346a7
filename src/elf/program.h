/*
 * What a program needs to be started: its machine, its dynamic loader, and whether it has an allocator
 * of its own. A library that is preloaded must fit all three.
 */
#ifndef PIPA_ELF_PROGRAM_H
#define PIPA_ELF_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_elf;

/* C library of a program, by the name of its dynamic loader. */
enum pipa_elf_libc {
	PIPA_ELF_LIBC_NONE, /* statically linked */
	PIPA_ELF_LIBC_GLIBC,
	PIPA_ELF_LIBC_MUSL,
	PIPA_ELF_LIBC_OTHER,
};

struct pipa_elf_program {
	const char *loader; /* path, borrowed from the image; NULL: statically linked */
	enum pipa_elf_libc libc;
	bool has_malloc; /* defines the function malloc: calls do not reach a preloaded one */
};

/* Describe a program. */
void pipa_elf_program_read(const struct pipa_elf *elf, struct pipa_elf_program *ret);

/*
 * Get the interpreter of a script, "#!INTERPRETER [ARGUMENT]", borrowed from its first bytes and not
 * NUL-terminated. False if it is not a script.
 */
bool pipa_script_interpreter(struct pipa_span start, struct pipa_span *ret);

/* Return the name of a machine (EM_*), such as "aarch64"; NULL if it is unknown. */
const char *pipa_elf_machine_name(uint16_t machine);

/* Return the machine (EM_*) that this program was compiled for. */
uint16_t pipa_elf_own_machine(void);

#endif
