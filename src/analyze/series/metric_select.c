#include "analyze/series/metric_select.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/series/align.h"
#include "analyze/series/instance_filter.h"
#include "analyze/series/series_summary.h"
#include "base/auto.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "model/counter_section.h"
#include "model/metric_names.h"
#include "model/sections.h"

static const char cpi[] = "cpi", ipc[] = "ipc", busy[] = "cpu.busy";

void pipa_metric_list_done(struct pipa_metric_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->items[i].instance);
	free(list->items);
	*list = (struct pipa_metric_list){ 0 };
}

/* ---- instances ----------------------------------------------------------------------------------- */

static bool is_total(const char *instance)
{
	return strcmp(instance, "all") == 0 || strcmp(instance, "sum") == 0;
}

/* Return the instance as users name it: of a counter its place, of a CPU its number. */
static const char *shown_instance(const struct pipa_series_group *group, size_t row, bool is_event)
{
	const char *name = group->items[row].instance;

	if (!is_event)
		return name;
	name = pipa_counter_place(name);
	return strncmp(name, "CPU", 3) == 0 && name[3] >= '0' && name[3] <= '9' ? name + 3 : name;
}

static bool has_total(const struct pipa_series_group *group)
{
	size_t i;

	for (i = 0; i < group->n; i++)
		if (is_total(group->items[i].instance))
			return true;
	return false;
}

static bool is_chosen(const struct pipa_metric_choice *choice, const char *instance, bool total)
{
	if (choice->instances)
		return pipa_instance_selected(choice->instances, instance, choice->hardware);
	switch (choice->otherwise) {
	case PIPA_INSTANCES_TOTAL: return !total || is_total(instance);
	case PIPA_INSTANCES_EACH: return !is_total(instance);
	case PIPA_INSTANCES_ALL: break;
	}
	return true;
}

/* ---- selection ----------------------------------------------------------------------------------- */

static int add_series(struct pipa_metric_list *list, const struct pipa_metric_series *series,
		      const char *instance)
{
	struct pipa_metric_series *new = PIPA_VEC_ADD(list);

	if (!new)
		return -ENOMEM;
	*new = *series;
	new->instance = strdup(instance);
	return new->instance ? 0 : -ENOMEM;
}

static int by_instance(const void *a, const void *b)
{
	const struct pipa_metric_series *x = a, *y = b;
	bool total_x = is_total(x->instance), total_y = is_total(y->instance);

	if (total_x != total_y)
		return total_x ? -1 : 1;
	return pipa_instance_compare(x->instance, y->instance);
}

static int add_column(const struct pipa_series_set *set, size_t g, size_t column,
		      enum pipa_metric_formula formula, const char *metric,
		      const struct pipa_metric_choice *choice, struct pipa_metric_list *list)
{
	const struct pipa_series_group *group = &set->groups.items[g];
	bool total = has_total(group);
	size_t row;
	int rc = 0;

	for (row = 0; !rc && row < group->n; row++) {
		const struct pipa_metric_series series = {
			.metric = metric,
			.unit = group->section->columns[column].unit,
			.formula = formula,
			.a = { g, row, column }
		};

		if (is_chosen(choice, group->items[row].instance, total))
			rc = add_series(list, &series, group->items[row].instance);
	}
	return rc;
}

static bool is_cycles(const char *instance)
{
	return pipa_counter_is_of(instance, "cycles");
}

/* Return the row of the instructions that belong to a row of cycles: same PMU, modifiers and place. */
static ptrdiff_t find_instructions(const struct pipa_series_group *group, size_t cycles)
{
	const char *name = group->items[cycles].instance;
	const char *event = strstr(name, "cpu-cycles");
	size_t before, len = event ? sizeof("cpu-cycles") - 1 : sizeof("cycles") - 1;
	ptrdiff_t other = -ENOENT;
	size_t i;

	event = event ? event : strstr(name, "cycles");
	before = (size_t)(event - name);
	for (i = 0; i < group->n; i++) {
		const char *found = group->items[i].instance, *at = strstr(found, "instructions");

		if (!pipa_counter_is_of(found, "instructions"))
			continue;
		if ((size_t)(at - found) == before && memcmp(found, name, before) == 0 &&
		    strcmp(at + sizeof("instructions") - 1, event + len) == 0)
			return (ptrdiff_t)i;
		if (other < 0 && strcmp(pipa_counter_place(found), pipa_counter_place(name)) == 0)
			other = (ptrdiff_t)i;
	}
	return other;
}

/* Add cpi or ipc of all places of a group of counters. Returns their number or -ENOMEM. */
static ptrdiff_t add_ratio(const struct pipa_series_set *set, size_t g, const char *metric,
			   const struct pipa_metric_choice *choice, struct pipa_metric_list *list)
{
	const struct pipa_series_group *group = &set->groups.items[g];
	ptrdiff_t n = 0;
	size_t row;

	for (row = 0; row < group->n; row++) {
		ptrdiff_t other = is_cycles(group->items[row].instance) ?
					  find_instructions(group, row) :
					  -ENOENT;
		struct pipa_metric_series series = { .metric = metric,
						     .formula = PIPA_FORMULA_RATIO,
						     .a = { g, row, PIPA_COL_COUNTER_VALUE },
						     .b = { g, (size_t)other,
							    PIPA_COL_COUNTER_VALUE } };

		if (other < 0)
			continue;
		n++;
		if (metric == ipc) {
			series.b.row = row;
			series.a.row = (size_t)other;
		}
		if (is_chosen(choice, shown_instance(group, row, true), false) &&
		    add_series(list, &series, shown_instance(group, row, true)) < 0)
			return -ENOMEM;
	}
	return n;
}

/* Add the counts of an event. Returns the number of its rows or -ENOMEM. */
static ptrdiff_t add_event(const struct pipa_series_set *set, size_t g, const char *event,
			   const struct pipa_metric_choice *choice, struct pipa_metric_list *list)
{
	const struct pipa_series_group *group = &set->groups.items[g];
	const char *plain = strcmp(event, "cpu-cycles") == 0	      ? "cycles" :
			    strcmp(event, "branch-instructions") == 0 ? "branches" :
									event;
	ptrdiff_t n = 0;
	size_t row;

	for (row = 0; row < group->n; row++) {
		const struct pipa_metric_series series = {
			.metric = event, .a = { g, row, PIPA_COL_COUNTER_VALUE }
		};

		if (!pipa_counter_is_of(group->items[row].instance, plain))
			continue;
		n++;
		if (is_chosen(choice, shown_instance(group, row, true), false) &&
		    add_series(list, &series, shown_instance(group, row, true)) < 0)
			return -ENOMEM;
	}
	return n;
}

/* Is the column of the short CPU table also in the full one of its source? Then it is the same metric twice. */
static bool is_repeated(const struct pipa_series_set *set, size_t g,
			const struct pipa_column *column)
{
	const struct pipa_series_group *group = &set->groups.items[g];
	const struct pipa_section *full = &pipa_sections[PIPA_SECTION_CPU];
	size_t i, c;

	if (group->section != &pipa_sections[PIPA_SECTION_CPU_SHORT])
		return false;
	for (i = 0; i < set->groups.n; i++)
		for (c = 0; set->groups.items[i].section == full &&
			    set->groups.items[i].source == group->source && c < full->n_columns;
		     c++)
			if (strcmp(full->columns[c].id, column->id) == 0)
				return true;
	return false;
}

/* Add the metrics of a group that have the name. Returns their number or -ENOMEM. */
static ptrdiff_t select_in_group(const struct pipa_series_set *set, size_t g, const char *name,
				 const struct pipa_metric_choice *choice,
				 struct pipa_metric_list *list)
{
	const struct pipa_section *section = set->groups.items[g].section;
	ptrdiff_t n = 0;
	size_t c;
	int rc = 0;

	for (c = 0; !rc && c < section->n_columns; c++) {
		const struct pipa_column *column = &section->columns[c];
		bool is_idle = strcmp(column->id, "cpu.idle") == 0;

		if (column->kind == PIPA_METRIC_TEXT || is_repeated(set, g, column))
			continue;
		if (pipa_metric_names(section, column, name)) {
			rc = add_column(set, g, c, PIPA_FORMULA_COLUMN, column->id, choice, list);
			n++;
		}
		if (is_idle && strcmp(name, busy) == 0) {
			rc = add_column(set, g, c, PIPA_FORMULA_REMAINDER, busy, choice, list);
			n++;
		}
	}
	if (rc < 0)
		return rc;
	if (n || section != &pipa_counter_section)
		return n;
	if (strcmp(name, cpi) == 0)
		return add_ratio(set, g, cpi, choice, list);
	if (strcmp(name, ipc) == 0)
		return add_ratio(set, g, ipc, choice, list);
	return add_event(set, g, name, choice, list);
}

ptrdiff_t pipa_metric_select(const struct pipa_series_set *set, const char *name,
			     const struct pipa_metric_choice *choice, struct pipa_metric_list *list)
{
	ptrdiff_t n = 0;
	size_t g;

	for (g = 0; g < set->groups.n; g++) {
		size_t first = list->n;
		ptrdiff_t found = select_in_group(set, g, name, choice, list);

		if (found < 0)
			return found;
		n += found;
		if (list->n > first &&
		    (found == 1 || set->groups.items[g].section == &pipa_counter_section))
			qsort(list->items + first, list->n - first, sizeof(*list->items),
			      by_instance);
	}
	return n;
}

void pipa_metric_offer(const struct pipa_series_set *set, struct pipa_nearest *near)
{
	size_t g, i;

	for (g = 0; g < set->groups.n; g++) {
		const struct pipa_section *section = set->groups.items[g].section;

		for (i = 0; i < section->n_columns; i++)
			if (section->columns[i].kind != PIPA_METRIC_TEXT) {
				pipa_nearest_offer(near, section->columns[i].id);
				pipa_nearest_offer(near, section->columns[i].name);
			}
	}
	pipa_nearest_offer(near, cpi);
	pipa_nearest_offer(near, ipc);
	pipa_nearest_offer(near, busy);
}

/* ---- values -------------------------------------------------------------------------------------- */

const struct pipa_series_axis *pipa_metric_axis(const struct pipa_series_set *set,
						const struct pipa_metric_series *series)
{
	return pipa_series_axis_of(set, &set->groups.items[series->a.group]);
}

static double compute(enum pipa_metric_formula formula, double a, double b)
{
	switch (formula) {
	case PIPA_FORMULA_RATIO: return b > 0 ? a / b : NAN;
	case PIPA_FORMULA_REMAINDER: return 100 - a;
	case PIPA_FORMULA_COLUMN: break;
	}
	return a;
}

int pipa_metric_read(const struct pipa_series_set *set, const struct pipa_metric_series *series,
		     size_t from, size_t n, double *ret)
{
	const struct pipa_section *section = set->groups.items[series->a.group].section;
	PIPA_AUTO(free) double *other = NULL;
	size_t i;

	pipa_series_read(set, series->a, from, n, ret);
	pipa_series_repair(&section->columns[series->a.column], ret, n);
	if (series->formula == PIPA_FORMULA_RATIO) {
		other = malloc((n ? n : 1) * sizeof(*other));
		if (!other)
			return -ENOMEM;
		pipa_series_read(set, series->b, from, n, other);
	}
	for (i = 0; i < n; i++)
		ret[i] = compute(series->formula, ret[i], other ? other[i] : 0);
	return 0;
}

int pipa_metric_align(const struct pipa_series_set *set, const struct pipa_metric_series *series,
		      const struct pipa_time_grid *grid, double *ret)
{
	PIPA_AUTO(free) double *other = NULL;
	size_t i;
	int rc = pipa_series_align(set, series->a, grid, ret);

	if (!rc && series->formula == PIPA_FORMULA_RATIO) {
		other = malloc((grid->n ? grid->n : 1) * sizeof(*other));
		rc = other ? pipa_series_align(set, series->b, grid, other) : -ENOMEM;
	}
	for (i = 0; !rc && i < grid->n; i++)
		ret[i] = compute(series->formula, ret[i], other ? other[i] : 0);
	return rc;
}
