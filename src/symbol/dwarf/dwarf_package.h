/*
 * Package of split units (.dwp): the sections of many .dwo files with an index of each unit's
 * contributions. The contributions of a unit are returned as the .dwo file they came from.
 */
#ifndef PIPA_SYMBOL_DWARF_DWARF_PACKAGE_H
#define PIPA_SYMBOL_DWARF_DWARF_PACKAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "symbol/dwarf/dwarf_file.h"

struct pipa_dw_package {
	struct pipa_dw_file whole;
	bool good;		/* the index is valid */
	struct pipa_span index; /* .debug_cu_index */
	uint32_t n_columns, n_units, n_slots;
	uint32_t columns[PIPA_DW_SECTION_NR]; /* column of each section, from 1 on; 0: none */
};

/*
 * Open a package. -EBADMSG and -ENOENT like pipa_dw_file_init(), or without an index. Call
 * pipa_dw_package_done() in any case.
 */
int pipa_dw_package_init(struct pipa_dw_package *ret, struct pipa_span bytes,
			 struct pipa_dw_work *work);
void pipa_dw_package_done(struct pipa_dw_package *package);

/*
 * Return the contributions of the unit with that id as a file; false if there is none. The package
 * must outlive it.
 */
bool pipa_dw_package_find(struct pipa_dw_package *package, uint64_t id, struct pipa_dw_file *ret);

#endif
