/* Address ranges of a unit, function or inlined function: one range or a list. */
#ifndef PIPA_SYMBOL_DWARF_DWARF_RANGE_H
#define PIPA_SYMBOL_DWARF_DWARF_RANGE_H

#include <stdint.h>

struct pipa_dw_entry;
struct pipa_dw_file;
struct pipa_dw_unit;
struct pipa_intervals;

/*
 * Add all ranges of an entry or unit to the map under an id. Malformed ranges are skipped. 0 or
 * -ENOMEM.
 */
int pipa_dw_entry_ranges(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry,
			 struct pipa_intervals *map, uint32_t id);
int pipa_dw_unit_places(struct pipa_dw_unit *unit, struct pipa_intervals *map, uint32_t id);

/*
 * Add the ranges of .debug_aranges under the indexes of their units, and mark the units that it
 * lists. 0 or -ENOMEM.
 */
int pipa_dw_aranges_add(struct pipa_dw_file *file, struct pipa_intervals *map);

#endif
