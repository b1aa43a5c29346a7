#include "screen/cells/grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pipa_grid_done(struct pipa_grid *grid)
{
	free(grid->values);
	free(grid->names);
	pipa_buf_done(&grid->text);
	*grid = (struct pipa_grid){ 0 };
}

void pipa_grid_reset(struct pipa_grid *grid)
{
	grid->n = 0;
	pipa_buf_reset(&grid->text);
}

static int grow(struct pipa_grid *grid)
{
	size_t cap = grid->cap ? 2 * grid->cap : 16;
	size_t *names = realloc(grid->names, cap * sizeof(*names));
	double *values;

	if (!names)
		return -ENOMEM;
	grid->names = names;
	values = realloc(grid->values, cap * (grid->section->n_columns + 1) * sizeof(*values));
	if (!values)
		return -ENOMEM;
	grid->values = values;
	grid->cap = cap;
	return 0;
}

int pipa_grid_add(struct pipa_grid *grid, const char *instance, const double *values)
{
	size_t columns = grid->section->n_columns;
	int rc = grid->n < grid->cap ? 0 : grow(grid);

	if (rc < 0)
		return rc;
	grid->names[grid->n] = grid->text.len;
	if (instance)
		pipa_buf_add(&grid->text, instance, pipa_instance_size(grid->section, instance));
	else
		pipa_buf_putc(&grid->text, '\0');
	if (grid->text.status)
		return grid->text.status;
	memcpy(&grid->values[grid->n * columns], values, columns * sizeof(*values));
	grid->n++;
	return 0;
}

const char *pipa_grid_name(const struct pipa_grid *grid, size_t row)
{
	return grid && row < grid->n ? grid->text.data + grid->names[row] : "";
}

const char *pipa_grid_word(const struct pipa_grid *grid, size_t row, size_t column)
{
	const char *word = pipa_grid_name(grid, row);
	size_t i;

	for (i = 0; grid && row < grid->n && i < grid->section->n_columns; i++) {
		if (grid->section->columns[i].unit != PIPA_UNIT_WORD)
			continue;
		word = pipa_instance_next(word);
		if (i == column)
			return word;
	}
	return NULL;
}

size_t pipa_grid_find(const struct pipa_grid *grid, const char *instance)
{
	size_t i;

	for (i = 0; grid && i < grid->n; i++)
		if (strcmp(pipa_grid_name(grid, i), instance) == 0)
			return i;
	return grid ? grid->n : 0;
}

double pipa_grid_value(const struct pipa_grid *grid, size_t row, int column)
{
	if (!grid || row >= grid->n || column < 0 || (size_t)column >= grid->section->n_columns)
		return NAN;
	return grid->values[row * grid->section->n_columns + (size_t)column];
}
