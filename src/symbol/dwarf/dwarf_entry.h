/*
 * Entries of .debug_info (DIEs): extract the attributes of interest and decode them as strings,
 * addresses and references.
 */
#ifndef PIPA_SYMBOL_DWARF_DWARF_ENTRY_H
#define PIPA_SYMBOL_DWARF_DWARF_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/dwarf/dwarf_abbrev.h"
#include "symbol/dwarf/dwarf_unit.h"

struct pipa_dw_value {
	uint16_t form;
	union {
		uint64_t number;  /* value, offset or index, depending on the form */
		const char *text; /* of DW_FORM_string, in the entry itself */
	};
};

struct pipa_dw_entry {
	const struct pipa_dw_abbrev *abbrev;
	uint64_t next; /* offset of the next entry */
	uint32_t has;  /* bits of enum pipa_dw_attr */
	struct pipa_dw_value values[PIPA_DW_ATTR_NR];
};

static inline bool pipa_dw_entry_has(const struct pipa_dw_entry *entry, enum pipa_dw_attr attr)
{
	return entry->has >> attr & 1;
}

/* Read the entry at the offset of .debug_info; false if it is malformed. */
bool pipa_dw_entry_read(struct pipa_dw_unit *unit, uint64_t offset, struct pipa_dw_entry *ret);

/* Slow path of pipa_dw_entry_skip(), for attributes of variable size. */
uint64_t pipa_dw_entry_step(struct pipa_dw_unit *unit, struct pipa_cursor *c,
			    const struct pipa_dw_abbrev *abbrev);

/*
 * Skip the attributes of an entry whose code was read. Returns the offset of its next sibling if
 * the entry has it, else 0. A failure sets the cursor's status.
 */
static inline uint64_t pipa_dw_entry_skip(struct pipa_dw_unit *unit, struct pipa_cursor *c,
					  const struct pipa_dw_abbrev *abbrev)
{
	if (abbrev->fixed < 0)
		return pipa_dw_entry_step(unit, c, abbrev);
	pipa_skip(c, (size_t)abbrev->fixed);
	return 0;
}

/* Read a value of a form; a failure sets the cursor's status. */
void pipa_dw_form_read(struct pipa_cursor *c, uint16_t form, struct pipa_dw_sizes sizes,
		       struct pipa_dw_value *ret);

/* Read an address of `size` bytes. */
uint64_t pipa_dw_get_addr(struct pipa_cursor *c, uint8_t size);

/*
 * Decode a value as a string, address or offset. NULL or false if it has another class or points
 * outside.
 */
const char *pipa_dw_value_text(struct pipa_dw_unit *unit, const struct pipa_dw_value *value);
bool pipa_dw_value_addr(struct pipa_dw_unit *unit, const struct pipa_dw_value *value,
			uint64_t *ret);
bool pipa_dw_value_ref(struct pipa_dw_unit *unit, const struct pipa_dw_value *value,
		       struct pipa_dw_file **ret_file, uint64_t *ret);

/* Return the index-th address of the unit's address table. */
bool pipa_dw_indexed_addr(struct pipa_dw_unit *unit, uint64_t index, uint64_t *ret);

/* Return the string of an attribute; NULL if the entry does not have it. */
const char *pipa_dw_entry_text(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry,
			       enum pipa_dw_attr attr);

/* Return low_pc and high_pc; false unless the entry has both. */
bool pipa_dw_entry_pc(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry,
		      uint64_t *ret_low, uint64_t *ret_high);

/*
 * Return a cursor over the unit's entries from an offset to the end of the unit; empty if the
 * offset is not in the unit.
 */
struct pipa_cursor pipa_dw_entries(struct pipa_dw_unit *unit, uint64_t offset);

/* Return a small number of an attribute; 0 if the entry does not have it. */
uint32_t pipa_dw_entry_number(const struct pipa_dw_entry *entry, enum pipa_dw_attr attr);

/*
 * Return the name of a function: the linkage name, else DW_AT_name, of the entry or of its origins.
 * NULL if there is none. *ret_decl_line is the line of its definition, 0 if it is not known.
 */
const char *pipa_dw_entry_name(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry,
			       uint32_t *ret_decl_line);

/* Return the name of the function entry at an offset of .debug_info, and the line of its definition. */
const char *pipa_dw_name_at(struct pipa_dw_file *file, uint64_t offset, uint32_t *ret_decl_line);

#endif
