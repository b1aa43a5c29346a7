/* Tree of the functions inlined into one function. */
#ifndef PIPA_SYMBOL_DWARF_DWARF_INLINED_H
#define PIPA_SYMBOL_DWARF_DWARF_INLINED_H

struct pipa_dw_function;
struct pipa_dw_unit;

/*
 * Read the tree and the function's name. Entries after a malformed one are missing. 0 or -ENOMEM.
 */
int pipa_dw_inlined_read(struct pipa_dw_unit *unit, struct pipa_dw_function *function);

#endif
