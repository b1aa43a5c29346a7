#include "import/table_head.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "model/metric_names.h"

bool pipa_cell_is(const struct pipa_table_cell *cell, const char *text)
{
	return strlen(text) == cell->len && memcmp(cell->pos, text, cell->len) == 0;
}

bool pipa_cell_starts(const struct pipa_table_cell *cell, const char *text)
{
	return cell->len >= strlen(text) && memcmp(cell->pos, text, strlen(text)) == 0;
}

bool pipa_cell_number(const struct pipa_table_cell *cell, double *ret)
{
	char text[48];

	*ret = NAN;
	if (!cell->len)
		return true;
	if (cell->len >= sizeof(text) || memchr(cell->pos, '\0', cell->len))
		return false;
	memcpy(text, cell->pos, cell->len);
	text[cell->len] = '\0';
	if (strchr(text, ',')) /* decimal comma of a locale */
		*strchr(text, ',') = '.';
	return pipa_str_double(text, ret) == 0;
}

/* ---- headers --------------------------------------------------------------------------------- */

/* Find a column, also by a name of older sysstat versions. */
static int find_column(const struct pipa_section *section, const struct pipa_table_cell *cell,
		       double *ret_factor)
{
	char name[48];
	int slot;

	if (cell->len >= sizeof(name))
		return -1;
	memcpy(name, cell->pos, cell->len);
	name[cell->len] = '\0';
	slot = pipa_metric_slot(section, name, ret_factor);
	return slot < 0 ? -1 : slot;
}

/* Return the cell with the section's label of instances; n if there is none. */
static size_t find_label(const struct pipa_section *section, const struct pipa_table_cell *cells,
			 size_t n)
{
	size_t i;

	for (i = 0; section->label && i < n; i++)
		if (pipa_cell_is(&cells[i], section->label))
			return i;
	return n;
}

/* Return the number of header cells that are columns of the section. */
static size_t count_matches(const struct pipa_section *section, const struct pipa_table_cell *cells,
			    size_t n)
{
	size_t i, matches = 0, label = find_label(section, cells, n);

	if (section->label && label == n)
		return 0;
	for (i = 0; i < n; i++)
		matches += i != label && find_column(section, &cells[i], NULL) >= 0;
	return matches;
}

static bool is_word(const struct pipa_section *section, int column)
{
	return column >= 0 && section->columns[column].unit == PIPA_UNIT_WORD;
}

void pipa_table_head_find(struct pipa_table_head *ret, const struct pipa_table_cell *cells,
			  size_t n)
{
	size_t i, best = 0;

	*ret = (struct pipa_table_head){ .n = n, .label = n };
	for (i = 0; i < PIPA_SECTION_NR; i++) {
		const struct pipa_section *section = &pipa_sections[i];
		size_t matches = count_matches(section, cells, n);

		if (matches > best && section->n_columns <= PIPA_TABLE_COLUMNS) {
			best = matches;
			ret->section = section;
		}
	}
	if (!n || 2 * best < n) /* few columns in common are a coincidence */
		ret->section = NULL;
	if (!ret->section)
		return;
	ret->label = find_label(ret->section, cells, n);
	for (i = 0; i < n; i++)
		ret->column[i] = i == ret->label ?
					 -1 :
					 find_column(ret->section, &cells[i], &ret->factor[i]);
	ret->ends_in_word = ret->label == n - 1 || is_word(ret->section, ret->column[n - 1]);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

/* Set the instance and its words in the order of the section's columns; missing ones are empty. */
static void set_instance(const struct pipa_table_head *head, const struct pipa_table_cell *cells,
			 char *instance)
{
	static const struct pipa_table_cell none = { "", 0 }, all = { "all", 3 };
	const struct pipa_section *section = head->section;
	const struct pipa_table_cell *name = head->label < head->n ? &cells[head->label] : &none,
				     *word;
	size_t i, k;

	if (section->label && strcmp(section->label, "CPU") == 0 && pipa_cell_is(name, "-1"))
		name = &all;
	instance += pipa_instance_put(instance, PIPA_NAME_MAX, name->pos, name->len);
	for (i = 0; i < section->n_columns; i++) {
		if (!is_word(section, (int)i))
			continue;
		for (k = 0; k < head->n && head->column[k] != (int)i; k++)
			;
		word = k < head->n ? &cells[k] : &none;
		instance += pipa_instance_put(instance, PIPA_WORD_MAX, word->pos, word->len);
	}
}

size_t pipa_table_head_row(const struct pipa_table_head *head, const struct pipa_table_cell *cells,
			   char *instance, double values[static PIPA_TABLE_COLUMNS])
{
	size_t i, wrong = 0;
	double value;

	for (i = 0; i < PIPA_TABLE_COLUMNS; i++)
		values[i] = NAN;
	for (i = 0; i < head->n; i++) {
		if (head->column[i] < 0 || is_word(head->section, head->column[i]))
			continue;
		if (pipa_cell_number(&cells[i], &value))
			values[head->column[i]] = value * head->factor[i];
		else
			wrong++;
	}
	set_instance(head, cells, instance);
	return wrong;
}
