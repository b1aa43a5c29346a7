/*
 * The stubs through which a program calls into libraries. They have no symbols of their own; the
 * name comes from the relocation of the slot that the stub jumps through.
 *
 * Instead of counting stubs, which goes wrong with every new layout of linkers (.plt.sec, .plt.got,
 * BTI, sorted relocations), the few instructions of each stub are read: they name the slot. x86_64,
 * aarch64 and riscv64; images of other machines have no stubs here.
 */
#ifndef PIPA_ELF_PLT_H
#define PIPA_ELF_PLT_H

#include <stddef.h>
#include <stdint.h>

#include "elf/symtab.h"

struct pipa_elf_stub {
	uint64_t addr;
	uint32_t size;
	uint32_t symbol; /* its number in .dynsym, or 0 */
	uint64_t target; /* without a symbol: the resolver of an IRELATIVE slot */
};

/*
 * Return the stubs by address. The caller frees *ret. -ENOMEM, or 0 with *ret_n 0 if there are
 * none.
 */
int pipa_elf_stubs(const struct pipa_elf *elf, struct pipa_elf_stub **ret, size_t *ret_n);

#endif
