/*
 * Functions of a unit and the functions inlined into them. One pass over a unit that was hit finds
 * its functions and their ranges; the inlined tree is read only for functions that were hit.
 */
#ifndef PIPA_SYMBOL_DWARF_DWARF_FUNCTIONS_H
#define PIPA_SYMBOL_DWARF_DWARF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/intervals.h"

struct pipa_dw_file;
struct pipa_dw_functions;
struct pipa_dw_unit;

struct pipa_dw_inlined {
	const char *name;	     /* set by the first lookup */
	struct pipa_dw_file *origin; /* file of the entry that has the name, until then; or NULL */
	uint64_t origin_at;
	uint32_t parent; /* index + 1 of the function it is inlined into; 0: the function itself */
	uint32_t call_file, call_line, call_column;
	uint32_t decl_line; /* set with the name */
};

struct pipa_dw_function {
	uint64_t entry;
	const char *name; /* set when it was read */
	uint32_t decl_line;
	bool read;
	size_t hint;
	struct pipa_dw_inlined *inlined; /* parents before children */
	struct pipa_intervals map;	 /* indexes of `inlined`; none: the function itself */
};

/* Return the function at the address, with its tree; NULL if there is none. Borrowed. */
struct pipa_dw_function *pipa_dw_function_at(struct pipa_dw_unit *unit, uint64_t addr);

/* Return the innermost inlined function at the address, or PIPA_NO_INTERVAL. */
static inline uint32_t pipa_dw_inlined_at(struct pipa_dw_function *function, uint64_t addr)
{
	return pipa_intervals_find(&function->map, addr, &function->hint);
}

const char *pipa_dw_inlined_name(struct pipa_dw_inlined *inlined);

void pipa_dw_functions_free(struct pipa_dw_functions *functions);

#endif
