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

/* A row, valid up to the next one. */
struct pipa_dw_row {
	uint32_t offset; /* from the start of the sequence */
	uint32_t line;	 /* 0: none */
	uint32_t file;
	uint32_t column;
};

/* Adjacent rows, sorted by address. */
struct pipa_dw_sequence {
	uint64_t start;
	uint32_t rows; /* index of the first row */
	uint32_t n;
};

struct pipa_dw_source {
	const char *name;
	uint64_t directory;
	const char *path; /* set by the first lookup */
};

/* Rows under construction. */
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
	struct pipa_intervals map; /* from addresses to indexes of sequences */
	size_t hint, last_row;	   /* result of the last lookup */
	uint32_t last_sequence;
	int status;	   /* -ENOMEM */
	bool name_missing; /* the name of a directory or file is missing */
	bool borrowed;	   /* everything except `files` is borrowed */
};

/* A table that was built before its unit was known. */
struct pipa_dw_lines_made {
	uint64_t offset;
	struct pipa_dw_lines *lines;
};

/*
 * Build the table at an offset of .debug_line and store it for the units that use it, of this file
 * and its clones. *offset moves to the next table; false if there is none.
 */
bool pipa_dw_preload_lines(struct pipa_dw_file *file, uint64_t *offset);
void pipa_dw_lines_made_done(struct pipa_dw_file *file);

/* Return the table of the unit, built at the first call; NULL if it has none. Borrowed. */
struct pipa_dw_lines *pipa_dw_unit_lines(struct pipa_dw_unit *unit);
void pipa_dw_lines_free(struct pipa_dw_lines *lines);

/* Return the row at the address; NULL if no sequence contains it. */
const struct pipa_dw_row *pipa_dw_lines_find(struct pipa_dw_lines *lines, uint64_t addr);

/* Return the path of a file by its number in the table, borrowed; NULL if there is none. */
const char *pipa_dw_lines_path(struct pipa_dw_unit *unit, struct pipa_dw_lines *lines,
			       uint64_t number);

#endif
