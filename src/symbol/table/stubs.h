/* Stubs of the procedure linkage table as symbols: NAME@plt. */
#ifndef PIPA_SYMBOL_TABLE_STUBS_H
#define PIPA_SYMBOL_TABLE_STUBS_H

struct pipa_elf;
struct pipa_symbols;

/* 1 when there were any, 0 or -ENOMEM. */
int pipa_symbols_add_stubs(struct pipa_symbols *symbols, const struct pipa_elf *elf);

#endif
