#include "model/table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/counter.h"
#include "base/vec.h"

_Static_assert(sizeof(double) == sizeof(uint64_t), "a column's cells have one size");

enum { CELL = sizeof(double), FIRST_TICKS = 16 };

static const size_t default_max_bytes = (size_t)1 << 30;

void pipa_table_done(struct pipa_table *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		free(t->items[i].instance);
		free(t->items[i].numbers);
	}
	free(t->items);
	free(t->wall_ns);
	free(t->interval_s);
	*t = (struct pipa_table){ 0 };
}

double pipa_table_number(const struct pipa_table *t, size_t column, size_t tick)
{
	const struct pipa_table_column *c = &t->items[column];

	if (c->type == PIPA_TYPE_NUMBER)
		return c->numbers[tick];
	return c->counters[tick] == PIPA_COUNTER_MISSING ? NAN : (double)c->counters[tick];
}

static void set_missing(struct pipa_table_column *c, size_t from, size_t until)
{
	for (; from < until; from++)
		if (c->type == PIPA_TYPE_NUMBER)
			c->numbers[from] = NAN;
		else
			c->counters[from] = PIPA_COUNTER_MISSING;
}

static bool fits_limit(const struct pipa_table *t, size_t columns, size_t ticks)
{
	size_t max = t->max_bytes ? t->max_bytes : default_max_bytes;

	return ticks <= max / CELL / (columns + 2); /* plus two columns of times */
}

/* ---- intervals ------------------------------------------------------------------------------- */

static bool resize_column(void *array, size_t cap)
{
	void **values = array, *bigger = realloc(*values, cap * CELL);

	if (bigger)
		*values = bigger;
	return bigger;
}

/*
 * Double the capacity of every column. 0, -EFBIG or -ENOMEM; after a failure a part of the columns
 * is larger, which the next call uses.
 */
static int grow_ticks(struct pipa_table *t)
{
	size_t cap = t->cap_ticks ? t->cap_ticks * 2 : FIRST_TICKS;
	size_t i;
	bool ok;

	if (!fits_limit(t, t->n, cap))
		return -EFBIG;
	ok = resize_column(&t->wall_ns, cap) && resize_column(&t->interval_s, cap);
	for (i = 0; ok && i < t->n; i++)
		ok = resize_column(&t->items[i].numbers, cap);
	if (!ok)
		return -ENOMEM;
	t->cap_ticks = cap;
	return 0;
}

static bool is_empty_column(const struct pipa_table *t, size_t column)
{
	size_t i;

	for (i = 0; i < t->n_ticks; i++)
		if (!isnan(pipa_table_number(t, column, i)))
			return false;
	return true;
}

/* Are all columns of the row that starts at `first` empty? A row is dropped only as a whole. */
static bool is_empty_row(const struct pipa_table *t, size_t first, size_t *ret_columns)
{
	const struct pipa_table_column *c = &t->items[first];
	bool empty = true;
	size_t i;

	for (i = first; i < t->n && t->items[i].section == c->section &&
			(i == first || t->items[i].slot > t->items[i - 1].slot) &&
			strcmp(t->items[i].instance, c->instance) == 0;
	     i++)
		empty = empty && is_empty_column(t, i);
	*ret_columns = i - first;
	return empty;
}

static void drop_empty_rows(struct pipa_table *t)
{
	size_t i, k, columns, kept = 0;

	for (i = 0; i < t->n; i += columns) {
		bool empty = is_empty_row(t, i, &columns);

		for (k = i; k < i + columns; k++)
			if (empty) {
				free(t->items[k].instance);
				free(t->items[k].numbers);
			} else {
				t->items[kept++] = t->items[k];
			}
	}
	t->n = kept;
	t->next = 0;
}

/* Drop a quarter of the intervals, so that the cost per added interval stays constant. */
static void drop_oldest_ticks(struct pipa_table *t)
{
	size_t gone = t->max_ticks / 4 + 1, left = t->n_ticks - gone, i;

	memmove(t->wall_ns, t->wall_ns + gone, left * CELL);
	memmove(t->interval_s, t->interval_s + gone, left * CELL);
	for (i = 0; i < t->n; i++)
		memmove(t->items[i].numbers, t->items[i].numbers + gone, left * CELL);
	t->n_ticks = left;
	t->forgotten += gone;
	drop_empty_rows(t);
}

/* Return the index of the interval that ends at that time, or the index at which to insert it. */
static size_t find_tick(const struct pipa_table *t, uint64_t wall_ns)
{
	size_t low = 0, high = t->n_ticks;

	if (t->n_ticks && t->wall_ns[t->n_ticks - 1] < wall_ns)
		return t->n_ticks;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->wall_ns[middle] < wall_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert_tick(struct pipa_table *t, size_t at, uint64_t wall_ns, double interval_s)
{
	size_t after = t->n_ticks - at, i;

	memmove(t->wall_ns + at + 1, t->wall_ns + at, after * CELL);
	memmove(t->interval_s + at + 1, t->interval_s + at, after * CELL);
	for (i = 0; i < t->n; i++) {
		double *values = t->items[i].numbers;

		memmove(values + at + 1, values + at, after * CELL);
		set_missing(&t->items[i], at, at + 1);
	}
	t->wall_ns[at] = wall_ns;
	t->interval_s[at] = interval_s;
	t->n_ticks++;
}

ptrdiff_t pipa_table_add_tick(struct pipa_table *t, uint64_t wall_ns, double interval_s)
{
	size_t at = find_tick(t, wall_ns);
	int rc;

	if (at < t->n_ticks && t->wall_ns[at] == wall_ns)
		return (ptrdiff_t)at;
	if (t->max_ticks && t->n_ticks >= t->max_ticks) {
		drop_oldest_ticks(t);
		at = find_tick(t, wall_ns);
	}
	if (t->n_ticks == t->cap_ticks) {
		rc = grow_ticks(t);
		if (rc < 0)
			return rc;
	}
	insert_tick(t, at, wall_ns, interval_s > 0 ? interval_s : 0);
	return (ptrdiff_t)at;
}

/* ---- columns ------------------------------------------------------------------------------------ */

ptrdiff_t pipa_table_add_column(struct pipa_table *t, const struct pipa_table_column *like)
{
	struct pipa_table_column column = *like, *added;
	size_t cap = t->cap_ticks ? t->cap_ticks : FIRST_TICKS;

	if (!fits_limit(t, t->n + 1, cap))
		return -EFBIG;
	if (!t->cap_ticks) {
		int rc = grow_ticks(t);

		if (rc < 0)
			return rc;
	}
	column.instance = strdup(like->instance ? like->instance : "");
	column.numbers = malloc(cap * CELL);
	added = column.instance && column.numbers ? PIPA_VEC_ADD(t) : NULL;
	if (!added) {
		free(column.instance);
		free(column.numbers);
		return -ENOMEM;
	}
	*added = column;
	set_missing(added, 0, t->n_ticks);
	return (ptrdiff_t)t->n - 1;
}

ptrdiff_t pipa_table_find(const struct pipa_table *t, const char *id, const char *instance)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if ((strcmp(t->items[i].id, id) == 0 || strcmp(t->items[i].name, id) == 0) &&
		    strcmp(t->items[i].instance, instance) == 0)
			return (ptrdiff_t)i;
	return -ENOENT;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static ptrdiff_t add_row_columns(struct pipa_table *t, const struct pipa_section *section,
				 const char *instance)
{
	size_t first = t->n, i;

	for (i = 0; i < section->n_columns; i++) {
		const struct pipa_column *c = &section->columns[i];
		const struct pipa_table_column like = {
			.section = section,
			.id = c->id,
			.name = c->name,
			.unit = c->unit,
			.digits = c->digits,
			.instance = (char *)instance,
			.slot = i,
		};
		ptrdiff_t rc = pipa_table_add_column(t, &like);

		if (rc < 0) { /* an incomplete row would not be found again */
			while (t->n > first) {
				free(t->items[--t->n].instance);
				free(t->items[t->n].numbers);
			}
			return rc;
		}
	}
	return (ptrdiff_t)first;
}

static bool is_row(const struct pipa_table *t, size_t column, const struct pipa_section *section,
		   const char *instance)
{
	const struct pipa_table_column *c = &t->items[column];

	return c->section == section && c->slot == 0 && strcmp(c->instance, instance) == 0;
}

/*
 * Find a row, starting after the last one, because rows come in the same order in every interval.
 */
static ptrdiff_t find_row(const struct pipa_table *t, const struct pipa_section *section,
			  const char *instance)
{
	size_t i;

	for (i = t->next; i < t->n; i++)
		if (is_row(t, i, section, instance))
			return (ptrdiff_t)i;
	for (i = 0; i < t->next && i < t->n; i++)
		if (is_row(t, i, section, instance))
			return (ptrdiff_t)i;
	return -ENOENT;
}

static int store_row(struct pipa_series_sink *self, const struct pipa_section *section,
		     const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_table *t = (struct pipa_table *)(void *)self;
	ptrdiff_t at, first;
	size_t i;

	if (!section->n_columns)
		return 0;
	at = pipa_table_add_tick(t, tick->wall_ns, tick->interval_s);
	if (at < 0)
		return (int)at;
	first = find_row(t, section, instance);
	if (first < 0)
		first = add_row_columns(t, section, instance);
	if (first < 0)
		return (int)first;
	for (i = 0; i < section->n_columns; i++)
		t->items[(size_t)first + i].numbers[at] = values[i];
	t->next = (size_t)first + section->n_columns;
	return 0;
}

void pipa_table_init(struct pipa_table *t)
{
	*t = (struct pipa_table){ .sink = { .row = store_row } };
}
