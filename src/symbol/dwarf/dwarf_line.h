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
	const char *path; /* once somebody asked */
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
	bool nameless; /* some folder or file has a name that is not there */
	bool lent;     /* all but `files` is another's */
};

/* A table that was made before its unit was known. */
struct pipa_dw_lines_made {
	uint64_t offset;
	struct pipa_dw_lines *lines;
};

/*
 * Make the table at the offset of .debug_line and keep it for the units that want it, of this file and of
 * those it is lent to. The offset moves to the next one; false when there is none.
 */
bool pipa_dw_preload_lines(struct pipa_dw_file *file, uint64_t *offset);
void pipa_dw_lines_made_done(struct pipa_dw_file *file);

/* The table of the unit, made at the first call; NULL when it has none. A loan. */
struct pipa_dw_lines *pipa_dw_unit_lines(struct pipa_dw_unit *unit);
void pipa_dw_lines_free(struct pipa_dw_lines *lines);

/* The row at the address; NULL when no sequence covers it. */
const struct pipa_dw_row *pipa_dw_lines_find(struct pipa_dw_lines *lines, uint64_t addr);

/* The path of a file by its number in the table, a loan; NULL when there is no such file. */
const char *pipa_dw_lines_path(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines,
			       uint64_t number);

#endif
