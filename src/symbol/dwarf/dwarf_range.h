/* Address ranges of a unit, function or inlined function: one range or a list. */
#ifndef PIPA_SYMBOL_DWARF_DWARF_RANGE_H
#define PIPA_SYMBOL_DWARF_DWARF_RANGE_H

#include <stdint.h>

struct pipa_dw_entry;
struct pipa_dw_file;
struct pipa_dw_unit;
struct pipa_intervals;

/*
 * Add all ranges of the entry, or of the unit, to the map under this id. Malformed ones are left
 * out. -ENOMEM.
 */
int pipa_dw_entry_places(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry,
			 struct pipa_intervals *map, uint32_t id);
int pipa_dw_unit_places(struct pipa_dw_unit *unit, struct pipa_intervals *map, uint32_t id);

/* Add the ranges of .debug_aranges under the units' indices; marks the units it lists. */
int pipa_dw_aranges_places(struct pipa_dw_file *file, struct pipa_intervals *map);

#endif
