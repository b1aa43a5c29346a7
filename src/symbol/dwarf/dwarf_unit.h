/*
 * Units of .debug_info: headers found in one pass over the section; attributes of the unit DIE,
 * read on demand.
 */
#ifndef PIPA_SYMBOL_DWARF_DWARF_UNIT_H
#define PIPA_SYMBOL_DWARF_DWARF_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_abbrev.h"
#include "symbol/dwarf/dwarf_file.h"

struct pipa_dw_functions;
struct pipa_dw_lines;

struct pipa_dw_unit {
	struct pipa_dw_file *file;
	uint64_t offset, end; /* of the header, and the end of the last entry */
	uint64_t entries;     /* offset of the first entry */
	uint64_t abbrevs_at;
	uint64_t id; /* of a skeleton or a split unit */
	struct pipa_dw_sizes sizes;
	uint8_t type; /* enum pipa_dw_unit_type */
	bool opened, good;
	bool has_lines, has_pc;
	bool has_list;
	bool split_sought;
	bool in_aranges;

	/* set by pipa_dw_unit_open() */
	uint32_t abbrevs; /* index of its table in the file */
	uint64_t low_pc, high_pc;
	uint64_t range_list;
	uint16_t range_form;
	uint64_t stmt_list;
	uint64_t str_base, addr_base, rnglists_base, gnu_ranges_base;
	struct pipa_dw_file *code;  /* has .debug_addr and .debug_ranges: that of the skeleton */
	const char *comp_dir;	    /* may be NULL */
	const char *split_name;	    /* may be NULL */
	struct pipa_dw_unit *split; /* split unit of a skeleton, if it was found */

	/* set by the first lookup */
	struct pipa_dw_lines *lines;
	struct pipa_dw_functions *functions;
};

/* Find the units of the file at the first call. */
void pipa_dw_units_read(struct pipa_dw_file *file);
void pipa_dw_units_done(struct pipa_dw_file *file);

/* Return the unit that contains an offset of .debug_info; NULL if there is none. */
struct pipa_dw_unit *pipa_dw_unit_at(struct pipa_dw_file *file, uint64_t offset);

/* Read the unit DIE at the first call; false if it is malformed. */
bool pipa_dw_unit_open(struct pipa_dw_unit *unit);

/* Open the split unit of a skeleton and let it inherit the skeleton's bases. */
bool pipa_dw_unit_open_split(struct pipa_dw_unit *split, const struct pipa_dw_unit *skeleton);

static inline const struct pipa_dw_abbrevs *pipa_dw_unit_abbrevs(const struct pipa_dw_unit *unit)
{
	return &unit->file->abbrevs.items[unit->abbrevs];
}

#endif
