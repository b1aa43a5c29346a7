/*
 * Abbreviation tables: the formats of the entries of .debug_info, decoded once per table into flat
 * arrays, with precomputed sizes for skipping entries.
 */
#ifndef PIPA_SYMBOL_DWARF_DWARF_ABBREV_H
#define PIPA_SYMBOL_DWARF_DWARF_ABBREV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_dw_file;

/* Attributes that are read. Several DWARF attributes may map to one of them. */
enum pipa_dw_attr {
	PIPA_DW_NO_ATTR, /* all others */
	PIPA_DW_SIBLING,
	PIPA_DW_NAME,
	PIPA_DW_LINKAGE_NAME,
	PIPA_DW_ORIGIN, /* abstract_origin, specification: the entry that has the name */
	PIPA_DW_LOW_PC,
	PIPA_DW_HIGH_PC,
	PIPA_DW_RANGE_LIST,
	PIPA_DW_CALL_FILE,
	PIPA_DW_CALL_LINE,
	PIPA_DW_CALL_COLUMN,
	PIPA_DW_DECL_LINE,
	PIPA_DW_STMT_LIST,
	PIPA_DW_COMP_DIR,
	PIPA_DW_STR_BASE,
	PIPA_DW_ADDR_BASE,
	PIPA_DW_RNGLISTS_BASE,
	PIPA_DW_GNU_RANGES_BASE,
	PIPA_DW_SPLIT_NAME,
	PIPA_DW_SPLIT_ID,
	PIPA_DW_ATTR_NR
};

/*
 * One attribute that is read, or all skipped attributes of fixed size up to the next one that is
 * read.
 */
struct pipa_dw_spec {
	uint8_t attr;  /* enum pipa_dw_attr */
	int8_t size;   /* of the form, or PIPA_DW_VARIABLE */
	uint16_t form; /* 0: skip `more` bytes */
	uint32_t more; /* of DW_FORM_implicit_const: index of its constant */
};

/*
 * A step for skipping an entry: `fixed` bytes, then one attribute of variable size, or the sibling.
 */
struct pipa_dw_step {
	uint32_t fixed;
	uint16_t form; /* 0: last step */
	bool sibling;
};

struct pipa_dw_abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	bool has_code;	/* low_pc or ranges */
	uint32_t specs; /* index of the first one */
	uint32_t n_specs;
	uint32_t steps; /* index of the first one; the last has form 0 */
	int32_t fixed;	/* size of all attributes; -1: variable */
};

struct pipa_dw_abbrevs {
	uint64_t offset;
	uint8_t key; /* sizes on which forms depend: units with different sizes may share a table */
	bool in_order; /* codes are 1, 2, 3, ... */
	uint32_t n;
	const struct pipa_dw_abbrev *items; /* sorted by code */
	const struct pipa_dw_spec *specs;
	const struct pipa_dw_step *steps;
	const int64_t *constants;
};

/* Sizes of a unit's forms. */
struct pipa_dw_sizes {
	uint8_t version, addr, offset;
};

#define PIPA_DW_VARIABLE (-1)
#define PIPA_DW_UNKNOWN (-2)

/* Return the size of a form, or one of the two constants. */
int pipa_dw_form_size(uint16_t form, struct pipa_dw_sizes sizes);

/*
 * Return the index of the table in file->abbrevs, reading it at the first call; or a negative
 * errno.
 */
int pipa_dw_abbrevs_get(struct pipa_dw_file *file, uint64_t offset, struct pipa_dw_sizes sizes);

void pipa_dw_abbrevs_done(struct pipa_dw_file *file);

const struct pipa_dw_abbrev *pipa_dw_abbrev_search(const struct pipa_dw_abbrevs *table,
						   uint64_t code);

static inline const struct pipa_dw_abbrev *pipa_dw_abbrev_find(const struct pipa_dw_abbrevs *table,
							       uint64_t code)
{
	if (code - 1 < table->n && table->in_order)
		return &table->items[code - 1];
	return pipa_dw_abbrev_search(table, code);
}

#endif
