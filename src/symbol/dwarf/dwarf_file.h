/* Debug sections of one file, decompressed and relocated when they are first used. */
#ifndef PIPA_SYMBOL_DWARF_DWARF_FILE_H
#define PIPA_SYMBOL_DWARF_DWARF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"
#include "base/span.h"
#include "elf/elf.h"
#include "symbol/dwarf/dwarf_line.h"
#include "symbol/dwarf/intervals.h"
#include "symbol/table/layout.h"

struct pipa_dw_abbrevs;
struct pipa_dw_block;
struct pipa_dw_draft;
struct pipa_dw_inlined;
struct pipa_dw_named;
struct pipa_dw_unit;

/*
 * State shared by all files of an object. Every read is charged: valid data is read once or twice,
 * and input that makes readers loop is stopped when `left` is used up.
 */
struct pipa_dw_work {
	uint64_t left;
	int status; /* -ENOMEM after an allocation failure; the result is then incomplete */
	struct pipa_arena arena;      /* first block; further blocks use huge pages */
	struct pipa_dw_block *blocks; /* linked list */
	char *pos, *end;	      /* free part of the first block */
	/* data under construction, copied to the arena when its size is known */
	struct pipa_dw_line_rows rows;
	struct pipa_intervals map;
	struct {
		struct pipa_dw_inlined *items; /* symbol/dwarf/dwarf_functions.h */
		size_t n, cap;
	} inlined;
};

/* Charge an amount of work. False if the work is used up or an allocation failed. */
static inline bool pipa_dw_charge(struct pipa_dw_work *work, uint64_t amount)
{
	if (work->status || work->left < amount) {
		work->left = 0;
		return false;
	}
	work->left -= amount;
	return true;
}

void pipa_dw_work_done(struct pipa_dw_work *work);

/* Allocate memory that lives as long as the work. NULL sets the status. */
void *pipa_dw_alloc(struct pipa_dw_work *work, size_t size);

/* Copy bytes into the arena; size 0 is valid. */
void *pipa_dw_copy(struct pipa_dw_work *work, const void *items, size_t size);

/*
 * Finish the map under construction, copy it to the arena and empty it. *ret must not be freed.
 * -ENOMEM.
 */
int pipa_dw_copy_map(struct pipa_dw_work *work, struct pipa_intervals *ret);

enum pipa_dw_section_name {
	PIPA_DW_INFO,
	PIPA_DW_ABBREV,
	PIPA_DW_STR,
	PIPA_DW_LINE,
	PIPA_DW_LINE_STR,
	PIPA_DW_ARANGES,
	PIPA_DW_RANGES,
	PIPA_DW_RNGLISTS,
	PIPA_DW_ADDR,
	PIPA_DW_STR_OFFSETS,
	PIPA_DW_SECTION_NR
};

struct pipa_dw_section {
	uint32_t index; /* in the file's section table; 0: missing */
	bool ready;
	bool unpacked; /* loaded; `status` has the result */
	int status;
	struct pipa_span bytes;
	uint8_t *own; /* decompressed or relocated copy, or NULL */
};

struct pipa_dw_file {
	struct pipa_elf elf;
	struct pipa_dw_work *work;
	struct pipa_dw_file *next; /* in the list of split files */
	struct pipa_dw_file *alt;  /* dwz's shared file, or NULL */
	bool is_split;		   /* use its .dwo sections */
	bool zero_is_code; /* address 0 is valid; else it marks code that the linker dropped */
	struct pipa_layout layout; /* of a relocatable file; debug sections are at 0 */
	struct pipa_dw_section sections[PIPA_DW_SECTION_NR];
	struct {
		struct pipa_dw_unit *items; /* sorted by offset; symbol/dwarf/dwarf_unit.h */
		size_t n, cap;
		bool ready;
	} units;
	struct {
		struct pipa_dw_abbrevs *items; /* symbol/dwarf/dwarf_abbrev.h */
		size_t n, cap;
		struct pipa_index index;
		struct pipa_dw_draft *draft; /* table under construction */
	} abbrevs;
	struct {
		struct pipa_dw_lines_made *items; /* sorted by offset */
		size_t n, cap;
		bool borrowed;
	} made;
	struct pipa_dw_named *named; /* cache of names; symbol/dwarf/dwarf_entry.c */
};

/*
 * Open the debug sections of a file. -EBADMSG if it is not an ELF image, -ENOENT without
 * .debug_info(.dwo), or -ENOMEM.
 */
int pipa_dw_file_init(struct pipa_dw_file *ret, struct pipa_span bytes, bool is_split,
		      struct pipa_dw_work *work);
void pipa_dw_file_done(struct pipa_dw_file *file);

/*
 * Initialize the file for another reader with its own work. Loads all sections; the first reader
 * owns their bytes and must outlive the other.
 */
void pipa_dw_file_lend(struct pipa_dw_file *file, struct pipa_dw_work *work,
		       struct pipa_dw_file *ret);

/*
 * Load a section in advance. Touches only that section, so that threads may load several at the
 * same time.
 */
void pipa_dw_section_unpack(struct pipa_dw_file *file, enum pipa_dw_section_name name);

/* Return the contents of a section; empty if it is missing or corrupt. */
struct pipa_span pipa_dw_section_load(struct pipa_dw_file *file, enum pipa_dw_section_name name);

static inline struct pipa_span pipa_dw_bytes(struct pipa_dw_file *file,
					     enum pipa_dw_section_name name)
{
	return file->sections[name].ready ? file->sections[name].bytes :
					    pipa_dw_section_load(file, name);
}

/* Return a cursor from the offset to the section's end; an empty one if it is outside. */
struct pipa_cursor pipa_dw_cursor(struct pipa_dw_file *file, enum pipa_dw_section_name name,
				  uint64_t offset);

/* Return the string at an offset of a string section; NULL if there is none. */
const char *pipa_dw_text(struct pipa_dw_file *file, enum pipa_dw_section_name name,
			 uint64_t offset);

#endif
