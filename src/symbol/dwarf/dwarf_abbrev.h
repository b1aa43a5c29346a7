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

/* The attributes that are of interest here. Two numbers of DWARF may mean one of them. */
enum pipa_dw_attr {
	PIPA_DW_NO_ATTR, /* all others */
	PIPA_DW_SIBLING,
	PIPA_DW_NAME,
	PIPA_DW_LINKAGE_NAME,
	PIPA_DW_ORIGIN, /* abstract_origin, specification: the name is there */
	PIPA_DW_LOW_PC,
	PIPA_DW_HIGH_PC,
	PIPA_DW_RANGE_LIST,
	PIPA_DW_CALL_FILE,
	PIPA_DW_CALL_LINE,
	PIPA_DW_CALL_COLUMN,
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

/* One attribute of interest, or all up to the next one that are not and whose size is known. */
struct pipa_dw_spec {
	uint8_t attr;  /* enum pipa_dw_attr */
	int8_t size;   /* of the form, or PIPA_DW_VARIABLE */
	uint16_t form; /* 0: pass over `more` bytes */
	uint32_t more; /* of DW_FORM_implicit_const: the number of its constant */
};

/* One step over attributes: `fixed` bytes, then one of variable size, or the sibling. */
struct pipa_dw_step {
	uint32_t fixed;
	uint16_t form; /* 0: that was all */
	bool sibling;
};

struct pipa_dw_abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	bool has_code;	/* low_pc or ranges */
	uint32_t specs; /* the first of them */
	uint32_t n_specs;
	uint32_t steps; /* the first of them; the last has form 0 */
	int32_t fixed;	/* bytes of all attributes, where that is known; else -1 */
};

struct pipa_dw_abbrevs {
	uint64_t offset;
	uint8_t key; /* sizes that forms depend on: one table may serve units that differ in them */
	bool in_order; /* codes are 1, 2, 3, ... */
	uint32_t n;
	const struct pipa_dw_abbrev *items; /* by code */
	const struct pipa_dw_spec *specs;
	const struct pipa_dw_step *steps;
	const int64_t *constants;
};

/* The sizes that a unit's forms have. */
struct pipa_dw_sizes {
	uint8_t version, addr, offset;
};

#define PIPA_DW_VARIABLE (-1)
#define PIPA_DW_UNKNOWN (-2)

/* The bytes a form takes, or one of these two. */
int pipa_dw_form_size(uint16_t form, struct pipa_dw_sizes sizes);

/* The number of the table in file->abbrevs, or a negative errno. */
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
