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
 * Shared by all files of one object. Every read is charged: valid data is read once or twice, and
 * input that makes readers loop is stopped by `left`.
 */
struct pipa_dw_work {
	uint64_t left;
	int status; /* -ENOMEM after an allocation failure; what was being read is then missing */
	struct pipa_arena arena;      /* the first block; further ones are in huge pages: */
	struct pipa_dw_block *blocks; /* a list */
	char *pos, *end;	      /* of what is left of the first */
	/* data under construction, moved to its place when its size is known */
	struct pipa_dw_line_rows rows;
	struct pipa_intervals map;
	struct {
		struct pipa_dw_inlined *items; /* symbol/dwarf/dwarf_functions.h */
		size_t n, cap;
	} inlined;
};

/* False when the work is used up, or memory. */
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

/* Memory until the end; NULL sets the status. */
void *pipa_dw_take(struct pipa_dw_work *work, size_t size);

/* Copy bytes into the arena; size 0 is valid. */
void *pipa_dw_keep(struct pipa_dw_work *work, const void *items, size_t size);

/* The map that grew in the work, finished; it is empty then. Not to be freed. -ENOMEM. */
int pipa_dw_keep_map(struct pipa_dw_work *work, struct pipa_intervals *ret);

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
	uint32_t index; /* in the file's section table; 0: not there */
	bool ready;
	bool unpacked; /* prepared in advance; `status` has the result */
	int status;
	struct pipa_span bytes;
	uint8_t *own; /* where bytes are not the file's */
};

struct pipa_dw_file {
	struct pipa_elf elf;
	struct pipa_dw_work *work;
	struct pipa_dw_file *next; /* of a list of split files */
	struct pipa_dw_file *alt;  /* dwz's shared file, or NULL */
	bool is_split;		   /* its .dwo sections are meant */
	bool zero_is_code;	   /* else the address of what the linker dropped */
	struct pipa_layout layout; /* of a relocatable file; sections that are not loaded at 0 */
	struct pipa_dw_section sections[PIPA_DW_SECTION_NR];
	struct {
		struct pipa_dw_unit *items; /* by offset; symbol/dwarf/dwarf_unit.h */
		size_t n, cap;
		bool ready;
	} units;
	struct {
		struct pipa_dw_abbrevs *items; /* symbol/dwarf/dwarf_abbrev.h */
		size_t n, cap;
		struct pipa_index index;
		struct pipa_dw_draft *draft; /* room for one while it is read */
	} abbrevs;
	struct {
		struct pipa_dw_lines_made *items; /* by offset */
		size_t n, cap;
		bool lent;
	} made;
	struct pipa_dw_named *named; /* names that were looked up; symbol/dwarf/dwarf_entry.c */
};

/* -EBADMSG if it is not an ELF image, -ENOENT without .debug_info(.dwo), -ENOMEM. */
int pipa_dw_file_init(struct pipa_dw_file *ret, struct pipa_span bytes, bool is_split,
		      struct pipa_dw_work *work);
void pipa_dw_file_done(struct pipa_dw_file *file);

/*
 * The same file for another reader, with its own work. All sections are ready then; the first reader
 * keeps their bytes and must outlive it.
 */
void pipa_dw_file_lend(struct pipa_dw_file *file, struct pipa_dw_work *work,
		       struct pipa_dw_file *ret);

/*
 * Prepare a section in advance. Touches only that section, so that threads may prepare several at
 * the same time.
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
