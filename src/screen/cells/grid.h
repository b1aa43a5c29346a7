/*
 * Last rows of one section. Refilled at every interval without allocation once it has reached its
 * size.
 */
#ifndef PIPA_SCREEN_CELLS_GRID_H
#define PIPA_SCREEN_CELLS_GRID_H

#include <stddef.h>

#include "base/buf.h"
#include "model/series.h"

struct pipa_grid {
	const struct pipa_section *section;
	size_t n, cap;
	double *values; /* n_columns per row */
	size_t *names;	/* offset of each row's name in text */
	struct pipa_buf text;
};

void pipa_grid_done(struct pipa_grid *grid);
void pipa_grid_reset(struct pipa_grid *grid);
int pipa_grid_add(struct pipa_grid *grid, const char *instance, const double *values);

/* Return the name of a row, "" if its section has only one row. */
const char *pipa_grid_name(const struct pipa_grid *grid, size_t row);

/* Return the string of a row in that column of its section; NULL if it holds numbers. */
const char *pipa_grid_word(const struct pipa_grid *grid, size_t row, size_t column);

/* Return the row of that name, grid->n if there is none. */
size_t pipa_grid_find(const struct pipa_grid *grid, const char *instance);

/* Return the value of a row in that column of its section; NaN outside, and for a NULL grid. */
double pipa_grid_value(const struct pipa_grid *grid, size_t row, int column);

#endif
