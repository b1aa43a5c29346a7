/*
 * Line tables: run the line program of a unit once and keep its rows, 16 bytes each. Versions 2 to
 * 5.
 */
#ifndef PIPA_SYMBOL_DWARF_DWARF_LINE_H
#define PIPA_SYMBOL_DWARF_DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf/intervals.h"

struct pipa_dw_file;
struct pipa_dw_unit;

/* From here to the next row. */
struct pipa_dw_row {
	uint32_t offset; /* from the start of the sequence */
	uint32_t line;	 /* 0: none */
	uint32_t file;
	uint32_t column;
};

/* Rows without a gap between them, by address. */
struct pipa_dw_sequence {
	uint64_t start;
	uint32_t rows; /* the first of them */
	uint32_t n;
};

struct pipa_dw_source {
	const char *name;
	uint64_t folder;
	const char *path; /* after the first lookup */
};

/* Rows while they are made. */
struct pipa_dw_line_rows {
	struct pipa_dw_row *items;
	size_t n, cap;
};

struct pipa_dw_lines {
	const struct pipa_dw_row *rows; /* in the work's arena */
	struct {
		struct pipa_dw_sequence *items;
		size_t n, cap;
	} sequences;
	struct {
		const char **items;
		size_t n, cap;
	} folders;
	struct {
		struct pipa_dw_source *items;
		size_t n, cap;
	} files;
	struct pipa_intervals map; /* to numbers of sequences */
	size_t hint, last_row;	   /* of the last answer */
	uint32_t last_sequence;
	int status;    /* -ENOMEM */
	bool nameless; /* the name of some directory or file is missing */
	bool lent;     /* all but `files` is another's */
};

/* A table that was made before its unit was known. */
struct pipa_dw_lines_made {
	uint64_t offset;
	struct pipa_dw_lines *lines;
};

/*
 * Build the table at the offset of .debug_line and keep it for the units that use it, of this file
 * and its clones. The offset moves to the next one; false if there is none.
 */
bool pipa_dw_preload_lines(struct pipa_dw_file *file, uint64_t *offset);
void pipa_dw_lines_made_done(struct pipa_dw_file *file);

/* Return the table of the unit, built at the first call; NULL if it has none. Borrowed. */
struct pipa_dw_lines *pipa_dw_unit_lines(struct pipa_dw_unit *unit);
void pipa_dw_lines_free(struct pipa_dw_lines *lines);

/* The row at the address; NULL when no sequence covers it. */
const struct pipa_dw_row *pipa_dw_lines_find(struct pipa_dw_lines *lines, uint64_t addr);

/* Return the path of a file by its number in the table, borrowed; NULL if there is none. */
const char *pipa_dw_lines_path(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines,
			       uint64_t number);

#endif
