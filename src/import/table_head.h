/*
 * Match the header of a text table with the sections of model/sections.h, and convert its rows. For
 * the readers of sysstat's formats; private to import/.
 */
#ifndef PIPA_IMPORT_TABLE_HEAD_H
#define PIPA_IMPORT_TABLE_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "model/sections.h"

enum { PIPA_TABLE_CELLS = 64, PIPA_TABLE_COLUMNS = 64 };

/* A range of the text. */
struct pipa_table_cell {
	const char *pos;
	size_t len;
};

struct pipa_table_head {
	const struct pipa_section *section; /* NULL: unknown table */
	size_t n;			    /* cells per row */
	size_t label;			    /* cell of the instance; n: none */
	bool ends_in_word;		 /* the last cell is a word, which may contain separators */
	int column[PIPA_TABLE_CELLS];	 /* index in the section per cell; -1: not a column */
	double factor[PIPA_TABLE_CELLS]; /* converts the unit of the cell to that of the column */
};

/*
 * Find the section that has most of these columns, also under the names of older sysstat, and at
 * least half of them. At most PIPA_TABLE_CELLS cells.
 */
void pipa_table_head_find(struct pipa_table_head *ret, const struct pipa_table_cell *cells,
			  size_t n);

/*
 * Convert a row of cells: the values of all columns, NaN for missing or empty cells, and the
 * instance (PIPA_INSTANCE_MAX bytes). Returns the number of malformed cells.
 */
size_t pipa_table_head_row(const struct pipa_table_head *head, const struct pipa_table_cell *cells,
			   char *instance, double values[static PIPA_TABLE_COLUMNS]);

bool pipa_cell_is(const struct pipa_table_cell *cell, const char *text);
bool pipa_cell_starts(const struct pipa_table_cell *cell, const char *text);

/* Parse a complete cell as a number; an empty one is NaN. */
bool pipa_cell_number(const struct pipa_table_cell *cell, double *ret);

#endif
